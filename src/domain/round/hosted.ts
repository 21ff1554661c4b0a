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
import type {
  GroupEvent,
  IgnoredReason,
  Notice,
  RoundEvent,
  RoundMember,
  RoundOutcome,
  Step,
  TurnFailure,
} from "./round.js";
import type { ToolStep } from "./toolUse.js";

/** The fold of a hosted round's journal. */
export type HostedRound = CollectingRound | CollectedRound;

interface HostedCommon extends RoundCommon {
  readonly kind: "hosted";
  /** How often each participant is asked: once, but in a debate. */
  readonly passes: number;
  readonly isDebate: boolean;
  /** The members without the host. */
  readonly participantIds: readonly AgentId[];
  /** Of all passes, in the order in which they came. */
  readonly answers: readonly Answer[];
  readonly misses: readonly Miss[];
  /** Replies that do not count. */
  readonly ignored: readonly Ignored[];
}

/** Participants are being asked. */
export interface CollectingRound extends HostedCommon {
  readonly phase: "collecting";
  /** 1 for the first. */
  readonly pass: number;
  /** Who is to answer in this pass and has not yet. */
  readonly pending: readonly AgentId[];
}

/** Nobody is asked any more: the host speaks, or has spoken. */
export interface CollectedRound extends HostedCommon {
  readonly phase: "collected";
  /** Whether the host has spoken, or could not. */
  readonly isHostDone: boolean;
}

export interface Answer {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly text: string;
}

export interface Miss {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly failure: TurnFailure;
  readonly about?: string;
}

export interface Ignored {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly why: IgnoredReason;
}

type Opened = Extract<RoundEvent, { type: "opened" }>;
/** What may follow once the participants were asked. */
export type StepAfterAsking = Exclude<Step, { do: "ask" | "judge" | "endAsking" | ToolStep["do"] }>;

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
  };
  if (participantIds.length > 0) {
    return { ...common, phase: "collecting", pass: 1, pending: participantIds };
  }
  return {
    ...common,
    phase: "collected",
    isHostDone: true,
    notices: [{ type: "noParticipants" }],
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
      return why === "removed" ? settle(next, agentId) : next;
    }
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

/**
 * What comes of a participant's reply: it counts once, while it is awaited, and only of somebody
 * who is still a participant.
 */
export function receive(
  round: HostedRound,
  reply: Answer,
  { isParticipant }: { readonly isParticipant: boolean },
): Extract<RoundEvent, { type: "answered" | "ignored" }> {
  const { agentId, pass, text } = reply;
  const why = reasonToIgnore(round, reply, isParticipant);
  return why === null
    ? { type: "answered", agentId, pass, text }
    : { type: "ignored", agentId, pass, why };
}

function reasonToIgnore(
  round: HostedRound,
  { agentId, pass }: Answer,
  isParticipant: boolean,
): IgnoredReason | null {
  if (!round.participantIds.includes(agentId)) return "unsolicited";
  if (round.answers.some((one) => one.agentId === agentId && one.pass === pass)) return "duplicate";
  if (!isParticipant) return "removed";
  if (round.phase === "collected") return "late";
  if (pass > round.pass) return "unsolicited";
  return isAwaited(round, agentId, pass) ? null : "late";
}

/** What each participant said last, in the order of the members; null: nothing. */
export function lastWords(
  round: HostedRound,
): readonly { readonly member: RoundMember; readonly answer: Answer | null }[] {
  return round.members
    .filter(({ agentId }) => round.participantIds.includes(agentId))
    .map((member) => ({
      member,
      answer: round.answers.findLast((one) => one.agentId === member.agentId) ?? null,
    }));
}

function isAwaited(round: CollectingRound, agentId: AgentId, pass: number): boolean {
  return pass === round.pass && round.pending.includes(agentId);
}

/** Once all of a pass are settled, those who answered are asked in the next, while there is one. */
function settle(round: CollectingRound, agentId: AgentId): CollectingRound {
  const pending = round.pending.filter((id) => id !== agentId);
  const isPassOver = pending.length === 0 && round.pending.length > 0;
  if (!isPassOver || round.pass >= round.passes) return { ...round, pending };
  const next = round.participantIds.filter(
    (id) =>
      round.answers.some((one) => one.agentId === id && one.pass === round.pass) &&
      !round.ignored.some((one) => one.agentId === id && one.why === "removed"),
  );
  return next.length === 0
    ? { ...round, pending }
    : { ...round, pass: round.pass + 1, pending: next };
}

/** Who could not be reached and who was late is told before the host speaks. */
function collect({ pass: _pass, pending: _pending, ...round }: CollectingRound): CollectedRound {
  const late = round.misses.filter(({ failure }) => failure === "timeout");
  const unreached = round.misses.filter(
    ({ failure }) => failure !== "timeout" && failure !== "empty" && failure !== "foreign",
  );
  const notices: Notice[] = [...round.notices];
  if (unreached.length > 0) {
    notices.push({ type: "unreached", agentIds: unreached.map(({ agentId }) => agentId) });
  }
  if (late.length > 0) notices.push({ type: "late", agentIds: late.map(({ agentId }) => agentId) });
  return { ...round, phase: "collected", isHostDone: false, notices };
}

function end(round: CollectedRound, outcome: RoundOutcome, notice: Notice | null): CollectedRound {
  return withEnd({ ...round, isHostDone: true }, outcome, notice);
}
