/**
 * The open group: a judge picks the members, they answer in sequence, most relevant last, and
 * hand over to each other by name, until nobody waits or the cap is reached.
 */
import { never } from "../errors.js";
import type { AgentId, MessageId } from "../ids.js";
import { SCORE_THRESHOLD } from "../limits.js";
import { failureNotice, type RoundCommon, stopNotice } from "./common.js";
import type { GroupEvent, Naming, Notice, RoundEvent, RoundOutcome, Step } from "./round.js";

/** The fold of an open round's journal. */
export interface OpenRound extends RoundCommon {
  readonly kind: "open";
  readonly named: readonly Naming[];
  readonly isAsk: boolean;
  /** The judge has been failing, and the conversation has been told. */
  readonly isJudgeTold: boolean;
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
  if (event.leftOut !== undefined && event.leftOut.length > 0) {
    notices.push({ type: "leftOut", files: event.leftOut, agentId: null });
  }

  const round: OpenRound = {
    kind: "open",
    members: event.members,
    hostId: event.hostId,
    named: event.named,
    triggerIds: event.triggerIds,
    startedBy: event.startedBy,
    cap: event.cap,
    isAsk: event.isAsk,
    isJudgeTold: event.toldJudge === true,
    isDecided: false,
    waiting: [],
    current: null,
    turns: 0,
    replies: 0,
    failed: gone,
    notices,
    announced: 0,
    ending: unmuted.length === 0 ? "done" : null,
    closed: null,
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
    case "composed":
      return {
        ...round,
        waiting: round.waiting.filter((id) => id !== event.agentId),
        turns: round.turns + 1,
        notices:
          event.leftOut === undefined || event.leftOut.length === 0
            ? round.notices
            : [...round.notices, { type: "leftOut", files: event.leftOut, agentId: event.agentId }],
        current: {
          agentId: event.agentId,
          turn: round.turns,
          displayName: event.displayName,
          parts: event.parts,
          posted: [],
          handoffs: event.handoffs,
          seenThroughId: event.seenThroughId,
        },
      };
    case "posted":
      return afterPost(round, event.messageId);
    case "turnFailed":
      return {
        ...round,
        waiting: event.isForAll ? [] : round.waiting.filter((id) => id !== event.agentId),
        turns: round.current === null ? round.turns + 1 : round.turns,
        current: null,
        failed: [...round.failed, event.agentId],
        notices: [...round.notices, failureNotice(event)],
      };
    case "announced":
      return {
        ...round,
        notices: round.notices.slice(1),
        announced: round.announced + 1,
        ending: event.notice.type === "cap" ? "cap" : round.ending,
      };
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
    case "collected":
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
  const [notice] = round.notices;
  if (notice !== undefined) return { do: "announce", notice, index: round.announced };
  if (round.ending !== null) return { do: "close", outcome: round.ending };
  if (round.current !== null) {
    const { agentId, turn, posted } = round.current;
    return { do: "post", agentId, turn, part: posted.length };
  }
  if (!round.isDecided) {
    return {
      do: "judge",
      agentIds: round.members.filter((member) => !member.isMuted).map((member) => member.agentId),
    };
  }
  const [next] = round.waiting;
  if (next === undefined) {
    const isAllFailed = round.replies === 0 && round.failed.length > 0;
    return { do: "close", outcome: isAllFailed ? "failed" : "done" };
  }
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

/** That the judge fails is said once. */
function withOutage(
  round: OpenRound,
  { failure, isNews }: Extract<RoundEvent, { type: "judged" }>,
): OpenRound {
  const [first] = round.waiting;
  if (failure === null || isNews !== true || first === undefined) return round;
  const instead = isNamed(round, first) ? "named" : first === round.hostId ? "host" : first;
  return { ...round, notices: [...round.notices, { type: "judgeFailed", failure, instead }] };
}

function afterPost(round: OpenRound, messageId: MessageId): OpenRound {
  const reply = round.current;
  if (reply === null) throw new Error("Nothing was to be posted.");
  const posted = [...reply.posted, messageId];
  if (posted.length < reply.parts.length) return { ...round, current: { ...reply, posted } };
  // Who asks one member hears that one alone.
  const wanted = round.isAsk ? [] : reply.handoffs;
  const next = wanted.filter((id) => canBeHandedTo(round, reply.agentId, id));
  return {
    ...round,
    current: null,
    replies: round.replies + 1,
    waiting: [...next, ...round.waiting.filter((id) => !next.includes(id))],
  };
}

function canBeHandedTo(round: OpenRound, from: AgentId, to: AgentId): boolean {
  const member = round.members.find(({ agentId }) => agentId === to);
  return member !== undefined && !member.isMuted && to !== from && !round.failed.includes(to);
}

function end(round: OpenRound, outcome: RoundOutcome, notice: Notice | null): OpenRound {
  return {
    ...round,
    waiting: [],
    current: null,
    notices: notice === null ? [] : [notice],
    ending: outcome,
  };
}

function isNamed(round: { readonly named: readonly Naming[] }, agentId: AgentId): boolean {
  return round.named.some((naming) => naming.agentId === agentId);
}
