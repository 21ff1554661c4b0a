/**
 * A prompt as a row of exchanges: what was said between two turns of a seat, and the turn that
 * followed. An exchange that is too long for the room of a seat is shortened by itself, and so always
 * in the same way; old exchanges are dropped in large steps. So the beginning of the prompt stays the
 * same from turn to turn.
 */
import type { Attachment, Message } from "../message.js";
import { estimateTokens } from "../usage.js";
import { leftOutLine, NOTHING_NEW } from "./ownLines.js";
import { cutAtTokens, howMuch, levelOf, type Part, type Room, shown } from "./parts.js";

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
  /**
   * At the last message: the pictures of what was said since the seat's last turn, oldest first.
   * Older ones stay names in the text, so that the beginning of a prompt never changes.
   */
  readonly pictures?: readonly Attachment[];
  /** At the last message: the text files of which it does not hold everything. */
  readonly shortened?: readonly Shortened[];
}

/** What was said between two turns of the seat, and the turn that followed. */
export interface Exchange {
  readonly heard: readonly Heard[];
  /** Null for the last one, which is to be answered. */
  readonly said: string | null;
}

/** One message, or something else that the seat is told. */
export interface Heard {
  readonly parts: readonly Part[];
  readonly pictures: readonly Attachment[];
}

interface Shortened {
  readonly file: Attachment;
  readonly shown: "beginning" | "nothing";
}

/** The pictures among a message's files. */
export function picturesIn({ attachments }: Pick<Message, "attachments">): readonly Attachment[] {
  return attachments.filter((file) => file.content?.kind === "image");
}

/** The whole prompt. `omitted`: messages older than the given ones that are not given. */
export function promptOf(input: {
  readonly system: string;
  readonly exchanges: readonly Exchange[];
  readonly omitted: number;
  /** Of all of it; but half of that is for the conversation, however long the rest is. */
  readonly tokenBudget: number;
}): readonly PromptMessage[] {
  const { system, exchanges } = input;
  const budget = conversationBudget(system, input.tokenBudget);
  const fitting = exchanges.map((exchange) => fitted(exchange, budget));
  const from = firstWithin(fitting, budget);
  const kept = fitting.slice(from);
  const omitted =
    input.omitted +
    fitting.slice(0, from).reduce((sum, exchange) => sum + exchange.messages, 0) +
    kept.reduce((sum, exchange) => sum + exchange.dropped, 0);
  const note = omitted === 0 ? "" : `${leftOutLine(omitted)}\n`;

  return [
    { role: "system", text: system },
    ...kept.flatMap(({ text, said, pictures, shortened }, index): PromptMessage[] => [
      {
        role: "user",
        text: (index === 0 ? note : "") + text,
        ...(said === null && pictures.length > 0 ? { pictures } : {}),
        ...(said === null && shortened.length > 0 ? { shortened } : {}),
      },
      ...(said === null ? [] : [{ role: "assistant" as const, text: said }]),
    ]),
  ];
}

/** For the line that says how many messages are left out. */
const NOTE_TOKENS = 20;

/** What the conversation may have of a seat's tokens. */
export function conversationBudget(system: string, tokenBudget: number): number {
  const left = tokenBudget - estimateTokens(system) - NOTE_TOKENS;
  return Math.max(left, Math.floor(tokenBudget / 2));
}

/** An exchange as it stands in the prompt. */
interface Fitted {
  readonly text: string;
  readonly said: string | null;
  readonly pictures: readonly Attachment[];
  readonly shortened: readonly Shortened[];
  /** Of what was said between the turns, and of the turn. */
  readonly tokens: { readonly text: number; readonly said: number };
  /** All of its messages, and those that it does not hold. */
  readonly messages: number;
  readonly dropped: number;
}

/** One message, or one turn of the seat, may have a quarter of the room; so much in any case. */
const MIN_WORDS_TOKENS = 500;
/** An exchange with files that are shortened leaves some room for those that follow. */
const SHARE_WITH_FILES = 0.75;

/**
 * An exchange alone keeps to the budget too: words that are very long are cut, then its oldest
 * messages go until half of it is left, but never the last, and the files have what is left.
 */
function fitted({ heard, said }: Exchange, budget: number): Fitted {
  const words = Math.max(MIN_WORDS_TOKENS, Math.floor(budget / 4));
  const reply = said === null ? null : cutAtTokens(said, words);
  const sizes = heard.map(({ parts }) => wordsTokens(parts, words));
  let left = sizes.reduce((sum, size) => sum + size, 0);
  const most = left > budget ? budget / 2 : budget;
  let dropped = 0;
  while (dropped < heard.length - 1 && left > most) {
    left -= sizes[dropped] ?? 0;
    dropped += 1;
  }
  const kept = heard.slice(dropped);
  const room: Room = { words, files: filesLevel(kept, left, budget) };
  const text =
    kept.length === 0 ? NOTHING_NEW : kept.map(({ parts }) => shown(parts, room)).join("\n");
  return {
    text,
    said: reply,
    pictures: kept.flatMap(({ pictures }) => pictures),
    shortened: filesIn(kept).flatMap((part): readonly Shortened[] => {
      const much = howMuch(part, room);
      return much === "all" ? [] : [{ file: part.file, shown: much }];
    }),
    tokens: { text: estimateTokens(text), said: estimateTokens(reply ?? "") },
    messages: heard.length + (said === null ? 0 : 1),
    dropped,
  };
}

/** Of files only the lines around them. */
const NOTHING = -1;
/** What it takes to say that a file is cut. */
const CUT_TOKENS = 10;

/** Everything but the texts of files. */
function wordsTokens(parts: readonly Part[], words: number): number {
  const files = filesIn([{ parts }]).length;
  return estimateTokens(shown(parts, { words, files: NOTHING })) + files * CUT_TOKENS;
}

function filesIn(heard: readonly Pick<Heard, "parts">[]) {
  return heard.flatMap(({ parts }) =>
    parts.flatMap((part) => (typeof part === "object" && part.kind === "file" ? [part] : [])),
  );
}

/** What each file may have when the words take so much. */
function filesLevel(heard: readonly Heard[], words: number, budget: number): number {
  const files = filesIn(heard).map(({ text }) => estimateTokens(text));
  const whole = words + files.reduce((sum, size) => sum + size, 0);
  if (whole <= budget) return Infinity;
  return levelOf(files, Math.floor(budget * SHARE_WITH_FILES) - words);
}

/**
 * Where the prompt begins: whenever the whole would pass the budget, as many exchanges go as bring it
 * to half of it. Counted from the beginning of the transcript and as each turn saw it, without the
 * reply that it was about to give, so that every turn comes to the same cut until the next step is due.
 */
function firstWithin(exchanges: readonly Fitted[], budget: number): number {
  let from = 0;
  let tokens = 0;
  for (const [index, exchange] of exchanges.entries()) {
    tokens += exchange.tokens.text;
    if (tokens > budget) {
      while (from < index && tokens > budget / 2) {
        const { text = 0, said = 0 } = exchanges[from]?.tokens ?? {};
        tokens -= text + said;
        from += 1;
      }
    }
    tokens += exchange.tokens.said;
  }
  return from;
}
