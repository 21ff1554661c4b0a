/**
 * A reply without what its model thought beside it: servers that do not know a model's way of
 * thinking send its thoughts as part of the text.
 *
 * Decisions:
 * - Thoughts stand between marks (`<think>…</think>` and its relatives), anywhere. Marks in code are
 *   shown to somebody, and stay.
 * - In the middle of a sentence a mark is spoken of, not used, when nothing closes it, when not more
 *   than a word stands before what closes it (`<think> and </think>`), or when a space or a sign
 *   follows it (`the <think> tag`).
 * - A mark that nothing closes hides the rest; not in the middle of a line when a space or a sign
 *   follows it. One whose beginning the chat template has swallowed
 *   hides what stands before its end.
 */
import { withoutChannels } from "./channels.js";
import { codeIn, isInCode } from "./code.js";

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Mark extends Range {
  /** Which pair it is of. */
  readonly pair: number;
  readonly isEnd: boolean;
}

const TAGS = [
  "think",
  "thinking",
  "thought",
  "thoughts",
  "reasoning",
  "reflection",
  "scratchpad",
  "seed:think",
  "mm:think",
  "longcat_think",
  "antthinking",
];
/** Most models write tags; then Magistral, Kimi, Command, OpenThinker and Gemma. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ...TAGS.map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|start_thinking|>", "<|end_thinking|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|channel>thought", "<channel|>"],
];
const MARKS = new Map<string, Pick<Mark, "pair" | "isEnd">>(
  PAIRS.flatMap(([open, close], pair) => [
    [open, { pair, isEnd: false }],
    [close, { pair, isEnd: true }],
  ]),
);
/** Not right after a backtick: that one is spoken of, also among thoughts. */
const ANY_MARK = new RegExp(
  `(?=[<[◁])(?<!\`)(?:${[...MARKS.keys()].map((mark) => mark.replace(/[[\]|/]/g, String.raw`\$&`)).join("|")})`,
  "giu",
);
/** What may stand between the end of a sentence and a mark. */
const SIGN = /[^\S\n]|[*_~>]/u;
const SENTENCE_ENDS = "\n.!?…。！？";
/** As after a word of a sentence: a space, or a sign. */
const LOOSE = /^(?:[^\S\n]|[\p{P}\p{S}])/u;
const ONE_WORD = /^\S{0,12}$/u;
const SPACE = /\s*/uy;
/** What the same models put around the rest of the answer. */
const ANSWER_START = /^(?:<answer>|<\|start_response\|>|<\|begin_of_solution\|>)\s*/iu;
const ANSWER_END = /\s*(?:<\/answer>|<\|end_response\|>|<\|end_of_solution\|>)$/iu;
/** A text with more blocks of thoughts is no answer. */
const MOST_BLOCKS = 50;

export function withoutThoughts(text: string): string {
  const said = withoutChannels(text).trim();
  const marks = marksIn(said);
  if (marks.length === 0) return said;
  const blocks = blocksIn(said, marks);
  if (blocks.length > MOST_BLOCKS) return "";
  let kept = "";
  let at = 0;
  for (const { start, end } of blocks) {
    kept = (kept + said.slice(at, start)).trimEnd();
    const after = end + spaceAt(said, end).length;
    kept += kept === "" ? "" : spaceInstead(said.slice(0, start), said.slice(end, after));
    at = after;
  }
  kept += said.slice(at);
  const end = orphanEnd(kept);
  if (blocks.length === 0 && end === 0) return said;
  return kept.slice(end).trim().replace(ANSWER_START, "").replace(ANSWER_END, "");
}

/** The blocks of thoughts that are not in code, in order; not many more than are allowed. */
function blocksIn(text: string, marks: readonly Mark[]): readonly Range[] {
  const lastEnds = new Map(marks.filter(({ isEnd }) => isEnd).map(({ pair, end }) => [pair, end]));
  const blocks: Range[] = [];
  let code = codeIn(text);
  let from = 0;
  for (const [index, open] of marks.entries()) {
    if (blocks.length > MOST_BLOCKS) break;
    if (open.isEnd || open.start < from || isInCode(code, open.start)) continue;
    const isClosed = (lastEnds.get(open.pair) ?? 0) > open.end;
    const close = isClosed ? closingOf(marks, index) : null;
    const before = signBefore(text, open.start);
    const isUsed = before === "" || SENTENCE_ENDS.includes(before);
    const between = text.slice(open.end, close?.start);
    const isLoose = LOOSE.test(between);
    if (close === null && (!isUsed || (isLoose && before !== "" && before !== "\n"))) continue;
    if (!isUsed && (isLoose || ONE_WORD.test(between.trim()))) continue;
    from = close?.end ?? text.length;
    blocks.push({ start: open.start, end: from });
    // A backtick among thoughts opens no code after them.
    if (between.includes("`")) code = codeIn(text, from);
  }
  return blocks;
}

/** What closes a mark: past others like it that are opened and closed between, else the first. */
function closingOf(marks: readonly Mark[], opening: number): Mark | null {
  let depth = 0;
  let first: Mark | null = null;
  for (let index = opening; index < marks.length; index += 1) {
    const mark = marks[index];
    if (mark === undefined || mark.pair !== marks[opening]?.pair) continue;
    depth += mark.isEnd ? -1 : 1;
    if (!mark.isEnd) continue;
    if (depth === 0) return mark;
    first ??= mark;
  }
  return first;
}

/** Where thoughts end that nothing opens, or 0. */
function orphanEnd(text: string): number {
  const marks = marksIn(text);
  const code = marks.length === 0 ? [] : codeIn(text);
  const opened = new Set<number>();
  for (const { pair, isEnd, start, end } of marks) {
    if (!isEnd) opened.add(pair);
    else if (!opened.has(pair) && !isInCode(code, start)) {
      const before = signBefore(text, start);
      if (before === "" || SENTENCE_ENDS.includes(before)) return end;
    }
  }
  return 0;
}

function marksIn(text: string): readonly Mark[] {
  return [...text.matchAll(ANY_MARK)].flatMap(({ 0: whole, index }) => {
    const mark = MARKS.get(whole) ?? MARKS.get(whole.toLowerCase());
    return mark === undefined ? [] : [{ ...mark, start: index, end: index + whole.length }];
  });
}

/** What stands before, past spaces and marks of emphasis; empty: nothing. */
function signBefore(text: string, at: number): string {
  let before = at;
  while (before > 0 && SIGN.test(text[before - 1] ?? "")) before -= 1;
  return text[before - 1] ?? "";
}

/** What parts the words before a block from those after it: a paragraph, a line, a space, or nothing. */
function spaceInstead(before: string, right: string): string {
  const left = before.slice(before.trimEnd().length);
  const lines = Math.max(...[left, right].map((space) => space.split("\n").length - 1));
  if (lines === 0) return left + right === "" ? "" : " ";
  const indent = /\n([^\S\n]*)$/u.exec(right)?.[1] ?? "";
  return "\n".repeat(Math.min(lines, 2)) + indent;
}

function spaceAt(text: string, at: number): string {
  SPACE.lastIndex = at;
  return SPACE.exec(text)?.[0] ?? "";
}
