import type { PlaygroundAuthor } from "../../peopleApi.js";
import { h } from "./dom.js";

const HUES = 12;

/** The author's picture, or the first letter of the name on a colour of its own. */
export function avatarView(
  author: Pick<PlaygroundAuthor, "id" | "name" | "avatarUrl">,
): HTMLElement {
  const letter = h(
    "span",
    { class: `avatar hue-${hueOf(author.name)}`, "aria-hidden": "true" },
    firstLetter(author.name),
  );
  if (author.avatarUrl === null) return letter;
  const picture = h("img", {
    class: "avatar",
    src: author.avatarUrl,
    alt: "",
    on: { error: () => picture.replaceWith(letter) },
  });
  return picture;
}

function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name.trim());
  return first?.segment.toUpperCase() ?? "?";
}

function hueOf(name: string): number {
  let hash = 7;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return hash % HUES;
}
