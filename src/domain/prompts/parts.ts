/**
 * What a message is made of in a prompt, so that it can be shortened where there is little room: its
 * words, and the texts of its files, each between lines of ours. Whatever is shortened says so.
 */
import type { Attachment } from "../message.js";
import { estimateTokens } from "../usage.js";

export type Part = string | WordsPart | FilePart;

/** What somebody said, with what stands before and after it in its line. */
interface WordsPart {
  readonly kind: "words";
  readonly begin: string;
  readonly text: string;
  readonly end: string;
}

/** The text of a file. */
interface FilePart {
  readonly kind: "file";
  readonly file: Attachment;
  /** Its name as prompts write it. */
  readonly title: string;
  readonly text: string;
}

/** With less room a file is only named. */
const MIN_FILE_TOKENS = 50;

/** How much each text may have, in tokens. */
export interface Room {
  readonly words: number;
  readonly files: number;
}

const WHOLE: Room = { words: Infinity, files: Infinity };

export function shown(parts: readonly Part[], room: Room = WHOLE): string {
  return parts.map((part) => partText(part, room)).join("\n");
}

function partText(part: Part, room: Room): string {
  if (typeof part === "string") return part;
  if (part.kind === "words") {
    const text = cutAtTokens(part.text, room.words);
    return [part.begin, text, part.end].filter((piece) => piece !== "").join(" ");
  }
  const { title, text } = part;
  const end = `--- end of file: ${title} ---`;
  switch (howMuch(part, room)) {
    case "all":
      return `--- file: ${title} ---\n${text}\n${end}`;
    case "beginning":
      return `--- file: ${title}, only its beginning, for want of room ---\n${cutAtTokens(text, room.files)}\n${end}`;
    case "nothing":
      return `--- file: ${title}, not shown, for want of room ---\n${end}`;
  }
}

/** How much of a file is shown. */
export function howMuch({ text }: FilePart, { files }: Room): "all" | "beginning" | "nothing" {
  if (estimateTokens(text) <= files) return "all";
  return files < MIN_FILE_TOKENS ? "nothing" : "beginning";
}

/**
 * What each of some texts may have at most, so that together they have no more than there is: whoever
 * needs little has it whole.
 */
export function levelOf(sizes: readonly number[], room: number): number {
  let left = room;
  let others = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size * others > left) return Math.max(0, Math.floor(left / others));
    left -= size;
    others -= 1;
  }
  return Infinity;
}

/** The beginning of a text that takes so many tokens, with a sign where it is cut. */
export function cutAtTokens(text: string, tokens: number): string {
  if (tokens === Infinity || estimateTokens(text) <= tokens) return text;
  let end = 0;
  let used = 0;
  for (const character of text) {
    used += character <= "\u007f" ? 0.25 : 1;
    if (used > tokens) break;
    end += character.length;
  }
  return `${text.slice(0, end).trimEnd()} […]`;
}
