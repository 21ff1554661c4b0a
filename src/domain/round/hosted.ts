/**
 * The hosted group: the participants are asked privately and at the same time, once a round, then
 * the host alone speaks to the people. Asking has an end that the types know: a round that is
 * collected has another type than one that still asks, no event leads back, and the steps of a
 * collected round have no `ask` among them.
 */
import { never } from "../errors.js";
import type { AgentId } from "../ids.js";
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
import {
  askedAfter,
  type Departure,
  hasAnswered,
  hasDeparted,
  isAwaited,
  missNotices,
  type Replies,
} from "./hostedReplies.js";
import type { GroupEvent, Notice, RoundEvent, RoundOutcome, Step } from "./round.js";
import type { ToolStep } from "./toolUse.js";

/** The fold of a hosted round's journal. */
export type HostedRound = CollectingRound | CollectedRound;

interface HostedCommon extends RoundCommon, Replies {
  readonly kind: "hosted";
  /** How often each participant is asked: once, but in a debate. */
  readonly passes: number;
  readonly isDebate: boolean;
}

/** Participants are being asked. */
interface CollectingRound extends HostedCommon {
  readonly phase: "collecting";
  /** 1 for the first. */
  readonly pass: number;
  /** Who is asked in this pass, those who left meanwhile not among them. */
  readonly asked: readonly AgentId[];
  /** Who is to answer in this pass and has not yet. */
  readonly pending: readonly AgentId[];
}

/** Nobody is asked any more: the host speaks, or has spoken. */
export interface CollectedRound extends HostedCommon {
  readonly phase: "collected";
  /** Whether the host has spoken, or could not. */
  readonly isHostDone: boolean;
}

type Opened = Extract<RoundEvent, { type: "opened" }>;
/** What may follow once the participants were asked. */
type StepAfterAsking = Exclude<Step, { do: "ask" | "judge" | "endAsking" | ToolStep["do"] }>;

/** The state after the first event. */
export function openHostedRound(event: Opened): HostedRound {
  const { members, hostId, debatePasses } = event;
  const participantIds = members.map(({ agentId }) => agentId).filter((id) => id !== hostId);
  const common: HostedCommon = {
    ...begun(event),
    kind: "hosted",
    passes: debatePasses ?? 1,
    isDebate: debatePasses !== undefined,
    participantIds,
    answers: [],
    misses: [],
    ignored: [],
    departures: [],
  };
  if (participantIds.length > 0) {
    return {
      ...common,
      phase: "collecting",
      pass: 1,
      asked: participantIds,
      pending: participantIds,
    };
  }
  return {
    ...common,
    phase: "collected",
    isHostDone: true,
    notices: [...common.notices, { type: "noParticipants" }],
    ending: "done",
  };
}

/** The state after one more event. */
export function applyToHostedRound(round: HostedRound, event: GroupEvent): HostedRound {
  return round.phase === "collecting" ? whileAsking(round, event) : afterAsking(round, event);
}

function whileAsking(round: CollectingRound, event: GroupEvent): HostedRound {
  switch (event.type) {
    case "answered": {
      const { agentId, pass, text } = event;
      if (!isAwaited(round, agentId, pass)) return round;
      return settle({ ...round, answers: [...round.answers, { agentId, pass, text }] }, agentId);
    }
    case "missed": {
      const { type: _type, ...miss } = event;
      if (!isAwaited(round, miss.agentId, miss.pass)) return round;
      return settle({ ...round, misses: [...round.misses, miss] }, miss.agentId);
    }
    case "ignored": {
      const { agentId, pass, why } = event;
      const next = { ...round, ignored: [...round.ignored, { agentId, pass, why }] };
      return why === "removed" ? depart(next, { agentId, pass }) : next;
    }
    case "departed":
      return depart(round, { agentId: event.agentId, pass: event.pass });
    case "collected":
      return collect(round);
    case "dispatched":
    case "explained":
      return round;
    case "opened":
    case "judged":
    case "composed":
    case "posted":
    case "turnFailed":
    case "announced":
    case "stopped":
    case "expired":
    case "closed":
      return afterAsking(collect(round), event);
    case "entered":
    case "voted":
    case "moderated":
    case "historyRead":
      throw new Error(`A hosted round has no event "${event.type}".`);
    default:
      return never(event);
  }
}

function afterAsking(round: CollectedRound, event: GroupEvent): CollectedRound {
  switch (event.type) {
    case "opened":
      throw new Error("A round is opened once.");
    case "judged":
      throw new Error("Nobody judges in a hosted round.");
    case "ignored": {
      const { agentId, pass, why } = event;
      return { ...round, ignored: [...round.ignored, { agentId, pass, why }] };
    }
    case "dispatched":
    case "answered":
    case "missed":
    case "departed":
    case "collected":
    case "explained":
      return round;
    case "composed":
      // The host's reply gives the word to nobody.
      return withComposed({ ...round, isHostDone: true }, { ...event, handoffs: [] });
    case "posted":
      return withPosted(round, event).round;
    case "turnFailed":
      return withFailure({ ...round, isHostDone: true }, event);
    case "announced":
      return withAnnounced(round);
    case "stopped":
      return end(round, "stopped", stopNotice(event));
    case "expired":
      return end(round, "stale", { type: "stale" });
    case "closed":
      return { ...end(round, event.outcome, null), closed: event.outcome };
    case "entered":
    case "voted":
    case "moderated":
    case "historyRead":
      throw new Error(`A hosted round has no event "${event.type}".`);
    default:
      return never(event);
  }
}

/** What happens next, or null when the round is closed. */
export function nextHostedStep(round: HostedRound): Step | null {
  return round.phase === "collecting" ? stepWhileAsking(round) : stepAfterAsking(round);
}

function stepWhileAsking({ pending, pass }: CollectingRound): Step {
  return pending.length === 0 ? { do: "endAsking" } : { do: "ask", agentIds: pending, pass };
}

/** Its type is the promise: nobody is asked after this, whatever the host says or the model does. */
export function stepAfterAsking(round: CollectedRound): StepAfterAsking | null {
  if (round.closed !== null) return null;
  const inHand = stepInHand(round);
  if (inHand !== null) return inHand;
  if (!round.isHostDone) return { do: "compose", agentId: round.hostId, turn: round.turns };
  return { do: "close", outcome: outcomeOf(round) };
}

/** It is asked no more, and nothing of it is waited for. What it had answered by then is not heard. */
function depart(round: CollectingRound, departure: Departure): CollectingRound {
  const { departures, participantIds, asked, pass } = round;
  const { agentId } = departure;
  if (!participantIds.includes(agentId) || hasDeparted(round, agentId)) return round;
  const isDone = hasAnswered(round, agentId, pass);
  return settle(
    {
      ...round,
      departures: [...departures, departure],
      asked: isDone ? asked : asked.filter((id) => id !== agentId),
    },
    agentId,
  );
}

/** Once all of a pass are settled the next one begins, while there is one and somebody to ask. */
function settle(round: CollectingRound, agentId: AgentId): CollectingRound {
  const pending = round.pending.filter((id) => id !== agentId);
  const isPassOver = pending.length === 0 && round.pending.length > 0;
  if (!isPassOver || round.pass >= round.passes) return { ...round, pending };
  const next = askedAfter(round);
  return next.length === 0
    ? { ...round, pending }
    : { ...round, pass: round.pass + 1, asked: next, pending: next };
}

/** Who gave no answer is told before the host speaks, and that a debate was cut short. */
function collect(round: CollectingRound): CollectedRound {
  const { pass, asked: _asked, pending, ...rest } = round;
  const isCut = pending.length === 0 && pass < round.passes;
  const notices: readonly Notice[] = [
    ...round.notices,
    ...missNotices(round),
    ...(isCut ? [{ type: "debateCut" as const, pass, passes: round.passes }] : []),
  ];
  return { ...rest, phase: "collected", isHostDone: false, notices };
}

function end(round: CollectedRound, outcome: RoundOutcome, notice: Notice | null): CollectedRound {
  return withEnd({ ...round, isHostDone: true }, outcome, notice);
}
