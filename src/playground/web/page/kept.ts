/** What the browser keeps from one visit to the next. */
export type Kept = "user" | "channel" | "theme";

export function kept(what: Kept): string | null {
  return localStorage.getItem(`parley.${what}`);
}

export function keep(what: Kept, value: string): void {
  localStorage.setItem(`parley.${what}`, value);
}
