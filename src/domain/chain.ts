/**
 * What agents write to each other outside groups. A chain is everything that goes back to one
 * message of a person: it has that person's rights and no others, and an end.
 */
import type { AgentId, RoundId, ThreadId, UserId } from "./ids.js";
import { CHAIN_MESSAGES } from "./limits.js";
import type { Place } from "./message.js";

/** Where a message between agents belongs; stored with it. */
export type Chain = Request | Response | Task;

interface ChainCommon {
  /** The round of the person's message with which it began. */
  readonly id: RoundId;
  readonly startedBy: { readonly userId: UserId; readonly name: string };
  /** Messages between agents on the way to this one, requests, answers and tasks, itself included. */
  readonly depth: number;
  /** The agent that wrote this one. */
  readonly fromId: AgentId;
  readonly fromName: string;
  /** How the request begins, for those who see only the answer. */
  readonly about: string;
}

/** An agent asks another one for something. */
interface Request extends ChainCommon {
  readonly role: "request";
  /** Who is asked; absent in messages of old. */
  readonly toId?: AgentId;
  /** Where the answer goes: the conversation of the agent that asks. */
  readonly back: Place;
  /** The thread there in which people see it; null: there is none. */
  readonly threadId: ThreadId | null;
}

/** What the other one said to it. */
interface Response extends ChainCommon {
  readonly role: "answer";
  /** It says only that there is none; absent where there is one, and in messages of old. */
  readonly isNone?: true;
}

/** An agent has made another one and sets it to work; nothing goes back. */
interface Task extends ChainCommon {
  readonly role: "task";
}

/**
 * Whether a message of this chain may set an agent to work. Past the limit nothing is sent any more,
 * but what had been asked before is still answered: such an answer is shown, and begins nothing.
 */
export function startsTurn({ depth }: Chain): boolean {
  return depth <= CHAIN_MESSAGES;
}

/** Whether people see it in the thread of two agents, and not where it belongs to the transcript. */
export function isShownElsewhere({ chain }: { readonly chain?: Chain }): boolean {
  return chain?.role === "answer";
}

/** Characters of a request that are shown with its answer. */
export const ABOUT_CHARACTERS = 200;
