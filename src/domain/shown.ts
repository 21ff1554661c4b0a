/**
 * Whether Discord shows anything of a text. Marks of emphasis, struck text and spoilers with nothing
 * between them (`** **`, `_ _`, `||||`) make a message without a word, and so do an empty quote and
 * an empty code block.
 *
 * Decisions: a sign in code counts (`` `**` `` shows two stars), so does one after a backslash, and a
 * single sign that is the whole text, since it may well be an answer. More of them without a word
 * count as nothing, also where Discord would show them as they are.
 */
import { spansOf } from "./markup.js";

/** What nobody sees: whitespace, controls, formats, selectors and blank letters. */
export const UNSEEN = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]`;
const ALL_UNSEEN = new RegExp(`${UNSEEN}+`, "gu");
/** What may stand at the start of a line and shows nothing by itself. */
const LINE_SIGNS = /^(?:[^\S\n]*(?:>>>|>|#{1,3}|-#) )+/gmu;
const MARKS = /[*_`]+|~~+|\|\|+/gu;
/** A code block's fence and language, or a code span's backticks. */
const AROUND_CODE = /^(?:```(?:[a-z0-9_+\-.#]{1,32}(?=\n))?|`+)|`+$/giu;

/** False for a text that comes out as an empty message. */
export function isShown(text: string): boolean {
  if (seenOf(text).length === 1) return true;
  let words = "";
  let at = 0;
  for (const { kind, start, end } of spansOf(text, "inside")) {
    words += text.slice(at, start);
    const span = text.slice(start, end);
    const isCode = kind === "block" || kind === "unclosed" || kind === "code";
    if (seenOf(isCode ? span.replace(AROUND_CODE, "") : span) !== "") return true;
    at = end;
  }
  words += text.slice(at);
  return seenOf(words.replace(LINE_SIGNS, "").replace(MARKS, "")) !== "";
}

function seenOf(text: string): string {
  return text.replace(ALL_UNSEEN, "");
}
