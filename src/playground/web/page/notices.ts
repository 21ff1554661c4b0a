import { Refusal } from "./api.js";
import { byId, h, iconButton } from "./dom.js";

const SHOWN_MS = 8_000;

/** Says what went wrong, in a sentence, for some seconds or until it is dismissed. */
export function notify(sentence: string): void {
  for (const shown of byId("notices").children) {
    if (shown.textContent === sentence) shown.remove();
  }
  const close = () => {
    window.clearTimeout(timer);
    notice.remove();
  };
  const notice = h(
    "div",
    { class: "notice", role: "alert" },
    h("span", {}, sentence),
    iconButton("close", "Dismiss", close),
  );
  const timer = window.setTimeout(close, SHOWN_MS);
  byId("notices").append(notice);
}

/** Does something that may be refused, and then says why. */
export function attempt(action: () => Promise<unknown>): void {
  action().catch((error: unknown) => explain(error));
}

export function explain(error: unknown): void {
  if (error instanceof Refusal) {
    notify(error.message);
    return;
  }
  console.error(error);
  notify("Something in this page went wrong. Reload it if it does not go on.");
}
