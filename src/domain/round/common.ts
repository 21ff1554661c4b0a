/** What the rounds of every kind of group have in common. */
import type { AgentId, MessageId, UserId } from "../ids.js";
import type {
  LeftOut,
  Notice,
  ReplyPart,
  RoundEvent,
  RoundMember,
  RoundOutcome,
  Step,
} from "./round.js";

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
  /** Names of text files for which there was no room, as they were said: the members read alike. */
  readonly saidShort: readonly string[];
  /** Set as soon as it is clear how the round ends; only notices follow. */
  readonly ending: RoundOutcome | null;
  readonly closed: RoundOutcome | null;
}

/** What one of them is called, as it is. */
export function nameIn(
  members: readonly Pick<RoundMember, "agentId" | "displayName">[],
  agentId: AgentId,
): string {
  return members.find((member) => member.agentId === agentId)?.displayName ?? "An agent";
}

type Of<Type extends RoundEvent["type"]> = Extract<RoundEvent, { type: Type }>;

/** What a round of any kind is right after its first event. */
export function begun(event: Of<"opened">): RoundCommon {
  const { members, hostId, triggerIds, startedBy, cap, leftOut = [] } = event;
  return {
    members,
    hostId,
    triggerIds,
    startedBy,
    cap,
    current: null,
    turns: 0,
    replies: 0,
    failed: [],
    notices: leftOut.length === 0 ? [] : [{ type: "leftOut", files: leftOut, agentId: null }],
    announced: 0,
    saidShort: [],
    ending: null,
    closed: null,
  };
}

/** A reply is there and is to be posted. */
export function withComposed<R extends RoundCommon>(round: R, event: Of<"composed">): R {
  const { agentId, displayName, parts, handoffs, seenThroughId, leftOut = [] } = event;
  const news = leftOut.filter((file) => !isShort(file) || !round.saidShort.includes(file.name));
  return {
    ...round,
    turns: round.turns + 1,
    notices:
      news.length === 0
        ? round.notices
        : [...round.notices, { type: "leftOut", files: news, agentId }],
    saidShort: [...round.saidShort, ...news.filter(isShort).map(({ name }) => name)],
    current: {
      agentId,
      turn: round.turns,
      displayName,
      parts,
      posted: [],
      handoffs,
      seenThroughId,
    },
  };
}

function isShort({ reason }: LeftOut): boolean {
  return reason === "only-beginning" || reason === "no-room";
}

/** One part of the reply stands; `whole` is the reply once all of it does. */
export function withPosted<R extends RoundCommon>(
  round: R,
  { messageId }: Of<"posted">,
): { readonly round: R; readonly whole: Reply | null } {
  const reply = round.current;
  if (reply === null) throw new Error("Nothing was to be posted.");
  const posted = [...reply.posted, messageId];
  return posted.length < reply.parts.length
    ? { round: { ...round, current: { ...reply, posted } }, whole: null }
    : { round: { ...round, current: null, replies: round.replies + 1 }, whole: reply };
}

/** A turn has come to nothing, while the reply was composed or posted, and the channel is told. */
export function withFailure<R extends RoundCommon>(round: R, event: Of<"turnFailed">): R {
  return {
    ...round,
    turns: round.current === null ? round.turns + 1 : round.turns,
    current: null,
    failed: [...round.failed, event.agentId],
    notices: [...round.notices, failureNotice(event)],
  };
}

/** The first notice has been said. */
export function withAnnounced<R extends RoundCommon>(round: R): R {
  return { ...round, notices: round.notices.slice(1), announced: round.announced + 1 };
}

/** Nothing more is posted: the notice, if there is one, and the end. */
export function withEnd<R extends RoundCommon>(
  round: R,
  outcome: RoundOutcome,
  notice: Notice | null,
): R {
  return {
    ...round,
    current: null,
    notices: notice === null ? [] : [notice],
    ending: outcome,
  };
}

/**
 * What comes before anything that a kind of its own does: what the bot has to say, then the end,
 * then the reply that is being posted. Null: none of these.
 */
export function stepInHand(
  round: RoundCommon,
): Extract<Step, { do: "announce" | "close" | "post" }> | null {
  const [notice] = round.notices;
  if (notice !== undefined) return { do: "announce", notice, index: round.announced };
  if (round.ending !== null) return { do: "close", outcome: round.ending };
  if (round.current === null) return null;
  const { agentId, turn, posted } = round.current;
  return { do: "post", agentId, turn, part: posted.length };
}

/** How a round ends in which nobody is left to speak: "failed" where everybody who was to speak could not. */
export function outcomeOf({ replies, failed }: RoundCommon): RoundOutcome {
  return replies === 0 && failed.length > 0 ? "failed" : "done";
}

/** What the channel is told of a stop. */
export function stopNotice(event: Of<"stopped">): Notice {
  const { by, why, budget, agentName } = event;
  return {
    type: "stopped",
    by,
    ...(why === undefined ? {} : { why }),
    ...(budget === undefined ? {} : { budget }),
    ...(agentName === undefined ? {} : { agentName }),
  };
}

/** What the channel is told of a turn that failed. */
export function failureNotice(event: Of<"turnFailed">): Notice {
  const { type, agentId, failure, about, detail, isPartial } = event;
  return {
    type,
    agentId,
    failure,
    ...(about === undefined ? {} : { about }),
    ...(detail === undefined ? {} : { detail }),
    ...(isPartial === undefined ? {} : { isPartial }),
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
