/**
 * How a reply becomes Discord messages.
 *
 * A part ends at a paragraph, else at a line, else at a word, else anywhere. A paragraph or line end
 * that would leave a part nearly empty is passed over when what follows would not fit one message
 * anyway. Code blocks are closed at the end of a part and reopened with the same language in the
 * next; quotes go on. Links, tokens and code spans stay whole, unless they would take more than
 * half a message. Whitespace between two parts belongs to the share of the first and is not
 * sent: Discord trims it. Lengths are counted in UTF-16 units. Discord's API counts code points
 * (discord/discord-api-docs issue 1315), its clients UTF-16 units, which are never fewer.
 */
import { MESSAGE_CHARACTERS, REPLY_AS_FILE_CHARACTERS } from "./limits.js";
import { FENCE, type Span, spansOf } from "./markup.js";
import type { ReplyPart } from "./round/round.js";
import { isShown, UNSEEN } from "./shown.js";

/** What a part leaves open for the next one. */
interface Carry {
  /** A code block: its language line, and the quote sign of the lines that it is in. */
  readonly block: { readonly language: string; readonly quote: string } | null;
  /** The quote sign of a line that was cut in the middle. */
  readonly quote: string;
  /** A quote up to the end of the text. */
  readonly isQuoteToEnd: boolean;
}

interface Taken {
  readonly content: string;
  /** Where the share ends in the reply. */
  readonly end: number;
  readonly carry: Carry;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const NOTHING_OPEN: Carry = { block: null, quote: "", isQuoteToEnd: false };
/** Small print of the bot's own: under a reply that its model's limit ended, and one that is attached. */
const CUT_NOTE = "\n-# The reply stops here: the model reached its length limit.";
const ATTACHED_NOTE = "\n-# The whole reply is in the attached file.";
const UNSEEN_START = new RegExp(`^${UNSEEN}*`, "u");
/** More unseen characters than this at the start of a part are left out of it. */
const UNSEEN_KEPT = 200;
const LANGUAGE_LINE = /^[a-z0-9_+\-.#]{1,32}(?=\n)/iu;
const TOKEN = /<[@#:/at][^<>\n]{1,120}>/gu;
const QUOTE_SIGN = /^ *> /u;
const QUOTE_TO_END = /(?:^|\n) *>>> /u;
/** Enough to see where the character at the limit ends. */
const GRAPHEME_UNITS = 100;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The Discord messages of a reply, in order. A reply of which nothing is shown has none. Past
 * 10,000 characters there is one part: the beginning, with the whole as a file. The same holds for
 * the last one when there may be no more than `maxParts`, at least 1, and the rest is longer. Where
 * the model's limit ended it (`isCut`), the last message says so; no share does.
 */
export function splitReply(text: string, maxParts = Infinity, isCut = false): readonly ReplyPart[] {
  if (!isShown(text)) return [];
  const most = text.length > REPLY_AS_FILE_CHARACTERS ? 1 : maxParts;
  const parts: ReplyPart[] = [];
  const note = isCut ? CUT_NOTE : "";
  let carry = NOTHING_OPEN;
  for (let at = 0; at < text.length; ) {
    let taken = take(text, at, carry, MESSAGE_CHARACTERS);
    if (taken.end >= text.length && taken.content.length + note.length > MESSAGE_CHARACTERS) {
      taken = take(text, at, carry, MESSAGE_CHARACTERS - note.length);
    }
    const isLast = taken.end >= text.length;
    if (parts.length === most - 1 && !isLast) {
      const small = ATTACHED_NOTE + note;
      const { content } = take(text, at, carry, MESSAGE_CHARACTERS - small.length);
      return [...parts, { content: content + small, share: text.slice(at), file: text }];
    }
    const content = taken.content + (isLast ? note : "");
    parts.push({ content, share: text.slice(at, taken.end), file: null });
    at = taken.end;
    carry = taken.carry;
  }
  return parts;
}

/** One part of at most `limit` characters from here on; what is left after it can be seen. */
function take(text: string, at: number, carry: Carry, limit: number): Taken {
  const head = headOf(carry);
  const rest = text.slice(at + skippedAtStart(text.slice(at), carry));
  const whole = head + rest;
  const spans = spansOf(whole, "inside");
  const trimmed = whole.trimEnd();
  const last = spans.at(-1);
  const ending = last?.kind === "unclosed" ? closing(whole, last) : "";
  if (trimmed.length + ending.length <= limit) {
    return { content: trimmed + ending, end: text.length, carry: NOTHING_OPEN };
  }

  const first = head.length + lengthOfUnseen(rest) + 1;
  let cut = cutAt(whole, spans, first, limit, limit);
  let open = blockAt(spans, cut);
  if (open !== undefined) {
    cut = cutAt(whole, spans, first, limit - closing(whole, open).length, limit);
    open = blockAt(spans, cut);
  }
  const offset = text.length - whole.length;
  const next = open === undefined ? cut : afterCutInBlock(whole, cut, open);
  const isOver = open === undefined || next >= open.end;
  const shareEnd = next + (isOver ? lengthOfSpace(whole.slice(next)) : 0);
  const isLast = isUnseen(whole.slice(shareEnd));
  return {
    content: whole.slice(0, cut).trimEnd() + (open === undefined ? "" : closing(whole, open)),
    end: isLast ? text.length : offset + shareEnd,
    carry: carryAt(whole, cut, isOver ? undefined : open),
  };
}

function headOf(carry: Carry): string {
  const toEnd = carry.isQuoteToEnd ? ">>> " : "";
  const block = carry.block === null ? "" : `${carry.block.quote}${FENCE}${carry.block.language}\n`;
  return toEnd + block + carry.quote;
}

function carryAt(whole: string, cut: number, open: Span | undefined): Carry {
  const isQuoteToEnd = QUOTE_TO_END.test(whole.slice(0, cut));
  const isLineEnd = /^\s*(?:\n|$)/u.test(whole.slice(cut)) || whole[cut - 1] === "\n";
  return {
    block:
      open === undefined
        ? null
        : {
            language: languageOf(whole, open),
            quote: isQuoteToEnd ? "" : quoteOf(whole, open.start),
          },
    quote: isLineEnd || isQuoteToEnd ? "" : quoteOf(whole, cut),
    isQuoteToEnd,
  };
}

/** Blank lines go, and outside code all whitespace; inside it, indentation stays. */
function skippedAtStart(rest: string, carry: Carry): number {
  const unseen = lengthOfUnseen(rest);
  if (unseen > UNSEEN_KEPT) return unseen;
  if (carry.block === null) return lengthOfSpace(rest);
  return /^(?:[^\S\n]*\n)*/u.exec(rest)?.[0].length ?? 0;
}

/** Inside a block, the line end at the cut is not sent, nor the rest of a block that is blank. */
function afterCutInBlock(whole: string, cut: number, block: Span): number {
  const rest = whole.slice(cut, block.end);
  if (block.kind === "block" && /^[\s>]*```$/u.test(rest)) return block.end;
  return cut + (/^[^\S\n]*\n/u.exec(rest)?.[0].length ?? 0);
}

function closing(whole: string, block: Span): string {
  const isQuoteToEnd = QUOTE_TO_END.test(whole.slice(0, block.start));
  return `\n${isQuoteToEnd ? "" : quoteOf(whole, block.start)}${FENCE}`;
}

function languageOf(whole: string, block: Span): string {
  return LANGUAGE_LINE.exec(whole.slice(block.start + FENCE.length, block.end))?.[0] ?? "";
}

/** The quote sign of the line that this place is in. */
function quoteOf(whole: string, at: number): string {
  const line = whole.slice(whole.lastIndexOf("\n", at - 1) + 1, at);
  return QUOTE_SIGN.test(line) ? "> " : "";
}

function blockAt(spans: readonly Span[], cut: number): Span | undefined {
  return spans.find(
    ({ kind, start, end }) =>
      (kind === "block" && start < cut && cut < end) || (kind === "unclosed" && start < cut),
  );
}

/** The best place to end a part, from `first` to `max`. */
function cutAt(
  whole: string,
  spans: readonly Span[],
  first: number,
  max: number,
  limit: number,
): number {
  const kept = keptTogether(whole, spans, limit);
  const isFree = (at: number): boolean =>
    at >= first && !kept.some(({ start, end }) => start < at && at < end);
  const isOutsideBlocks = (at: number): boolean => blockAt(spans, at) === undefined;

  const levels: readonly { pattern: RegExp; allowed: (at: number) => boolean }[] = [
    { pattern: /\n[^\S\n]*\n/gu, allowed: (at) => isFree(at) && isOutsideBlocks(at) },
    { pattern: /\n/gu, allowed: isFree },
    { pattern: /\s/gu, allowed: isFree },
  ];
  for (const { pattern, allowed } of levels) {
    const places = [...whole.matchAll(pattern)].map(({ index }) => index);
    const place = places.findLast((at) => at <= max && allowed(at));
    if (place === undefined) continue;
    const next = places.find((at) => at > max && allowed(at)) ?? whole.length;
    if (place >= max / 2 || next - place <= limit) return place;
  }
  const anywhere = graphemeStarts(whole, max).findLast((at) => at >= max / 2 && isFree(at));
  return anywhere ?? (isLowSurrogate(whole, max) ? max - 1 : max);
}

/** Stretches that are not cut inside: the ends of code blocks, short code, links and tokens. */
function keptTogether(whole: string, spans: readonly Span[], limit: number): readonly Range[] {
  const kept: Range[] = [];
  for (const span of spans) {
    if (span.kind === "block" || span.kind === "unclosed") {
      const body = span.start + FENCE.length + languageOf(whole, span).length;
      kept.push({ start: span.start, end: body + lengthOfUnseen(whole.slice(body)) + 1 });
      if (span.kind === "block") kept.push({ start: span.end - FENCE.length, end: span.end });
    } else if (span.end - span.start <= limit / 2) {
      kept.push(span);
    }
  }
  for (const { index, 0: token } of whole.matchAll(TOKEN)) {
    kept.push({ start: index, end: index + token.length });
  }
  return kept;
}

/** Where characters that a reader sees begin, up to `max`. */
function graphemeStarts(whole: string, max: number): readonly number[] {
  const near = whole.slice(0, max + GRAPHEME_UNITS);
  const starts = [...graphemes.segment(near)].map(({ index }) => index);
  return starts.filter((at) => at <= max);
}

function isLowSurrogate(text: string, at: number): boolean {
  return (
    /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) && /[\ud800-\udbff]$/.test(text.slice(0, at))
  );
}

function isUnseen(text: string): boolean {
  return lengthOfUnseen(text) === text.length;
}

function lengthOfUnseen(text: string): number {
  return UNSEEN_START.exec(text)?.[0].length ?? 0;
}

function lengthOfSpace(text: string): number {
  return text.length - text.trimStart().length;
}
