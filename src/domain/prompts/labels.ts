/**
 * How a conversation is written down for a model: one entry per message, each begun by its
 * speaker's label at the start of a line: `[Editor] text` for an agent, `[Ana (person)] text` for
 * a person. Labels cannot be forged: the mark `(person)` is ours, names lose their brackets, and a
 * line of a text that looks like a label gets a backslash before it.
 */
import type { Author, Message } from "../message.js";

/** The label of a speaker, brackets included. */
export function label(author: Author): string {
  const name = plainName(author.name);
  return author.kind === "person" ? `[${name} (person)]` : `[${name}]`;
}

/** One message as a labelled entry. `speakers`: every name that could be imitated. */
export function labelled(author: Author, text: string, speakers: readonly string[]): string {
  return `${label(author)} ${escapeLabels(text, speakers)}`;
}

/**
 * Puts a backslash before every line that begins like a label (`[`, or the name of a speaker and a
 * colon, Markdown marks before the name included). Every other line stays as it is.
 */
export function escapeLabels(text: string, speakers: readonly string[]): string {
  const keys = speakers.map(nameKey).filter((key) => key !== "");
  return text
    .split(LINE_BREAK)
    .map((line) => (looksLikeLabel(line, keys) ? line.replace(/^(\s*)/u, "$1\\") : line))
    .join("\n");
}

/** What a message says, its files named. */
export function spokenText(message: Message): string {
  const files = message.attachments.map((file) => `[file: ${file.name}]`).join(" ");
  return [message.text, files].filter((part) => part !== "").join(" ");
}

/** Cuts a text at a number of UTF-16 units, not inside a character, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = isHighSurrogate(text, limit - 1) ? limit - 1 : limit;
  return `${text.slice(0, end)} […]`;
}

// Everything that some renderer or tokenizer takes for the start of a new line.
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
// Spaces, invisible characters and Markdown marks that may stand before or after a name.
const DECORATION = /[\s\p{Cf}*_~`>#|"'-]+/gu;

function looksLikeLabel(line: string, keys: readonly string[]): boolean {
  const start = line.normalize("NFKC").replace(/^[\s\p{Cf}*_~`>#|"'-]+/u, "");
  if (start.startsWith("[")) return true;
  const colon = start.indexOf(":");
  if (colon <= 0 || colon > 120) return false;
  const before = nameKey(start.slice(0, colon));
  return keys.some((key) => before === key || before === `${key}(person)`);
}

function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(DECORATION, "");
}

function plainName(name: string): string {
  const plain = name
    .replace(/[[\]]/gu, "")
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return plain === "" ? "unnamed" : plain;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
