/**
 * The open group: a judge picks the members, they answer in sequence, most relevant last, and
 * hand over to each other by name, until nobody waits or the cap is reached.
 */
import { never } from "../errors.js";
import type { AgentId } from "../ids.js";
import { SCORE_THRESHOLD } from "../limits.js";
import type { JudgeFailure } from "../verdict.js";
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
import type { GroupEvent, Naming, Notice, RoundEvent, RoundOutcome, Step } from "./round.js";

/** The fold of an open round's journal. */
export interface OpenRound extends RoundCommon {
  readonly kind: "open";
  readonly named: readonly Naming[];
  readonly isAsk: boolean;
  /** How the judge has been failing, as far as the conversation has been told. */
  readonly toldJudge: readonly JudgeFailure[];
  /** Whether it is settled who answers; `waiting` is empty before. */
  readonly isDecided: boolean;
  /** Who is to speak, in this order. */
  readonly waiting: readonly AgentId[];
}

type Opened = Extract<RoundEvent, { type: "opened" }>;

/** The state after the first event. */
export function openOpenRound(event: Opened): OpenRound {
  const unmuted = event.members.filter((member) => !member.isMuted);
  // Once is enough, except where it is the only answer that a person gets.
  const told = event.isAsk ? [] : (event.toldMuted ?? []);
  const mutedNamed = event.members
    .filter((member) => member.isMuted && isNamed(event, member.agentId))
    .map((member) => member.agentId)
    .filter((agentId) => !told.includes(agentId));
  const gone = event.named
    .map((naming) => naming.agentId)
    .filter((agentId) => !event.members.some((member) => member.agentId === agentId));
  const notices: Notice[] = gone.map((agentId) => ({
    type: "turnFailed",
    agentId,
    failure: "gone",
  }));
  if (unmuted.length === 0) notices.push({ type: "allMuted" });
  else if (mutedNamed.length > 0) notices.push({ type: "mutedNamed", agentIds: mutedNamed });

  const common = begun(event);
  const round: OpenRound = {
    ...common,
    kind: "open",
    named: event.named,
    isAsk: event.isAsk,
    toldJudge: toldJudgeIn(event),
    isDecided: false,
    waiting: [],
    failed: gone,
    notices: [...notices, ...common.notices],
    ending: unmuted.length === 0 ? "done" : null,
  };
  const isEveryoneNamed = unmuted.every((member) => isNamed(event, member.agentId));
  if (event.isAsk || isEveryoneNamed) return decide(round, null);
  return round;
}

/** The state after one more event. */
export function applyToOpenRound(round: OpenRound, event: GroupEvent): OpenRound {
  switch (event.type) {
    case "opened":
      throw new Error("A round is opened once.");
    case "judged":
      return withOutage(decide(round, event.scores), event);
    case "composed": {
      const waiting = round.waiting.filter((id) => id !== event.agentId);
      return withComposed({ ...round, waiting }, event);
    }
    case "posted":
      return afterPost(round, event);
    case "turnFailed": {
      const waiting = round.waiting.filter((id) => id !== event.agentId && !event.isForAll);
      return withFailure({ ...round, waiting }, event);
    }
    case "announced": {
      const ending = event.notice.type === "cap" ? "cap" : round.ending;
      return withAnnounced({ ...round, ending });
    }
    case "stopped":
      return end(round, "stopped", stopNotice(event));
    case "expired":
      return end(round, "stale", { type: "stale" });
    case "closed":
      return { ...end(round, event.outcome, null), closed: event.outcome };
    case "explained":
      return round;
    case "dispatched":
    case "answered":
    case "missed":
    case "ignored":
    case "departed":
    case "collected":
    case "entered":
    case "voted":
    case "moderated":
    case "historyRead":
      throw new Error(`An open round has no event "${event.type}".`);
    default:
      return never(event);
  }
}

/** What happens next, or null when the round is closed. */
export function nextOpenStep(round: OpenRound): Step | null {
  if (round.closed !== null) return null;
  const inHand = stepInHand(round);
  if (inHand !== null) return inHand;
  if (!round.isDecided) {
    return {
      do: "judge",
      agentIds: round.members.filter((member) => !member.isMuted).map((member) => member.agentId),
    };
  }
  const [next] = round.waiting;
  if (next === undefined) return { do: "close", outcome: outcomeOf(round) };
  if (round.replies >= round.cap) {
    return {
      do: "announce",
      notice: { type: "cap", unheard: round.waiting },
      index: round.announced,
    };
  }
  return { do: "compose", agentId: next, turn: round.turns };
}

/**
 * Who answers, and in which order: members with at least the threshold and named members, by
 * rising score, so that the most relevant speaks last. Equal scores keep the member order and a
 * named member without a score counts as 0. Nobody: the host; where the host is muted, the first
 * member that is not, so that a person always gets an answer.
 */
export function speakingOrder(
  round: Pick<OpenRound, "members" | "named" | "hostId" | "isAsk">,
  scores: ReadonlyMap<AgentId, number> | null,
): readonly AgentId[] {
  const unmuted = round.members.filter((member) => !member.isMuted);
  const chosen = unmuted.filter(
    ({ agentId }) => isNamed(round, agentId) || (scores?.get(agentId) ?? 0) >= SCORE_THRESHOLD,
  );
  if (chosen.length === 0) {
    // A muted member that was asked alone is told so; nobody speaks in its place.
    if (round.isAsk) return [];
    const host = unmuted.find((member) => member.agentId === round.hostId) ?? unmuted[0];
    return host === undefined ? [] : [host.agentId];
  }
  const scoreOf = (agentId: AgentId) => scores?.get(agentId) ?? 0;
  return chosen.map((member) => member.agentId).toSorted((a, b) => scoreOf(a) - scoreOf(b));
}

function decide(
  round: OpenRound,
  scores: readonly { readonly agentId: AgentId; readonly score: number }[] | null,
): OpenRound {
  const verdict =
    scores === null ? null : new Map(scores.map(({ agentId, score }) => [agentId, score]));
  return { ...round, isDecided: true, waiting: speakingOrder(round, verdict) };
}

/** How the judge had been failing, as far as the conversation had been told when a round opened. */
export function toldJudgeIn({
  toldJudge = [],
}: Extract<RoundEvent, { type: "opened" }>): readonly JudgeFailure[] {
  return toldJudge === true ? [] : toldJudge;
}

/** That the judge fails is said once for each way in which it does. */
function withOutage(
  round: OpenRound,
  { failure, isNews }: Extract<RoundEvent, { type: "judged" }>,
): OpenRound {
  const [first] = round.waiting;
  if (failure === null || isNews !== true || first === undefined) return round;
  const instead = isNamed(round, first) ? "named" : first === round.hostId ? "host" : first;
  return { ...round, notices: [...round.notices, { type: "judgeFailed", failure, instead }] };
}

function afterPost(before: OpenRound, event: Extract<RoundEvent, { type: "posted" }>): OpenRound {
  const { round, whole } = withPosted(before, event);
  if (whole === null) return round;
  // Who asks one member hears that one alone.
  const wanted = round.isAsk ? [] : whole.handoffs;
  const next = wanted.filter((id) => canBeHandedTo(round, whole.agentId, id));
  return { ...round, waiting: [...next, ...round.waiting.filter((id) => !next.includes(id))] };
}

function canBeHandedTo(round: OpenRound, from: AgentId, to: AgentId): boolean {
  const member = round.members.find(({ agentId }) => agentId === to);
  return member !== undefined && !member.isMuted && to !== from && !round.failed.includes(to);
}

function end(round: OpenRound, outcome: RoundOutcome, notice: Notice | null): OpenRound {
  return withEnd({ ...round, waiting: [] }, outcome, notice);
}

function isNamed(round: { readonly named: readonly Naming[] }, agentId: AgentId): boolean {
  return round.named.some((naming) => naming.agentId === agentId);
}
