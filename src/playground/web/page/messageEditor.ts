import type { PlaygroundMessage } from "../../peopleApi.js";
import type { Deeds } from "./deeds.js";
import { h } from "./dom.js";
import { attempt } from "./notices.js";

/** The text of one's own message to be changed. `done` is called after saving and when given up. */
export function messageEditor(
  message: PlaygroundMessage,
  deeds: Deeds,
  done: () => void,
): HTMLElement {
  const text = h("textarea", { class: "editor", "aria-label": "Edit message", maxlength: 2000 });
  text.value = message.content;
  const save = () =>
    attempt(async () => {
      await deeds.edit(message, text.value);
      done();
    });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") done();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return h(
    "div",
    { class: "editing" },
    text,
    h(
      "p",
      { class: "faint" },
      h("button", { type: "button", class: "link", on: { click: save } }, "Save"),
      " (Enter) · ",
      h("button", { type: "button", class: "link", on: { click: done } }, "Cancel"),
      " (Escape)",
    ),
  );
}
