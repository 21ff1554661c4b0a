import type {
  APIButtonComponent,
  APISelectMenuComponent,
  APIStringSelectComponent,
} from "discord-api-types/v10";
import type { PlaygroundGuild, PlaygroundMessage } from "../../peopleApi.js";
import { BUTTON, COMPONENT } from "./discord.js";
import { type Child, h } from "./dom.js";
import { markdownView, type Names } from "./markdownView.js";
import { never } from "./never.js";

const STYLE_NAMES = {
  [BUTTON.primary]: "primary",
  [BUTTON.secondary]: "secondary",
  [BUTTON.success]: "success",
  [BUTTON.danger]: "danger",
} as const;

export interface ComponentUse {
  readonly names: Names;
  readonly guild: PlaygroundGuild | undefined;
  /** Presses a button, or chooses values; settles when the application has answered. */
  readonly use: (customId: string, values?: readonly string[]) => Promise<void>;
}

type Component = PlaygroundMessage["components"][number];

export function componentViews(components: readonly Component[], use: ComponentUse): Child[] {
  return components.map((component) => componentView(component, use));
}

function componentView(component: Component, use: ComponentUse): Child {
  switch (component.type) {
    case COMPONENT.actionRow:
      return h(
        "div",
        { class: "row" },
        ...component.components.map((part) =>
          part.type === COMPONENT.button ? buttonView(part, use) : selectView(part, use),
        ),
      );
    case COMPONENT.textDisplay:
      return markdownView(component.content, use.names);
    case COMPONENT.separator:
      return h("hr");
    case COMPONENT.container:
      return h("div", { class: "embed" }, ...componentViews(component.components, use));
    case COMPONENT.section:
      return h(
        "div",
        { class: "section" },
        h("div", {}, ...componentViews(component.components, use)),
        component.accessory.type === COMPONENT.button && buttonView(component.accessory, use),
      );
    case COMPONENT.mediaGallery:
    case COMPONENT.file:
      return h("p", { class: "faint" }, "This part can only be seen on Discord.");
    default:
      return never(component);
  }
}

function buttonView(button: APIButtonComponent, use: ComponentUse): Child {
  const label = "label" in button ? button.label : undefined;
  const emoji = "emoji" in button ? button.emoji?.name : undefined;
  const text = [emoji, label].filter(Boolean).join(" ");
  if (button.style === BUTTON.link) {
    if (!/^https?:\/\//i.test(button.url)) return h("span", { class: "button" }, text);
    const { url: href } = button;
    return h("a", { class: "button", href, target: "_blank", rel: "noopener noreferrer" }, text);
  }
  if (!("custom_id" in button)) return null;
  const element = h(
    "button",
    {
      type: "button",
      class: `button ${STYLE_NAMES[button.style]}`,
      disabled: button.disabled === true,
      on: { click: () => void busy(element, use.use(button.custom_id)) },
    },
    text,
  );
  return element;
}

function selectView(select: APISelectMenuComponent, use: ComponentUse): HTMLElement {
  const options =
    select.type === COMPONENT.stringSelect ? stringOptions(select) : entities(select, use);
  const most = select.max_values ?? 1;
  const label = select.placeholder ?? "Choose";
  const element = h(
    "select",
    {
      "aria-label": label,
      disabled: select.disabled === true,
      multiple: most > 1,
      size: most > 1 ? Math.min(options.length, 6) : null,
    },
    most === 1 &&
      h("option", { value: "", disabled: true, selected: !options.some(isSelected) }, label),
    ...options,
  );
  const chosen = () => [...element.selectedOptions].map((option) => option.value);
  const send = () => void busy(element, use.use(select.custom_id, chosen()));
  if (most === 1) {
    element.addEventListener("change", send);
    return element;
  }
  return h(
    "div",
    { class: "row" },
    element,
    h("button", { type: "button", class: "button secondary", on: { click: send } }, "Choose"),
  );
}

function stringOptions(select: APIStringSelectComponent): HTMLOptionElement[] {
  return select.options.map((option) =>
    h("option", { value: option.value, selected: option.default === true }, option.label),
  );
}

function entities(
  select: Exclude<APISelectMenuComponent, APIStringSelectComponent>,
  { guild }: ComponentUse,
): HTMLOptionElement[] {
  const members = guild?.members.map(({ userId, name }) => ({ id: userId, name })) ?? [];
  const roles = guild?.roles ?? [];
  const channels = guild?.channels.map(({ id, name }) => ({ id, name: `#${name}` })) ?? [];
  const offered = {
    [COMPONENT.userSelect]: members,
    [COMPONENT.roleSelect]: roles,
    [COMPONENT.mentionableSelect]: [...members, ...roles],
    [COMPONENT.channelSelect]: channels,
  }[select.type];
  return offered.map(({ id, name }) => h("option", { value: id }, name));
}

function isSelected(option: HTMLOptionElement): boolean {
  return option.hasAttribute("selected");
}

async function busy(
  element: HTMLButtonElement | HTMLSelectElement,
  work: Promise<void>,
): Promise<void> {
  element.disabled = true;
  element.setAttribute("aria-busy", "true");
  await work;
  element.disabled = false;
  element.removeAttribute("aria-busy");
}
