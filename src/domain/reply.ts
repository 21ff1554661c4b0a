/**
 * What is posted of a model's text. The prompt labels agents as `[Editor] text` and people as
 * `[Ana (person)] text`; models imitate that, and the `Name: text` of chat logs.
 *
 * Decisions where the contract is silent:
 * - Labels are looked for at line starts outside code and quotes. A label is `[Name]`, or `Name:`
 *   with a known name; bold, italics and a tag such as `(agent)` may be around it. List items,
 *   headings and table rows that begin with a name are no labels, nor are links `[Name](…)`.
 * - `[Somebody (person)]` or `(agent)` in brackets is a label whoever it is: only prompts write so.
 * - A label of its own goes wherever it stands, and the text goes on; `@Editor:` of its own too.
 *   `@Researcher: …` is not another's label: it addresses that member, and hands on.
 * - A colon with a digit, `/` or another colon right after it ends no label (`Ana:3`, `Ana::x`).
 */
import { type Span, spansOf } from "./markup.js";
import { displayNameKey } from "./names.js";

/** Who speaks, and whose words may not be put into this mouth. */
export interface Speakers {
  readonly self: { readonly displayName: string; readonly name: string };
  /** Names and display names of the other members, and names of people. */
  readonly others: readonly string[];
}

interface Label {
  readonly who: "self" | "other";
  /** Characters of the line that it takes, the spaces after it included. */
  readonly length: number;
}

/** Characters that Discord refuses or that would not survive: controls, halves of a pair. */
const UNSENDABLE = /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu;
const TAG = /\s*\((?:agent|person|user|human|bot|host|moderator|participant|member|you|muted)\)$/iu;
const MARK = String.raw`\*{1,3}|_{1,3}`;
const BRACKETED = new RegExp(
  String.raw`^ {0,3}(?<mark>${MARK})?\[(?<name>[^\][\n]{1,120})\](?<after>\k<mark>[:：]|[:：]\k<mark>|\k<mark>)?(?=\s|$|[^\s(\[\]'’])`,
  "u",
);
const WITH_COLON = new RegExp(
  String.raw`^ {0,3}(?<name>[^:：\n]{1,140})(?::(?![:/\d])|：)(?<after>${MARK})?`,
  "u",
);
const UNSEEN_AT_START = /^\p{Cf}+/u;
const RULE_AT_END = /(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})\s*$/u;

/** The text as it may be posted: only its own words. Empty when nothing of it is left. */
export function cleanReply(text: string, speakers: Speakers): string {
  return readReply(text, speakers).text;
}

/** The same, and whether somebody else's words were cut off. */
export function readReply(
  text: string,
  { self, others }: Speakers,
): { readonly text: string; readonly isOthers: boolean } {
  const own = keysOf([self.displayName, self.name]);
  const foreign = keysOf(others);
  const sendable = text
    .replace(/\r\n?|\u2028|\u2029|\u0085/gu, "\n")
    .replace(UNSENDABLE, "")
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim();
  const code = spansOf(sendable).filter(({ kind }) => kind !== "link" && kind !== "escape");

  const kept: string[] = [];
  let at = 0;
  let next = 0;
  for (const line of sendable.split("\n")) {
    while ((code[next]?.end ?? Infinity) <= at) next++;
    const words = isInside(code[next], at) ? line : ownWords(line, own, foreign);
    if (words === null) return { text: withoutRule(kept.join("\n").trim()), isOthers: true };
    kept.push(words);
    at += line.length + 1;
  }
  return { text: kept.join("\n").trim(), isOthers: false };
}

/** A line without labels of its own, or null when it is somebody else's. */
function ownWords(
  line: string,
  own: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): string | null {
  let words = line;
  for (;;) {
    // What nobody sees must not hide a label.
    const seen = words.replace(UNSEEN_AT_START, "");
    const label = labelOf(seen, own, foreign);
    if (label === null) return words;
    if (label.who === "other") return null;
    words = seen.slice(label.length);
  }
}

function labelOf(
  line: string,
  own: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): Label | null {
  return bracketed(line, own, foreign) ?? withColon(line, own, foreign);
}

function bracketed(
  line: string,
  own: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): Label | null {
  const match = BRACKETED.exec(line);
  const name = match?.groups?.["name"];
  if (match === null || name === undefined) return null;
  const key = displayNameKey(name.replace(TAG, ""));
  const who = own.has(key) ? "self" : foreign.has(key) || TAG.test(name) ? "other" : null;
  return who === null ? null : { who, length: withSpaces(line, match[0].length) };
}

function withColon(
  line: string,
  own: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): Label | null {
  const match = WITH_COLON.exec(line);
  const written = match?.groups?.["name"];
  if (match === null || written === undefined) return null;
  const after = match.groups?.["after"] ?? "";
  for (const { name, isClosedAfter } of readings(written, after)) {
    const key = displayNameKey(name.replace(TAG, ""));
    const isSelf = own.has(key) || (key.startsWith("@") && own.has(key.slice(1)));
    if (!isSelf && !foreign.has(key)) continue;
    const length = match[0].length - (isClosedAfter ? 0 : after.length);
    return { who: isSelf ? "self" : "other", length: withSpaces(line, length) };
  }
  return null;
}

/** What stands before the colon, as it is, and without the emphasis around it. */
function readings(
  written: string,
  after: string,
): readonly { readonly name: string; readonly isClosedAfter: boolean }[] {
  const plain = { name: written, isClosedAfter: false };
  const mark = new RegExp(`^(?:${MARK})`, "u").exec(written)?.[0];
  if (mark === undefined) return [plain];
  const inner = written.slice(mark.length);
  if (after === mark) return [{ name: inner, isClosedAfter: true }, plain];
  // `**Editor**:` and `**Editor** (agent):`
  const [name, rest] = [
    inner.slice(0, inner.lastIndexOf(mark)),
    inner.slice(inner.lastIndexOf(mark)),
  ];
  return rest.startsWith(mark) && inner.includes(mark)
    ? [{ name: name + rest.slice(mark.length), isClosedAfter: false }, plain]
    : [plain];
}

function keysOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(displayNameKey).filter((key) => key !== ""));
}

function withSpaces(line: string, length: number): number {
  return length + (/^[^\S\n]*/u.exec(line.slice(length))?.[0].length ?? 0);
}

function isInside(span: Span | undefined, at: number): boolean {
  if (span === undefined || at >= span.end) return false;
  return span.kind === "quote" ? span.start <= at : span.start < at;
}

/** A separator in front of somebody else's words goes with them. */
function withoutRule(text: string): string {
  return text.replace(RULE_AT_END, "").trim();
}
