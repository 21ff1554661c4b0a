/** Somebody's text as a quotation, whose end nothing in it can move. */
import { LINE_BREAK } from "./lines.js";
import { FENCE, spansOf } from "./markup.js";

/**
 * Every line with the sign of a quotation before it, so that a heading of ours outside it cannot be
 * imitated; a code block that is left open is closed, so that it takes nothing that follows with it.
 */
export function quoted(text: string): string {
  return closed(text.trim())
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join("\n");
}

function closed(text: string): string {
  if (spansOf(text).at(-1)?.kind === "unclosed") return `${text}\n${FENCE}`;
  const fences = text.split(FENCE);
  if (fences.length % 2 === 1) return text;
  // One without a partner is only backticks.
  const at = text.lastIndexOf(FENCE);
  return `${text.slice(0, at)}\\\`\\\`\\\`${text.slice(at + FENCE.length)}`;
}
