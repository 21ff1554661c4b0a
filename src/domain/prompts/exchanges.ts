/**
 * A prompt as a row of exchanges: what was said between two turns of a seat, and the turn that
 * followed. Old exchanges are dropped in large steps, so that the beginning of the prompt stays the
 * same from turn to turn.
 */
import type { Attachment, Message } from "../message.js";
import { estimateTokens } from "../usage.js";
import { leftOutLine, NOTHING_NEW } from "./ownLines.js";

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
  /**
   * At the last message: the pictures of what was said since the seat's last turn, oldest first.
   * Older ones stay names in the text, so that the beginning of a prompt never changes.
   */
  readonly pictures?: readonly Attachment[];
}

/** What was said between two turns of the seat, and the turn that followed. */
export interface Exchange {
  readonly heard: readonly Heard[];
  readonly messages: number;
  /** Null for the last one, which is to be answered. */
  readonly said: string | null;
  readonly tokens: number;
}

/** One message, or something else that the seat is told, as it is shown. */
export interface Heard {
  readonly text: string;
  readonly pictures: readonly Attachment[];
}

export function exchangeOf(heard: readonly Heard[], said: string | null): Exchange {
  return {
    heard,
    messages: heard.length + (said === null ? 0 : 1),
    said,
    tokens: estimateTokens(textOf(heard)) + estimateTokens(said ?? ""),
  };
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
  readonly tokenBudget: number;
}): readonly PromptMessage[] {
  const { system, exchanges, tokenBudget } = input;
  const kept = withinBudget(exchanges, tokenBudget);
  const omitted =
    input.omitted +
    exchanges.slice(0, kept.from).reduce((sum, exchange) => sum + exchange.messages, 0) +
    kept.droppedLines;
  const note = omitted === 0 ? "" : `${leftOutLine(omitted)}\n`;

  return [
    { role: "system", text: system },
    ...kept.exchanges.flatMap(({ heard, said }, index): PromptMessage[] => [
      {
        role: "user",
        text: (index === 0 ? note : "") + (heard.length === 0 ? NOTHING_NEW : textOf(heard)),
        ...(said === null ? picturesOf(heard) : {}),
      },
      ...(said === null ? [] : [{ role: "assistant" as const, text: said }]),
    ]),
  ];
}

function textOf(heard: readonly Heard[]): string {
  return heard.map(({ text }) => text).join("\n");
}

function picturesOf(heard: readonly Heard[]): Pick<PromptMessage, "pictures"> {
  const pictures = heard.flatMap((one) => one.pictures);
  return pictures.length === 0 ? {} : { pictures };
}

/**
 * Drops old exchanges in large steps: whenever the whole would pass the budget, as many as bring it
 * to half of it. Counted from the beginning of the transcript, so that every turn comes to the same
 * cut until the next step is due. When the newest exchange alone is too long, its oldest messages
 * go, but never the last.
 */
function withinBudget(
  exchanges: readonly Exchange[],
  budget: number,
): {
  readonly exchanges: readonly Exchange[];
  readonly from: number;
  readonly droppedLines: number;
} {
  let from = 0;
  let tokens = 0;
  for (const [index, exchange] of exchanges.entries()) {
    tokens += exchange.tokens;
    if (tokens <= budget) continue;
    while (from < index && tokens > budget / 2) {
      tokens -= exchanges[from]?.tokens ?? 0;
      from += 1;
    }
  }
  const kept = exchanges.slice(from);
  const [only] = kept;
  if (only === undefined || kept.length > 1 || only.tokens <= budget) {
    return { exchanges: kept, from, droppedLines: 0 };
  }
  let heard = only.heard;
  let left = only.tokens;
  while (heard.length > 1 && left > budget / 2) {
    left -= estimateTokens(heard[0]?.text ?? "");
    heard = heard.slice(1);
  }
  return {
    exchanges: [{ ...only, heard }],
    from,
    droppedLines: only.heard.length - heard.length,
  };
}
