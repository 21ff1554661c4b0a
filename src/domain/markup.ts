/**
 * Where a text holds something that Discord does not show as running text. Discord's markup is
 * close to Markdown, but not the same; what matters here:
 * - A code block opens at three backticks anywhere and closes at the next three, also in the middle
 *   of a line; tildes and longer fences do not exist. One that is never closed counts as code up to
 *   the end when it opens a line, since that is what its writer meant (and a posted reply has it
 *   closed); elsewhere three backticks without a partner are only backticks.
 * - A code span is closed by a run of as many backticks, in the same paragraph. A span does not
 *   reach over a code block that opens a line.
 * - A quote is `> ` up to the end of the line, or `>>> ` up to the end of the text. Without the
 *   space it is none.
 * - A link is an address with a scheme, an address like `site.org/page`, or `[text](address)`.
 * - A backslash before a sign makes it an ordinary character.
 */

type SpanKind =
  | "block"
  | "unclosed" // a code block that nothing closes
  | "code"
  | "quote"
  | "link"
  | "escape";

/** A stretch of a text, from `start` up to but not including `end`. */
export interface Span {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
}

export const FENCE = "```";

const QUOTE_TO_END = / *>>> /y;
const QUOTED_LINE = / *> [^\n]*/y;
const ESCAPE = /\\[!-/:-@[-`{-~]/y;
const BACKTICKS = /`+/y;
const MASKED_LINK =
  /\[(?:\\[^\n]|[^\]\\\n]){0,500}\]\( ?<?[a-z][a-z0-9+.-]{1,19}:[^\s()]*(?:\([^\s()]*\)[^\s()]*)*(?: [^\n)]{0,200})?\)/iy;
const ADDRESS = /[a-z][a-z0-9+.-]{1,19}:\/\/[^\s<>]+/iy;
const BARE_ADDRESS = /(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}\/[^\s<>]*/iy;
/** Of Latin letters only: addresses follow right after a word in scripts without spaces. */
const WORD = /[a-z0-9_]+/iy;
/** What may stand before a fence that opens a line: indentation, quote signs, a list marker. */
const LINE_OPENING = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/u;
const PARAGRAPH_END = /\n[ \t]*\n/u;
/** Twice a Discord message: nothing longer can be shown as one span. */
const LONGEST_CODE_SPAN = 4_000;

/**
 * The stretches of a text that are not running text, in order, never overlapping. With quotes
 * `inside`, a quote is no stretch of its own and what is in it is found.
 */
export function spansOf(text: string, quotes: "whole" | "inside" = "whole"): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const span = (quotes === "whole" ? quoteAt(text, at) : null) ?? spanAt(text, at);
    if (span !== null) {
      spans.push(span);
      at = span.end;
    } else {
      at += plainLength(text, at);
    }
  }
  return spans;
}

/** Whether three backticks at this place are the first thing of their line. */
function opensLine(text: string, at: number): boolean {
  return LINE_OPENING.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at));
}

function quoteAt(text: string, at: number): Span | null {
  if (at > 0 && text[at - 1] !== "\n") return null;
  if (lengthOf(QUOTE_TO_END, text, at) > 0) return spanOf("quote", at, text.length - at);
  return spanOf("quote", at, lengthOf(QUOTED_LINE, text, at));
}

function spanAt(text: string, at: number): Span | null {
  const character = text[at];
  if (character === "\\") return spanOf("escape", at, lengthOf(ESCAPE, text, at));
  if (character === "`") return codeAt(text, at);
  if (character === "[") return spanOf("link", at, lengthOf(MASKED_LINK, text, at));
  if (character !== undefined && /[a-z0-9]/iu.test(character)) {
    const address = lengthOf(ADDRESS, text, at) || lengthOf(BARE_ADDRESS, text, at);
    return spanOf("link", at, address);
  }
  return null;
}

function codeAt(text: string, at: number): Span | null {
  if (text.startsWith(FENCE, at)) {
    const close = text.indexOf(FENCE, at + FENCE.length);
    if (close >= 0) return spanOf("block", at, close + FENCE.length - at);
    return opensLine(text, at) ? spanOf("unclosed", at, text.length - at) : null;
  }
  const run = lengthOf(BACKTICKS, text, at);
  const limit = spanLimit(text, at);
  for (let next = text.indexOf("`", at + run); next >= 0 && next < limit; ) {
    const length = lengthOf(BACKTICKS, text, next);
    if (length === run) return { kind: "code", start: at, end: next + length };
    if (length >= FENCE.length && opensLine(text, next)) return null;
    next = text.indexOf("`", next + length);
  }
  return null;
}

/** Where a code span that starts here has to be closed. */
function spanLimit(text: string, at: number): number {
  const near = text.slice(at, at + LONGEST_CODE_SPAN);
  const paragraph = near.search(PARAGRAPH_END);
  return at + (paragraph < 0 ? near.length : paragraph);
}

/** A run of backticks or a word is passed as one: nothing starts in the middle of it. */
function plainLength(text: string, at: number): number {
  return lengthOf(BACKTICKS, text, at) || lengthOf(WORD, text, at) || 1;
}

function spanOf(kind: SpanKind, start: number, length: number): Span | null {
  return length === 0 ? null : { kind, start, end: start + length };
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
