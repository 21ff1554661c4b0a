/**
 * What is posted of a model's text. The prompt labels agents as `[Editor] text` and people as
 * `[Ana (person)] text`; models imitate that, and the `Name: text` of chat logs.
 *
 * Decisions where the contract is silent:
 * - Labels are looked for at line starts outside code and quotes, in the line as it is seen
 *   (`speakerLine.ts`). A label is `[Name]`, or `Name:` with a known name; emphasis, backticks and
 *   a tag such as `(agent)` may be around the name, and `<Name>:` and `(Name):` are labels too. List
 *   items, headings and table rows that begin with a name are no labels, nor are names in quotation
 *   marks (`"Name": 1` is data) and links `[Name](…)`.
 * - `[Somebody (person)]` or `(agent)` in brackets is a label whoever it is, and so are Parley's own
 *   (`[Parley: …]`, `[GROUPCHAT round=… …]`): only prompts write so.
 * - A label of its own goes wherever it stands, and the text goes on; `@Editor:` of its own too.
 *   `@Researcher: …` and `[@Researcher] …` are not another's label: they address that member, and
 *   hand on.
 * - A colon with a digit, `/` or another colon right after it ends no label (`Ana:3`, `Ana::x`).
 */
import { withoutInvisible } from "./invisible.js";
import { LINE_BREAK } from "./lines.js";
import { type Span, spansOf } from "./markup.js";
import { displayNameKey } from "./names.js";
import { isOwnLabel, seenLine, TAG_WORDS } from "./speakerLine.js";

/** Who speaks, and whose words may not be put into this mouth. */
interface Speakers {
  readonly self: { readonly displayName: string; readonly name: string };
  /** Names and display names of the other members, and names of people. */
  readonly others: readonly string[];
}

interface Label {
  readonly who: "self" | "other";
  /** Characters of the seen line that it takes. */
  readonly length: number;
}

/** Characters that Discord refuses or that would not survive: controls, halves of a pair. */
const UNSENDABLE = /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu;
const TAG = new RegExp(String.raw`\s*\((?:${TAG_WORDS})\)$`, "iu");
const MARK = String.raw`\*{1,3}|_{1,3}|~~|\|\|`;
const MARK_OR_CODE = String.raw`${MARK}|\x60{1,2}`;
const BRACKETED = new RegExp(
  String.raw`^(?<mark>${MARK_OR_CODE})?\[(?<name>[^\][]{1,160})\](?<after>\k<mark>[:：]|[:：]\k<mark>|\k<mark>)?(?= |$|[^\s(\[\]'’])`,
  "u",
);
const WITH_COLON = new RegExp(
  String.raw`^(?<name>[^:：]{1,140})(?::(?![:/\d])|：)(?<after>${MARK})?`,
  "u",
);
/** What may be around a name: the same on both sides, or a pair. */
const AROUND: readonly RegExp[] = [
  new RegExp(`^(?<mark>${MARK_OR_CODE})(?<name>.+)\\k<mark>$`, "u"),
  /^\((?<name>[^()]+)\)$/u,
  /^<(?<name>[^<>]+)>$/u,
];
const RULE_AT_END = /(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})\s*$/u;

/**
 * The text as it may be posted: only its own words, empty when nothing of it is left; and whether
 * somebody else's words were cut off.
 */
export function readReply(
  text: string,
  { self, others }: Speakers,
): { readonly text: string; readonly isOthers: boolean } {
  const own = keysOf([self.displayName, self.name]);
  const foreign = keysOf(others);
  const sendable = text
    .split(LINE_BREAK)
    .join("\n")
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
function ownWords(line: string, own: Keys, foreign: Keys): string | null {
  let words = line;
  for (;;) {
    const { text, after } = seenLine(words);
    const label = labelOf(text, own, foreign);
    if (label === null) return words;
    if (label.who === "other") return null;
    words = words.slice(after(label.length)).trimStart();
  }
}

function labelOf(seen: string, own: Keys, foreign: Keys): Label | null {
  if (isOwnLabel(seen)) return { who: "other", length: 0 };
  return bracketed(seen, own, foreign) ?? withColon(seen, own, foreign);
}

function bracketed(seen: string, own: Keys, foreign: Keys): Label | null {
  const match = BRACKETED.exec(seen);
  const name = match?.groups?.["name"];
  if (match === null || name === undefined) return null;
  const keys = readings(name).map(keyOf);
  const isOthers = keys.some((key) => foreign.has(key)) || TAG.test(name.normalize("NFKC"));
  const who = keys.some((key) => own.has(key)) ? "self" : isOthers ? "other" : null;
  return who === null ? null : { who, length: match[0].length };
}

function withColon(seen: string, own: Keys, foreign: Keys): Label | null {
  const match = WITH_COLON.exec(seen);
  const written = match?.groups?.["name"];
  if (match === null || written === undefined) return null;
  const after = match.groups?.["after"] ?? "";
  // `**Editor:** …`, or `Editor: **…**`
  const inner = after !== "" && written.startsWith(after) ? written.slice(after.length) : null;
  for (const name of [inner, written]) {
    const keys = name === null ? [] : readings(name).map(keyOf);
    const isSelf = keys.some(
      (key) => own.has(key) || (key.startsWith("@") && own.has(key.slice(1))),
    );
    if (!isSelf && !keys.some((key) => foreign.has(key))) continue;
    const length = match[0].length - (name === inner ? 0 : after.length);
    return { who: isSelf ? "self" : "other", length };
  }
  return null;
}

/** What stands where a name is expected, and what is left without a tag and what is around it. */
function readings(written: string): readonly string[] {
  const found = new Set([written.normalize("NFKC").trim()]);
  for (const name of found) {
    const inside = AROUND.map((around) => around.exec(name)?.groups?.["name"] ?? name);
    for (const shorter of [name.replace(TAG, ""), ...inside]) found.add(shorter.trim());
  }
  return [...found];
}

type Keys = ReadonlySet<string>;

function keysOf(names: readonly string[]): Keys {
  return new Set(names.map(keyOf).filter((key) => key !== ""));
}

/** Neither what nobody sees nor spaces count: some that show nothing look like one. */
function keyOf(name: string): string {
  return displayNameKey(withoutInvisible(name)).replace(/\s/gu, "");
}

function isInside(span: Span | undefined, at: number): boolean {
  if (span === undefined || at >= span.end) return false;
  return span.kind === "quote" ? span.start <= at : span.start < at;
}

/** A separator in front of somebody else's words goes with them. */
function withoutRule(text: string): string {
  return text.replace(RULE_AT_END, "").trim();
}
