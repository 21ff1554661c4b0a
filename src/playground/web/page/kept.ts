/** What the browser keeps from one visit to the next. */
export type Kept = "user" | "channel" | "theme";

export function kept(what: Kept): string | null {
  return localStorage.getItem(`parley.${what}`);
}

const DISMISSED = "parley.dismissed";

/** Messages that the person took off the page, until the browser's tab is closed. */
export class Dismissed {
  readonly #ids = new Set((sessionStorage.getItem(DISMISSED) ?? "").split(","));

  has(messageId: string): boolean {
    return this.#ids.has(messageId);
  }

  add(messageId: string): void {
    this.#ids.add(messageId);
    sessionStorage.setItem(DISMISSED, [...this.#ids].join(","));
  }
}

export function keep(what: Kept, value: string): void {
  localStorage.setItem(`parley.${what}`, value);
}
