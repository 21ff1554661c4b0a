/** What the rounds of every kind of group have in common. */
import type { AgentId, MessageId, UserId } from "../ids.js";
import type { Notice, ReplyPart, RoundEvent, RoundMember, RoundOutcome } from "./round.js";

/** The part of a round's state that the scheduler, the posting and the views know. */
export interface RoundCommon {
  readonly members: readonly RoundMember[];
  readonly hostId: AgentId;
  readonly triggerIds: readonly MessageId[];
  readonly startedBy: readonly UserId[];
  readonly cap: number;
  /** The reply that is being posted. */
  readonly current: Reply | null;
  /** Turns begun so far, failed ones included. */
  readonly turns: number;
  readonly replies: number;
  readonly failed: readonly AgentId[];
  /** What the bot has to say before anything else happens. */
  readonly notices: readonly Notice[];
  readonly announced: number;
  /** Set as soon as it is clear how the round ends; only notices follow. */
  readonly ending: RoundOutcome | null;
  readonly closed: RoundOutcome | null;
}

/** What the channel is told of a stop. */
export function stopNotice(event: Extract<RoundEvent, { type: "stopped" }>): Notice {
  const { by, why, budget } = event;
  return {
    type: "stopped",
    by,
    ...(why === undefined ? {} : { why }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** What the channel is told of a turn that failed. */
export function failureNotice(event: Extract<RoundEvent, { type: "turnFailed" }>): Notice {
  const { type, agentId, failure, about, detail } = event;
  return {
    type,
    agentId,
    failure,
    ...(about === undefined ? {} : { about }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** A reply on its way into the channel. */
export interface Reply {
  readonly agentId: AgentId;
  readonly turn: number;
  readonly displayName: string;
  readonly parts: readonly ReplyPart[];
  /** Messages made so far, one for each part, in order. */
  readonly posted: readonly MessageId[];
  readonly handoffs: readonly AgentId[];
  readonly seenThroughId: MessageId;
}
