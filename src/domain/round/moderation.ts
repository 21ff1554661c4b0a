/** What a moderating host has asked for so far, and how it went: the part of a round that it runs. */
import { never, UserError } from "../errors.js";
import type { ModeratorCall } from "../floor.js";
import type { MessageId } from "../ids.js";
import {
  MAX_GRANTED_TURNS,
  MAX_IDLE_REPLIES,
  MAX_MODERATOR_CALLS,
  MAX_MODERATOR_POSTS,
  MAX_MODERATOR_VOTES,
} from "../limits.js";
import { type ModeratorAct, readCall } from "../moderatorCall.js";
import type { RoundMember } from "./round.js";

export interface Moderation {
  readonly goal: string;
  /** The message that says that it moderates: what was said before is older. */
  readonly sinceId: MessageId | null;
  /** What its model said, and what it was told about each call, as far as that is known. */
  readonly exchanges: readonly ModeratorExchange[];
  /** Calls of the last reply that are neither done nor refused, first next. */
  readonly pending: readonly ModeratorCall[];
  readonly turns: number;
  readonly votes: number;
  readonly posts: number;
  /** Replies in a row of which nothing could be used. */
  readonly idle: number;
  /** Failed calls of its model in a row. */
  readonly failures: number;
}

export interface ModeratorExchange {
  readonly text: string;
  readonly calls: readonly ModeratorCall[];
  /** One for each call that is over, in their order. */
  readonly answers: readonly string[];
}

export function beginModeration(goal: string): Moderation {
  return {
    goal,
    sinceId: null,
    exchanges: [],
    pending: [],
    turns: 0,
    votes: 0,
    posts: 0,
    idle: 0,
    failures: 0,
  };
}

/** Whether nothing but closing is left to it. */
export function mustClose({ turns, exchanges }: Moderation): boolean {
  return turns >= MAX_GRANTED_TURNS || exchanges.length >= MAX_MODERATOR_CALLS - 1;
}

/** With one more reply of its model. */
export function withReply(
  moderation: Moderation,
  reply: { readonly text: string; readonly calls: readonly ModeratorCall[] },
  members: readonly RoundMember[],
): Moderation {
  const isUsable = reply.calls.some((call) => typeof actOf(moderation, call, members) !== "string");
  return {
    ...moderation,
    exchanges: [...moderation.exchanges, { ...reply, answers: [] }],
    pending: reply.calls,
    idle: isUsable ? 0 : moderation.idle + 1,
    failures: 0,
  };
}

/** What the next pending call does, or the sentence that refuses it. */
export function actOf(
  moderation: Moderation,
  call: ModeratorCall,
  members: readonly RoundMember[],
): ModeratorAct | string {
  try {
    const act = readCall(call, members);
    return refusalOf(moderation, act) ?? act;
  } catch (error) {
    if (error instanceof UserError) return `Error: ${error.message}`;
    throw error;
  }
}

function refusalOf(moderation: Moderation, act: ModeratorAct): string | null {
  if (act.do !== "close" && mustClose(moderation)) {
    return "Error: this is all that may be done here; call close now.";
  }
  switch (act.do) {
    case "vote":
      return moderation.votes < MAX_MODERATOR_VOTES
        ? null
        : `Error: at most ${MAX_MODERATOR_VOTES} votes can be held here.`;
    case "post":
      return moderation.posts < MAX_MODERATOR_POSTS
        ? null
        : `Error: at most ${MAX_MODERATOR_POSTS} messages of your own can be posted here.`;
    case "grant":
    case "read":
    case "close":
      return null;
    default:
      return never(act);
  }
}

/** The first pending call is over; `answer` is what the model reads about it. */
export function answered(moderation: Moderation, answer: string): Moderation {
  const last = moderation.exchanges.at(-1);
  if (last === undefined) throw new Error("The moderator has called nothing.");
  return {
    ...moderation,
    pending: moderation.pending.slice(1),
    exchanges: [
      ...moderation.exchanges.slice(0, -1),
      { ...last, answers: [...last.answers, answer] },
    ],
  };
}

/** A run that goes nowhere is ended by the engine. */
export function isIdle({ idle }: Moderation): boolean {
  return idle >= MAX_IDLE_REPLIES;
}
