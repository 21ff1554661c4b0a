/** What happened in a round and why, read from its journal. Works at any point of a round. */
import type { AgentId, MessageId } from "./ids.js";
import { SCORE_THRESHOLD } from "./limits.js";
import { applyEvent, nextStep, type RoundState } from "./round/nextStep.js";
import type {
  Naming,
  Notice,
  RoundEvent,
  RoundKind,
  StopReason,
  TurnFailure,
} from "./round/round.js";

type Opened = Extract<RoundEvent, { type: "opened" }>;
type Judged = Extract<RoundEvent, { type: "judged" }>;
type Explained = Extract<RoundEvent, { type: "explained" }>;

export interface Story {
  readonly opening: Opened;
  /** Null while nobody has judged, and when nobody was to. */
  readonly judged: Judged | null;
  readonly explained: Explained | null;
  readonly state: RoundState;
  /** Turns that are over or have begun, in order. */
  readonly turns: readonly Turn[];
  /** Who was still to speak when the round ended before its time; while it runs, who waits. */
  readonly unheard: readonly Waiting[];
  /** Who is writing now. */
  readonly writing: Waiting | null;
  /** Files that did not reach a prompt. */
  readonly leftOut: readonly Notice[];
  /** Who stopped it; null: nobody, or the one who deleted the message. */
  readonly stoppedBy: string | null;
  /** What stopped it, when it was neither a person nor a deleted message. */
  readonly stopReason: StopReason | null;
}

export interface Waiting {
  readonly agentId: AgentId;
  readonly cause: Cause;
}

export interface Turn extends Waiting {
  /** "posting": not all parts stand yet. "cut": the round ended before they did. */
  readonly result: "posted" | "posting" | "cut" | TurnFailure;
  /** What a failure is about: a model, or permissions. */
  readonly about?: string;
  readonly messageIds: readonly MessageId[];
  /** Who got the next word by it. */
  readonly handedTo: readonly AgentId[];
  /** Whom it named and who could not have the next word, being muted or having failed. */
  readonly notHandedTo: readonly AgentId[];
}

/** Why a member came to speak. */
type Cause =
  | { readonly by: "naming"; readonly naming: Naming }
  | { readonly by: "score"; readonly score: number }
  | { readonly by: "handoff"; readonly from: AgentId }
  /** Of a hosted group, where the host alone speaks. */
  | { readonly by: "hosting" }
  /** Of a moderated group, where nobody speaks without a turn. */
  | { readonly by: "turn" }
  /** In its own channel. */
  | { readonly by: "owning" }
  /** Nobody was named and nobody reached the threshold, or there were no scores at all. */
  | { readonly by: "fallback"; readonly hasScores: boolean };

/** `journal` begins with `opened`. */
export function storyOf(kind: RoundKind, journal: readonly RoundEvent[]): Story {
  const [opening] = journal;
  if (opening?.type !== "opened") throw new Error("A journal begins with `opened`.");
  const causes = new Map<AgentId, Cause>();
  const turns: Turn[] = [];
  let judged: Judged | null = null;
  let explained: Explained | null = null;
  let unheard: readonly AgentId[] = [];
  let stoppedBy: string | null = null;
  let stopReason: StopReason | null = null;
  let state: RoundState | null = null;
  const causeOf = (agentId: AgentId): Cause =>
    kind === "hosted"
      ? { by: "hosting" }
      : kind === "moderated"
        ? { by: "turn" }
        : kind === "direct"
          ? { by: "owning" }
          : (causes.get(agentId) ?? chosen(opening, judged, agentId));
  const change = (edit: (turn: Turn) => Turn) => {
    const last = turns.pop();
    if (last !== undefined) turns.push(edit(last));
  };

  for (const event of journal) {
    const before: RoundState | null = state;
    state = applyEvent(kind, state, event);
    if (event.type === "opened") {
      // Who was asked and had left before the round began.
      for (const agentId of state.failed) {
        turns.push({ ...begun(agentId, causeOf(agentId)), result: "gone" });
      }
    } else if (event.type === "judged") judged = event;
    else if (event.type === "explained") explained = event;
    else if (event.type === "composed") {
      turns.push({ ...begun(event.agentId, causeOf(event.agentId)), result: "posting" });
    } else if (event.type === "posted") {
      const reply = before?.current ?? null;
      change((turn) => ({ ...turn, messageIds: [...turn.messageIds, event.messageId] }));
      if (reply === null || state.current !== null) continue;
      const waiting = waitingIn(state);
      const handedTo = reply.handoffs.filter((id) => waiting.includes(id));
      // The answer to `/ask` hands to nobody, whoever it names.
      const wanted = opening.isAsk ? [] : reply.handoffs;
      const notHandedTo = wanted.filter((id) => !waiting.includes(id));
      for (const id of handedTo) causes.set(id, { by: "handoff", from: reply.agentId });
      change((turn) => ({ ...turn, result: "posted", handedTo, notHandedTo }));
    } else if (event.type === "turnFailed") {
      const { failure: result, about } = event;
      const how = { result, ...(about === undefined ? {} : { about }) };
      if (before?.current == null) {
        turns.push({ ...begun(event.agentId, causeOf(event.agentId)), ...how });
      } else change((turn) => ({ ...turn, ...how }));
    } else if (state.ending !== null && before !== null && before.ending === null) {
      unheard = waitingIn(before);
      if (event.type === "stopped") {
        stoppedBy = event.by;
        stopReason = event.why ?? null;
      }
      if (before.current !== null) change((turn) => ({ ...turn, result: "cut" }));
    }
  }
  if (state === null) throw new Error("A journal begins with `opened`.");

  const isRunning = state.closed === null && state.ending === null;
  const writer = isRunning ? writerOf(state) : null;
  const waiting = isRunning ? waitingIn(state).filter((id) => id !== writer) : unheard;
  const asWaiting = (agentId: AgentId): Waiting => ({ agentId, cause: causeOf(agentId) });
  return {
    opening,
    judged,
    explained,
    state,
    turns,
    unheard: waiting.map(asWaiting),
    writing: writer === null ? null : asWaiting(writer),
    leftOut: leftOutOf(journal),
    stoppedBy,
    stopReason,
  };
}

/** Who is to speak, where several do. */
function waitingIn(state: RoundState): readonly AgentId[] {
  if (state.kind === "moderated") return state.waiting.map((grant) => grant.agentId);
  return state.kind === "open" ? state.waiting : [];
}

function begun(agentId: AgentId, cause: Cause): Omit<Turn, "result"> {
  return { agentId, cause, messageIds: [], handedTo: [], notHandedTo: [] };
}

/** Why a member was on the list before anybody spoke. */
function chosen(opening: Opened, judged: Judged | null, agentId: AgentId): Cause {
  const naming = opening.named.find((one) => one.agentId === agentId);
  if (naming !== undefined) return { by: "naming", naming };
  const score = judged?.scores?.find((one) => one.agentId === agentId)?.score;
  if (score !== undefined && score >= SCORE_THRESHOLD) return { by: "score", score };
  return { by: "fallback", hasScores: score !== undefined };
}

function writerOf(state: RoundState): AgentId | null {
  const step = nextStep(state);
  return step?.do === "compose" ? step.agentId : null;
}

function leftOutOf(journal: readonly RoundEvent[]): readonly Notice[] {
  return journal.flatMap((event): readonly Notice[] => {
    if (event.type !== "opened" && event.type !== "composed") return [];
    if (event.leftOut === undefined || event.leftOut.length === 0) return [];
    const agentId = event.type === "composed" ? event.agentId : null;
    return [{ type: "leftOut", files: event.leftOut, agentId }];
  });
}
