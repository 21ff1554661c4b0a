/**
 * A round in an agent's own channel: that agent answers, with tools. Its model is asked, the tools
 * that it calls run one at a time, and it is asked again with what came of them, until it answers
 * in words or has used all its steps. A message to another agent is sent in steps of its own, so
 * that none is sent twice; the answer to one goes back when the reply stands.
 */
import type { Chain } from "../chain.js";
import { never } from "../errors.js";
import type { MessageId } from "../ids.js";
import {
  begun,
  outcomeOf,
  type RoundCommon,
  stepInHand,
  stopNotice,
  withAnnounced,
  withComposed,
  withEnd,
  withFailure,
  withPosted,
} from "./common.js";
import { answerTo, type Sending, withoutAnswer } from "./directAnswer.js";
import { changesOf, openCall, type ToolExchange, withResult } from "./directCalls.js";
import { afterSent, afterUnsent, withOutgoing } from "./directSending.js";
import type { Notice, RoundEvent, RoundOutcome, Step } from "./round.js";
import type { ChainEnd } from "./toolUse.js";

export { callsOf, isSpent, type MadeCall, openCall, stepsLeft } from "./directCalls.js";

/** The fold of the journal. */
export interface DirectRound extends RoundCommon {
  readonly kind: "direct";
  /** What started it, when that was a message of another agent. */
  readonly chain: Chain | null;
  /** What the model said with each row of calls, oldest first. */
  readonly exchanges: readonly ToolExchange[];
  /** Time that the turn had left when tools were called last; null: they were not. */
  readonly leftMs: number | null;
  readonly outgoing: Sending | null;
  /** What stands of messages to other agents. */
  readonly sentIds: readonly MessageId[];
  /** It has answered in words, or could not. */
  readonly hasSpoken: boolean;
  /** A message of another agent is still to be answered. */
  readonly isOwed: boolean;
  /** Of what the tools have changed, how much the channel has been told. */
  readonly changesSaid: number;
}

type Opened = Extract<RoundEvent, { type: "opened" }>;

/** The state after the first event. */
export function openDirectRound(event: Opened): DirectRound {
  const { chain = null } = event;
  return {
    ...begun(event),
    kind: "direct",
    chain,
    exchanges: [],
    leftMs: null,
    outgoing: null,
    sentIds: [],
    hasSpoken: false,
    isOwed: chain?.role === "request",
    changesSaid: 0,
  };
}

/** The state after one more event. */
export function applyToDirectRound(round: DirectRound, event: RoundEvent): DirectRound {
  switch (event.type) {
    case "opened":
      throw new Error("A round is opened once.");
    case "toolsCalled": {
      const calls = event.calls.map((call) => ({ ...call, result: null, outcome: null }));
      const exchanges = [...round.exchanges, { text: event.text, calls }];
      return { ...round, exchanges, leftMs: event.leftMs ?? round.leftMs };
    }
    case "toolRan":
      return withChainEnd(withResult(round, event), event.chainEnd, event.isChainOver === true);
    case "sending":
      return withOutgoing(round, event.outgoing);
    case "sent":
      return withChainEnd(
        afterSent({ ...round, sentIds: [...round.sentIds, event.messageId] }),
        event.chainEnd,
        false,
      );
    case "unsent":
      return afterUnsent(round, event);
    case "composed": {
      const next = withComposed({ ...round, hasSpoken: true }, { ...event, handoffs: [] });
      const { agentId, isCutShort = false, hasNoTools = false } = event;
      const said: readonly Notice[] = [
        ...(isCutShort ? [{ type: "stepsUsed" as const, agentId }] : []),
        ...(hasNoTools ? [{ type: "noTools" as const, agentId }] : []),
      ];
      return { ...next, notices: [...next.notices, ...said] };
    }
    case "posted": {
      const { round: posted, whole } = withPosted(round, event);
      if (whole === null) return posted;
      return withChanges({ ...posted, outgoing: answerTo(round.chain, whole) });
    }
    case "turnFailed": {
      const failed = withFailure({ ...round, hasSpoken: true, isOwed: false }, event);
      return withChanges(withUnanswered(failed, round));
    }
    case "announced": {
      const { notice } = event;
      const said = notice.type === "changed" ? notice.changes.length : 0;
      return { ...withAnnounced(round), changesSaid: round.changesSaid + said };
    }
    case "stopped":
      return end(round, "stopped", stopNotice(event));
    case "expired":
      return end(round, "stale", { type: "stale" });
    case "closed":
      return {
        ...withEnd(
          { ...round, hasSpoken: true, isOwed: false, outgoing: null },
          event.outcome,
          null,
        ),
        closed: event.outcome,
      };
    case "judged":
    case "dispatched":
    case "answered":
    case "missed":
    case "ignored":
    case "departed":
    case "collected":
    case "explained":
    case "entered":
    case "voted":
    case "moderated":
    case "historyRead":
      throw new Error(`A round in an agent's own channel has no event "${event.type}".`);
    default:
      return never(event);
  }
}

/** What happens next, or null when the round is closed. */
export function nextDirectStep(round: DirectRound): Step | null {
  if (round.closed !== null) return null;
  const inHand = stepInHand(round);
  if (inHand !== null) return inHand;
  const agentId = round.hostId;
  if (round.outgoing !== null) return { do: "send", agentId, part: round.outgoing.sent };
  const call = openCall(round);
  if (call !== null) return { do: "tool", agentId, call };
  if (!round.hasSpoken) return { do: "compose", agentId, turn: round.turns };
  return { do: "close", outcome: outcomeOf(round) };
}

/** What the tools have changed and the channel has not been told. */
export function unsaidChanges(round: DirectRound): readonly string[] {
  return changesOf(round).slice(round.changesSaid);
}

/** However the turn ends, people and later turns get to know what was done in it. */
function withChanges(round: DirectRound): DirectRound {
  const changes = unsaidChanges(round);
  if (changes.length === 0 || hasNotice(round, "changed")) return round;
  return {
    ...round,
    notices: [...round.notices, { type: "changed", agentId: round.hostId, changes }],
  };
}

/** The end of a chain is said in these places; journals of old say it where the round is. */
function withChainEnd(round: DirectRound, end: ChainEnd | undefined, isOld: boolean): DirectRound {
  const said: readonly Notice[] =
    end === undefined
      ? isOld && !hasNotice(round, "chainOver")
        ? [{ type: "chainOver" }]
        : []
      : end.at.map((at) => ({ type: "chainOver", count: end.count, at }));
  return said.length === 0 ? round : { ...round, notices: [...round.notices, ...said] };
}

/**
 * The agent that asked is owed the reason, which the last notice gives; it is said before that one,
 * which may end the round.
 */
function withUnanswered(round: DirectRound, before: DirectRound): DirectRound {
  const because = round.notices.at(-1);
  if (!before.isOwed || because === undefined) return round;
  const { chain, hostId } = round;
  const told = withoutAnswer({ chain, agentId: hostId, because, outgoing: null });
  return { ...round, notices: [...round.notices.slice(0, -1), ...told, because] };
}

function hasNotice(round: DirectRound, type: Notice["type"]): boolean {
  return round.notices.some((notice) => notice.type === type);
}

function end(round: DirectRound, outcome: RoundOutcome, notice: Notice): DirectRound {
  const ended = withEnd(
    { ...round, hasSpoken: true, isOwed: false, outgoing: null },
    outcome,
    notice,
  );
  return withChanges(withUnanswered(ended, round));
}
