/** What participants of a hosted round have answered, who has not and why, and what a reply counts for. */
import type { AgentId } from "../ids.js";
import type { IgnoredReason, Notice, RoundEvent, TurnFailure } from "./round.js";

/** What has come of asking so far. */
export interface Replies {
  /** The members without the host. */
  readonly participantIds: readonly AgentId[];
  /** Of all passes, in the order in which they came. */
  readonly answers: readonly Answer[];
  readonly misses: readonly Miss[];
  /** Replies that do not count. */
  readonly ignored: readonly Ignored[];
  /** Who has left since the round began: asked and heard no more, also when it has come back. */
  readonly departures: readonly Departure[];
}

export interface Answer {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly text: string;
}

interface Miss {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly failure: TurnFailure;
  readonly about?: string;
}

export interface Departure {
  readonly agentId: AgentId;
  /** The pass that was under way. */
  readonly pass: number;
}

interface Ignored {
  readonly agentId: AgentId;
  readonly pass: number;
  readonly why: IgnoredReason;
}

/** Who is waited for now. */
type Awaited =
  | { readonly phase: "collecting"; readonly pass: number; readonly pending: readonly AgentId[] }
  | { readonly phase: "collected" };

/**
 * What comes of a participant's reply: it counts once, while it is awaited, and only of somebody
 * who has been a participant all the time.
 */
export function receive(
  round: Replies & Awaited,
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
  round: Replies & Awaited,
  { agentId, pass }: Answer,
  isParticipant: boolean,
): IgnoredReason | null {
  if (!round.participantIds.includes(agentId)) return "unsolicited";
  if (hasAnswered(round, agentId, pass)) return "duplicate";
  if (!isParticipant || hasDeparted(round, agentId)) return "removed";
  if (round.phase === "collected") return "late";
  if (pass > round.pass) return "unsolicited";
  return isAwaited(round, agentId, pass) ? null : "late";
}

export function isAwaited(
  { pass, pending }: { readonly pass: number; readonly pending: readonly AgentId[] },
  agentId: AgentId,
  inPass: number,
): boolean {
  return inPass === pass && pending.includes(agentId);
}

export function hasAnswered({ answers }: Replies, agentId: AgentId, pass?: number): boolean {
  return answers.some(
    (one) => one.agentId === agentId && (pass === undefined || one.pass === pass),
  );
}

/**
 * Who is asked in the pass after this one: all who are there, but those who were late, since
 * everybody would wait for them again. Who could not answer may be able to now, also when nobody
 * else has answered.
 */
export function askedAfter(round: Replies): readonly AgentId[] {
  const isLate = (id: AgentId) =>
    round.misses.some(({ agentId, failure }) => agentId === id && failure === "timeout");
  return round.participantIds.filter((id) => !hasDeparted(round, id) && !isLate(id));
}

export function hasDeparted({ departures }: Replies, agentId: AgentId): boolean {
  return departures.some((one) => one.agentId === agentId);
}

/**
 * What counts for the host and, in a debate, for the next pass. Who has left is not heard, whatever
 * it had answered before.
 */
export function heardAnswers(round: Replies): readonly Answer[] {
  return round.answers.filter(({ agentId }) => !hasDeparted(round, agentId));
}

/** A participant of which nothing more has come. */
export type Silence =
  | { readonly why: "left"; readonly agentId: AgentId }
  | ({ readonly why: "missed" } & Miss);

/** Who has left, and who could not answer when it was asked last, in the order of the members. */
export function silencesOf(round: Replies): readonly Silence[] {
  return round.participantIds.flatMap((agentId): readonly Silence[] => {
    if (hasDeparted(round, agentId)) return [{ why: "left", agentId }];
    const miss = round.misses.findLast((one) => one.agentId === agentId);
    const answer = round.answers.findLast((one) => one.agentId === agentId);
    const isOver = miss === undefined || (answer !== undefined && answer.pass > miss.pass);
    return isOver ? [] : [{ why: "missed", ...miss }];
  });
}

/** What the channel is told of those who could not answer. That somebody left has been said by then. */
export function missNotices(round: Replies): readonly Notice[] {
  const misses = silencesOf(round).filter((one) => one.why === "missed");
  const idsOf = (kind: MissKind) =>
    misses.filter(({ failure }) => kindOf(failure) === kind).map(({ agentId }) => agentId);
  const [unreached, late] = [idsOf("unreached"), idsOf("late")];
  const silent = misses
    .filter(({ failure }) => kindOf(failure) === "silent")
    .map(({ agentId, failure }) => ({ agentId, failure }));
  return [
    ...(unreached.length === 0 ? [] : [{ type: "unreached" as const, agentIds: unreached }]),
    ...(silent.length === 0 ? [] : [{ type: "silent" as const, misses: silent }]),
    ...(late.length === 0 ? [] : [{ type: "late" as const, agentIds: late }]),
  ];
}

type MissKind = "unreached" | "silent" | "late";

/** "silent": it was reached, and nothing usable came of it. */
function kindOf(failure: TurnFailure): MissKind {
  switch (failure) {
    case "timeout":
      return "late";
    case "refused":
    case "empty":
    case "foreign":
    case "foreign-post":
    case "empty-post":
    case "too-long":
    case "steps":
      return "silent";
    case "error":
    case "unauthorized":
    case "no-credit":
    case "unknown-model":
    case "no-tools":
    case "blocked":
    case "unpostable":
    case "refused-post":
    case "forbidden":
    case "paused":
    case "gone":
      return "unreached";
  }
}
