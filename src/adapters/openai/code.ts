import { type Span, spansOf } from "../../domain/markup.js";

/** The stretches of a text that are code, from `from` on, as they stand in the whole text. */
export function codeIn(text: string, from = 0): readonly Span[] {
  return spansOf(text.slice(from), "inside")
    .filter(({ kind }) => kind === "block" || kind === "unclosed" || kind === "code")
    .map(({ kind, start, end }) => ({ kind, start: start + from, end: end + from }));
}

/** Whether a place is inside of one of these stretches, which are in order. */
export function isInCode(code: readonly Span[], at: number): boolean {
  let low = 0;
  let high = code.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((code[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return (code[low]?.start ?? at) < at;
}
