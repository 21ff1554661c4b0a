/**
 * A round in an agent's own channel: that agent answers, with tools. Its model is asked, the tools
 * that it calls run one at a time, and it is asked again with what came of them, until it answers
 * in words or has used all its steps. A message to another agent is sent in steps of its own, so
 * that none is sent twice; the answer to one goes back when the reply stands.
 */
import type { Chain } from "../chain.js";
import { never } from "../errors.js";
import type { MessageId } from "../ids.js";
import { MAX_TOOL_STEPS } from "../limits.js";
import type { Place } from "../message.js";
import {
  begun,
  outcomeOf,
  type Reply,
  type RoundCommon,
  stepInHand,
  stopNotice,
  withAnnounced,
  withComposed,
  withEnd,
  withFailure,
  withPosted,
} from "./common.js";
import type { Notice, RoundEvent, RoundOutcome, Step } from "./round.js";
import type { Outgoing, ToolOutcome, ToolUse } from "./toolUse.js";

/** The fold of the journal. */
export interface DirectRound extends RoundCommon {
  readonly kind: "direct";
  /** What started it, when that was a message of another agent. */
  readonly chain: Chain | null;
  /** What the model said with each row of calls, oldest first. */
  readonly exchanges: readonly ToolExchange[];
  readonly outgoing: Sending | null;
  /** What stands of messages to other agents. */
  readonly sentIds: readonly MessageId[];
  /** It has answered in words, or could not. */
  readonly hasSpoken: boolean;
  /** A message of another agent is still to be answered. */
  readonly isOwed: boolean;
}

export interface ToolExchange {
  readonly text: string;
  readonly calls: readonly MadeCall[];
}

export interface MadeCall extends ToolUse {
  /** Null while it has not run. */
  readonly result: string | null;
  readonly outcome: ToolOutcome | null;
}

interface Sending extends Outgoing {
  /** Parts that stand. */
  readonly sent: number;
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
    outgoing: null,
    sentIds: [],
    hasSpoken: false,
    isOwed: chain?.role === "request",
  };
}

/** The state after one more event. */
export function applyToDirectRound(round: DirectRound, event: RoundEvent): DirectRound {
  switch (event.type) {
    case "opened":
      throw new Error("A round is opened once.");
    case "toolsCalled": {
      const calls = event.calls.map((call) => ({ ...call, result: null, outcome: null }));
      return { ...round, exchanges: [...round.exchanges, { text: event.text, calls }] };
    }
    case "toolRan": {
      const { result, outcome, isChainOver = false } = event;
      const notices: readonly Notice[] =
        isChainOver && !hasNotice(round, "chainOver")
          ? [...round.notices, { type: "chainOver" }]
          : round.notices;
      return { ...withResult(round, result, outcome), notices };
    }
    case "sending":
      return { ...round, outgoing: { ...event.outgoing, sent: 0 } };
    case "sent":
      return afterSent({ ...round, sentIds: [...round.sentIds, event.messageId] });
    case "unsent":
      return afterUnsent(round, event.reason);
    case "composed": {
      const next = withComposed({ ...round, hasSpoken: true }, { ...event, handoffs: [] });
      if (event.isCutShort !== true) return next;
      return { ...next, notices: [...next.notices, { type: "stepsUsed", agentId: event.agentId }] };
    }
    case "posted": {
      const posted = withPosted(round, event);
      return posted.whole === null
        ? posted.round
        : { ...posted.round, outgoing: answerTo(round.chain, posted.whole) };
    }
    case "turnFailed": {
      const notices = [...round.notices, ...unanswered(round)];
      return withFailure({ ...round, hasSpoken: true, isOwed: false, notices }, event);
    }
    case "announced":
      return withAnnounced(round);
    case "stopped":
      return end(round, "stopped", stopNotice(event));
    case "expired":
      return end(round, "stale", { type: "stale" });
    case "closed":
      return { ...end(round, event.outcome, null), notices: [], closed: event.outcome };
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

/** The oldest call that has not run. */
export function openCall(round: DirectRound): MadeCall | null {
  const calls = round.exchanges.at(-1)?.calls ?? [];
  return calls.find((call) => call.result === null) ?? null;
}

/** Calls that may still be made in this turn. */
export function stepsLeft(round: DirectRound): number {
  return MAX_TOOL_STEPS - callsOf(round).length;
}

/**
 * Whether a tool was called with what it does not take in two answers of the model, one after the
 * other: the reason went back once, and a tool that is misunderstood would use up all the steps.
 */
export function isSpent(round: DirectRound, name: string): boolean {
  const faults = round.exchanges
    .slice(0, -1)
    .map(({ calls }) => calls.filter((call) => call.name === name))
    .filter((calls) => calls.length > 0)
    .map((calls) => calls.every(({ outcome }) => outcome === "invalid"));
  return faults.some((isFault, index) => isFault && faults[index + 1] === true);
}

/** Every call of the round, in order. */
export function callsOf(round: DirectRound): readonly MadeCall[] {
  return round.exchanges.flatMap(({ calls }) => calls);
}

function withResult(round: DirectRound, result: string, outcome: ToolOutcome): DirectRound {
  const open = openCall(round);
  if (open === null) throw new Error("No tool was called.");
  return {
    ...round,
    exchanges: round.exchanges.map((exchange) => ({
      ...exchange,
      calls: exchange.calls.map((call) => (call === open ? { ...call, result, outcome } : call)),
    })),
  };
}

function afterSent(round: DirectRound): DirectRound {
  const { outgoing } = round;
  if (outgoing === null) throw new Error("Nothing was to be sent.");
  const sent = outgoing.sent + 1;
  if (sent < outgoing.posts.length) return { ...round, outgoing: { ...outgoing, sent } };
  const next = { ...round, outgoing: null };
  return outgoing.role === "answer"
    ? { ...next, isOwed: false }
    : withResult(next, outgoing.result, "done");
}

/** The part that counts may have got there: then only what people would have seen is missing. */
function afterUnsent(round: DirectRound, reason: string): DirectRound {
  const { outgoing } = round;
  if (outgoing === null) throw new Error("Nothing was to be sent.");
  const isHeard = outgoing.posts.slice(0, outgoing.sent).some(({ chain }) => chain !== null);
  const notices: readonly Notice[] = [
    ...round.notices,
    { type: "unsent", name: outgoing.toName, reason },
  ];
  const next = { ...round, outgoing: null };
  if (outgoing.role === "answer") return { ...next, isOwed: false, notices };
  return isHeard
    ? withResult({ ...next, notices }, outgoing.result, "done")
    : withResult(next, reason, "failed");
}

/** The reply as it goes back to the agent that asked: shown in its thread, heard in its channel. */
function answerTo(chain: Chain | null, reply: Reply): Sending | null {
  if (chain === null || chain.role !== "request") return null;
  const { id, startedBy, depth, about, back } = chain;
  const place = mirrorOf(chain);
  const last = reply.parts.length - 1;
  // In the transcript of the other agent it is one message.
  const whole = reply.parts.map(({ share }) => share).join("");
  return {
    role: "answer",
    toId: chain.fromId,
    toName: chain.fromName,
    displayName: reply.displayName,
    result: "",
    sent: 0,
    posts: reply.parts.map((part, index) => ({
      place,
      ...part,
      share: index < last ? part.share : whole,
      heardAt: index < last ? null : back,
      chain:
        index < last
          ? null
          : {
              role: "answer",
              id,
              startedBy,
              depth: depth + 1,
              about,
              fromId: reply.agentId,
              fromName: reply.displayName,
            },
    })),
  };
}

/** Where people see what two agents write: the thread, or else the channel itself. */
function mirrorOf({ back, threadId }: Extract<Chain, { role: "request" }>): Place {
  return threadId === null ? back : { ...back, threadId };
}

/** Said before the reason is, which may end the round: the agent that asked is owed it. */
function unanswered({ chain, isOwed, hostId }: DirectRound): readonly Notice[] {
  if (!isOwed || chain?.role !== "request") return [];
  return [{ type: "unanswered", agentId: hostId, at: mirrorOf(chain) }];
}

function hasNotice(round: DirectRound, type: Notice["type"]): boolean {
  return round.notices.some((notice) => notice.type === type);
}

function end(round: DirectRound, outcome: RoundOutcome, notice: Notice | null): DirectRound {
  const owed = notice === null ? [] : unanswered(round);
  const ended = withEnd(
    { ...round, hasSpoken: true, isOwed: false, outgoing: null },
    outcome,
    notice,
  );
  return { ...ended, notices: [...owed, ...ended.notices] };
}
