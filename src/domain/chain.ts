/**
 * What agents write to each other outside groups. A chain is everything that goes back to one
 * message of a person: it has that person's rights and no others, and an end.
 */
import type { AgentId, RoundId, ThreadId, UserId } from "./ids.js";
import type { Place } from "./message.js";

/** Where a message between agents belongs; stored with it. */
export type Chain = Request | Response | Task;

interface ChainCommon {
  /** The round of the person's message with which it began. */
  readonly id: RoundId;
  readonly startedBy: { readonly userId: UserId; readonly name: string };
  /** Messages between agents up to this one, itself included. */
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
  /** Where the answer goes: the conversation of the agent that asks. */
  readonly back: Place;
  /** The thread there in which people see it; null: there is none. */
  readonly threadId: ThreadId | null;
}

/** What the other one said to it. */
interface Response extends ChainCommon {
  readonly role: "answer";
}

/** An agent has made another one and sets it to work; nothing goes back. */
interface Task extends ChainCommon {
  readonly role: "task";
}

/** Whether people see it in the thread of two agents, and not where it belongs to the transcript. */
export function isShownElsewhere({ chain }: { readonly chain?: Chain }): boolean {
  return chain?.role === "answer";
}

/** Characters of a request that are shown with its answer. */
export const ABOUT_CHARACTERS = 200;
