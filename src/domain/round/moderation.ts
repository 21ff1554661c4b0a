/** What a moderating host has asked for so far, and how it went: the part of a round that it runs. */
import { never, UserError } from "../errors.js";
import type { IdleReason, ModeratorCall } from "../floor.js";
import type { MessageId } from "../ids.js";
import {
  MAX_CALLS_AT_ONCE,
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
  /** Why nothing could be done of the last replies, one reason for each in a row. */
  readonly idle: readonly IdleReason[];
  /** Failed calls of its model in a row. */
  readonly failures: number;
}

interface ModeratorExchange {
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
    idle: [],
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
  const acts = reply.calls.map((call, index) => actOf(moderation, { call, index }, members));
  const isUsable = acts.some((act) => act.do !== "refuse");
  return {
    ...moderation,
    exchanges: [...moderation.exchanges, { ...reply, answers: [] }],
    pending: reply.calls,
    idle: isUsable ? [] : [...moderation.idle, idleReasonOf(acts)],
    failures: 0,
  };
}

/** Calls that are refused for one reason give it; for several, they are wrong in general. */
function idleReasonOf(acts: readonly (ModeratorAct | Refused)[]): IdleReason {
  const reasons = new Set(acts.map((act) => (act.do === "refuse" ? act.why : "wrong")));
  const [first = "silent"] = reasons;
  return reasons.size <= 1 ? first : "wrong";
}

/** A call that cannot be carried out, and the sentence about it for the model. */
interface Refused {
  readonly do: "refuse";
  readonly why: IdleReason;
  readonly text: string;
}

/** What a call does, or why not; `index`: its place in the reply. */
export function actOf(
  moderation: Moderation,
  { call, index }: { readonly call: ModeratorCall; readonly index: number },
  members: readonly RoundMember[],
): ModeratorAct | Refused {
  if (index >= MAX_CALLS_AT_ONCE) {
    return refused(`not done: at most ${MAX_CALLS_AT_ONCE} calls of one reply are carried out.`);
  }
  try {
    const act = readCall(call, members);
    return refusalOf(moderation, act) ?? act;
  } catch (error) {
    if (error instanceof UserError) return refused(error.message);
    throw error;
  }
}

/** What the first pending call does; null: none is pending. */
export function nextAct(
  moderation: Moderation,
  members: readonly RoundMember[],
): ModeratorAct | Refused | null {
  const { pending, exchanges } = moderation;
  const [call] = pending;
  const index = exchanges.at(-1)?.answers.length ?? 0;
  return call === undefined ? null : actOf(moderation, { call, index }, members);
}

function refused(text: string, why: IdleReason = "wrong"): Refused {
  return { do: "refuse", why, text: `Error: ${text}` };
}

function refusalOf(moderation: Moderation, act: ModeratorAct): Refused | null {
  if (act.do !== "close" && mustClose(moderation)) {
    return refused("this is all that may be done here; call close now.");
  }
  switch (act.do) {
    case "vote":
      return moderation.votes < MAX_MODERATOR_VOTES
        ? null
        : refused(`at most ${MAX_MODERATOR_VOTES} votes can be held here.`, "votes");
    case "post":
      return moderation.posts < MAX_MODERATOR_POSTS
        ? null
        : refused(
            `at most ${MAX_MODERATOR_POSTS} messages of your own can be posted here.`,
            "posts",
          );
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

/** Why a run that goes nowhere is ended by the engine; null: it goes on. */
export function idleEnd({ idle }: Moderation): IdleReason | "idle" | null {
  if (idle.length < MAX_IDLE_REPLIES) return null;
  const [first = "silent", ...rest] = new Set(idle);
  return rest.length === 0 ? first : "idle";
}

/** Whether one more reply of which nothing can be done ends the run. */
export function isLastChance({ idle }: Moderation): boolean {
  return idle.length === MAX_IDLE_REPLIES - 1;
}
