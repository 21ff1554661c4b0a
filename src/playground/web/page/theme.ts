import type { IconName } from "./dom.js";
import { keep, kept } from "./kept.js";

const CHOICES = ["system", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

const ICONS = { system: "system", light: "sun", dark: "moon" } as const satisfies Record<
  Choice,
  IconName
>;

export interface Theme {
  current(): Choice;
  icon(): IconName;
  next(): void;
}

/** Light or dark, by the system's setting unless the person chose one here. */
export function createTheme(root: HTMLElement): Theme {
  let choice = CHOICES.find((known) => known === kept("theme")) ?? "system";
  const apply = () => {
    root.dataset["theme"] = choice;
  };
  apply();
  return {
    current: () => choice,
    icon: () => ICONS[choice],
    next() {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] ?? "system";
      keep("theme", choice);
      apply();
    },
  };
}
