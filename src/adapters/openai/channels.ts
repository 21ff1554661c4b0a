import type { Span } from "../../domain/markup.js";
import { codeIn, isInCode } from "./code.js";

const MARK = /<\|(start|channel|constrain|message|end|return|call)\|>/gu;
const OPENING = /<\|(?:channel|message)\|>/gu;
/** What is left of it where a server dropped the marks, and kept the names of the channels. */
const WITHOUT_MARKS = /^\s*analysis(?=\S)[^]*?assistantfinal(?=\S|\s)/u;

/** It begins within a header, whose first mark the chat template has swallowed. */
const HEADED = /^\s*(?:analysis|commentary|final|assistant)\b[^<]{0,80}<\|message\|>/u;

/** A text with more messages is read up to here. */
const MOST_MESSAGES = 50;

/** One message of a text in channels. */
interface Said {
  /** As the model wrote it: the role, then the channel, and whom it is to. */
  readonly header: string;
  readonly text: string;
}

/**
 * A text of a model that writes in channels (OpenAI's harmony format, gpt-oss) without what is not
 * for people: of all messages only those in the channel `final`, and what stands outside of every
 * channel; without any of these, what it says in between to people (`commentary`, to no tool). Other
 * texts come back as they are, also when they show such marks in code.
 */
export function withoutChannels(text: string): string {
  const bare = WITHOUT_MARKS.exec(text);
  if (bare !== null) return text.slice(bare[0].length);
  if (!OPENING.test(text)) return text;
  OPENING.lastIndex = 0;
  const code = codeIn(text);
  const first = [...text.matchAll(OPENING)].find(({ index }) => !isInCode(code, index));
  const isInChannels = HEADED.test(text) || /<\|(?:channel|start)\|>/u.test(text);
  if (first === undefined || !isInChannels) return text;
  const messages = messagesIn(text);
  const final = messages.filter(({ header }) => header === "" || /\bfinal\b/u.test(header));
  const shown = final.some((message) => message.text.trim() !== "")
    ? final
    : messages.filter(({ header }) => /\bcommentary\b/u.test(header) && !/\bto=/u.test(header));
  return shown
    .map((message) => message.text.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

function messagesIn(text: string): readonly Said[] {
  const messages: Said[] = [];
  let header = "";
  let isHeader = HEADED.test(text);
  for (let at = 0; at < text.length && messages.length < MOST_MESSAGES; ) {
    const isShown = !isHeader && (header === "" || /\bfinal\b/u.test(header));
    const mark = nextMark(text, at, isShown);
    const words = text.slice(at, mark?.index ?? text.length);
    if (isHeader) header = `${header} ${words.trim()}`.trim();
    else messages.push({ header, text: words });
    if (mark === null) break;
    at = mark.index + mark.length;
    if (mark.name === "message") isHeader = false;
    else {
      // A channel after a role belongs to the same header.
      if (!isHeader) header = "";
      isHeader = ["start", "channel", "constrain"].includes(mark.name);
    }
  }
  return messages;
}

/** The next mark; in a text that is shown, the next one that is not in code. */
function nextMark(
  text: string,
  from: number,
  isShown: boolean,
): { readonly name: string; readonly index: number; readonly length: number } | null {
  let code: readonly Span[] | null = isShown ? null : [];
  MARK.lastIndex = from;
  for (let found = MARK.exec(text); found !== null; found = MARK.exec(text)) {
    const [whole, name = ""] = found;
    const hasTicks = code === null && text.slice(from, found.index).includes("`");
    if (hasTicks) code = codeIn(text, from);
    if (code === null || !isInCode(code, found.index))
      return { name, index: found.index, length: whole.length };
  }
  return null;
}
