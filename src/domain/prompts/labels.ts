/**
 * How a conversation is written down for a model: one entry per message, each begun by its
 * speaker's label at the start of a line: `[Editor] text` for an agent, `[Ana (person)] text` for
 * a person, `[Moderator: to all] text` and the like for the bot. Labels cannot be forged: the mark
 * `(person)` is ours, names get a backslash before what is ours (brackets, colons, marks; those of
 * people lose their brackets), and so does a line of a text that looks like a label. The same holds
 * for our other lines (`ownLines.ts`), and for those between which the text of a file stands, so
 * that a file cannot end before its end.
 */
import { FLOOR_VOICE } from "../floor.js";
import type { RoundId } from "../ids.js";
import { asSeen, VISIBLE } from "../invisible.js";
import { JUDGE_FILE_CHARACTERS, JUDGE_MESSAGE_CHARACTERS } from "../limits.js";
import { LINE_BREAK } from "../lines.js";
import {
  type Attachment,
  type Author,
  FILE_VOICE,
  type Message,
  PARLEY_VOICE,
} from "../message.js";
import { reasonText } from "../notices.js";
import {
  BEFORE,
  BRACKETS,
  BRACKETS_AND_COLONS,
  bareLine,
  beginsLikeSpeaker,
  lettersOf,
  type SpeakerKeys,
  speakerKeys,
} from "../speakerLine.js";
import { HEADINGS, REMARKS } from "./ownLines.js";
import { type Part, shown } from "./parts.js";

/** The bot's own words on a floor. */
export const FLOOR_LABEL = "[Moderator: to all]";

/** With a colon in the brackets, which no label of an agent has; those of people are marked. */
const VOICE_LABELS: ReadonlyMap<string, string> = new Map([
  [PARLEY_VOICE.agentId, "[Parley: note]"],
  [FILE_VOICE.agentId, "[Parley: task of parley.yaml]"],
  [FLOOR_VOICE.agentId, FLOOR_LABEL],
]);

/** The label of a speaker, brackets included. */
function label(author: Author): string {
  if (author.kind === "person") return `[${personName(author.name)} (person)]`;
  return VOICE_LABELS.get(author.agentId) ?? `[${agentName(author.name)}]`;
}

/**
 * The name of an agent as prompts write it where something of ours stands beside it. Different names
 * stay different, and none has the form of a label or a mark of ours: brackets, colons and, in a name
 * that imitates a mark or a header, parentheses and the beginning get a backslash.
 */
export function agentName(name: string): string {
  const escaped = oneLine(name).replace(OURS, "\\$&");
  const plain = escaped.normalize("NFKC").replace(/[\p{Cf}\p{Variation_Selector}]/gu, "");
  const marked = MARKED.test(plain) ? escaped.replace(PARENTHESES, "\\$&") : escaped;
  const whole = HEADER.test(plain) ? `\\${marked}` : marked;
  return whole === "" ? "unnamed" : whole;
}

/** The same for a person, whose name may hold anything. */
export function personName(name: string): string {
  return agentName(plainName(name));
}

// In every form that looks like them; NFKC makes other letters of the words below.
const OURS = new RegExp(`[\\\\${BRACKETS_AND_COLONS}]`, "gu");
const BRACKET = new RegExp(`[${BRACKETS}]`, "gu");
const PARENTHESES = /[()（）⁽⁾₍₎﹙﹚]/gu;
const MARKED = /\([^)]*\b(?:person|you|host)\b/iu;
const HEADER = /^\W*GROUPCHAT\b/iu;

const REMARK = new RegExp(`^\\P{L}*(?:${REMARKS.map(lettersInRow).join("|")})`, "u");
// The lines before and after the text of a file.
const FILE_LINE = new RegExp(`^${BEFORE}[\\p{Pd}\\u2212\\u2500\\u2501].{0,20}?file\\s*:`, "u");
const HEADER_LINE = new RegExp(`^${BEFORE}groupchat\\b`, "u");

/**
 * Puts a backslash before every line that begins like a label (a bracket, or the name of a speaker
 * and a colon, signs before it included) or like a line of ours. Every other line stays as it is.
 */
export function escapeLabels(text: string, speakers: SpeakerKeys): string {
  return text
    .split(LINE_BREAK)
    .map((line) => (isLikeOurs(line, speakers) ? line.replace(/^(\s*)/u, "$1\\") : line))
    .join("\n");
}

/** What could be imitated: the names of a conversation and our headings. Made once for all of it. */
export function imitable(names: readonly string[]): SpeakerKeys {
  return speakerKeys([...names, ...OWN_NAMES, ...HEADINGS]);
}

const OWN_NAMES: readonly string[] = ["Parley", "Moderator"];

const OUR_LINES = [HEADER_LINE, FILE_LINE, REMARK];

function isLikeOurs(line: string, speakers: SpeakerKeys): boolean {
  const bare = bareLine(line);
  return beginsLikeSpeaker(bare, speakers) || OUR_LINES.some((like) => like.test(bare));
}

/** The letters of a line of ours, whatever else stands between them. */
function lettersInRow(line: string): string {
  return (bareLine(line).match(/\p{L}/gu) ?? []).join(String.raw`\P{L}*`);
}

/**
 * A text that somebody gave for a field of ours, such as a topic: what stands after `Topic: `. Its
 * lines look neither like labels nor like lines of ours, since all but the first are quoted.
 */
export function fieldText(text: string, speakers: SpeakerKeys): string {
  return escapeLabels(text.trim(), speakers).replaceAll("\n", "\n> ");
}

/** A text in one line, whatever some renderer or tokenizer takes for the start of a new one. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** A text as JSON writes it, in one line. */
export function jsonLine(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u2028\u2029]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A message as a labelled entry with its files: texts as blocks of their own, pictures and
 * everything else by name. It never changes once the files have been looked at. `speakers`: what
 * could be imitated.
 */
export function entry(message: Said, speakers: SpeakerKeys): string {
  return shown(entryParts(message, speakers));
}

/** The same, to be shortened where there is little room. */
export function entryParts(message: Said, speakers: SpeakerKeys): readonly Part[] {
  return partsAfter(label(message.author), message, speakers);
}

/**
 * The same as a participant of a hosted round gets it: with the round and the sender. A person who
 * is called like one of `agents` is marked.
 */
export function forwardedParts(
  message: Said,
  roundId: RoundId,
  speakers: SpeakerKeys,
  agents: readonly string[] = [],
): readonly Part[] {
  const header = `[GROUPCHAT round=${roundId} from ${senderName(message.author, agents)}]`;
  return partsAfter(header, message, speakers);
}

function senderName(author: Author, agents: readonly string[]): string {
  if (author.kind === "agent") return agentName(author.name);
  const name = personName(author.name);
  const key = lettersOf(bareLine(author.name));
  const isLikeAgent = agents.some((agent) => lettersOf(bareLine(agent)) === key);
  return isLikeAgent ? `${name} (person)` : name;
}

/** Words of ours about a speaker, after its label. */
export function labelled(author: Author, words: string): string {
  return `${label(author)} ${words}`;
}

/** What an entry is made of. */
export type Said = Pick<Message, "author" | "text" | "attachments">;

function partsAfter(
  begin: string,
  { text, attachments }: Said,
  speakers: SpeakerKeys,
): readonly Part[] {
  const end = attachments
    .filter((file) => file.content?.kind !== "text")
    .map(note)
    .join(" ");
  const files = attachments.flatMap((file): readonly Part[] =>
    file.content?.kind === "text"
      ? [
          {
            kind: "file",
            file,
            title: plainFileName(file.name),
            text: escapeLabels(file.content.text, speakers).trimEnd(),
          },
        ]
      : [],
  );
  const said = saidText(text, speakers);
  const isEmpty = said === "" && end === "" && files.length === 0;
  return [{ kind: "words", begin, text: isEmpty ? "(empty message)" : said, end }, ...files];
}

/** A message as the judge sees it, cut at its limit: files by name, of texts the beginning. */
export function judgedEntry(message: Message, speakers: SpeakerKeys): string {
  const notes = cut(message.attachments.map(shortNote).join(" "), JUDGE_MESSAGE_CHARACTERS / 2);
  const room = JUDGE_MESSAGE_CHARACTERS - notes.length;
  const said = [saidText(cut(message.text, room), speakers), notes];
  const line = said.filter((part) => part !== "").join(" ");
  return `${label(message.author)} ${line === "" ? "(empty message)" : line}`;
}

/** What stands for a message without words, right after the label, where it cannot be taken for one. */
const MARK = /^\[(?:poll: |sticker: |voice message\]|forwarded message\])/u;

function saidText(text: string, speakers: SpeakerKeys): string {
  const escaped = escapeLabels(text, speakers);
  return MARK.test(text) ? escaped.slice(1) : escaped;
}

function note({ name, content }: Attachment): string {
  if (content === undefined) return `[file: ${plainFileName(name)}, not shown]`;
  if (content.kind === "named") {
    return `[file: ${plainFileName(name)}, not shown: ${reasonText({ name, reason: content.reason })}]`;
  }
  return `[${content.kind === "image" ? "image" : "file"}: ${plainFileName(name)}]`;
}

function shortNote(file: Attachment): string {
  const { name, content } = file;
  if (content?.kind === "image") return note(file);
  if (content?.kind !== "text") return `[file: ${plainFileName(name)}]`;
  const beginning = cut(content.text, JUDGE_FILE_CHARACTERS).replace(/\s+/gu, " ").trim();
  return `[file: ${plainFileName(name)}, which begins: ${beginning}]`;
}

/** Cuts a text at a number of UTF-16 units, not inside a character, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = isHighSurrogate(text, limit - 1) ? limit - 1 : limit;
  return `${text.slice(0, end)} […]`;
}

/** A name on one line as it is seen, without anything that could pass for the end of a label. */
export function plainName(name: string): string {
  const plain = asSeen(name.replace(BRACKET, ""));
  return VISIBLE.test(plain) ? plain : "unnamed";
}

/** Names of files come from people too. */
function plainFileName(name: string): string {
  return cut(plainName(name), 100);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
