/**
 * A command of the floor waits until what is going on there has ended, and by then the floor and the
 * group may be others than when it was given: it is done for what it finds, or not at all.
 */
import { never } from "../errors.js";
import type { FloorEvent, FloorOrder, FloorTask, Pointless } from "../floor.js";
import type { AgentId, RoundId } from "../ids.js";
import { MIN_SECRET_VOTERS } from "../limits.js";
import { begin, say } from "./floorActs.js";
import type { ModeratedRound } from "./moderated.js";
import type { RoundEvent, RoundMember } from "./round.js";

type Entered = Extract<FloorEvent, { type: "entered" }>;

/** What is there when a command comes to its turn. */
export interface FloorFound {
  /** Null: no floor is open. */
  readonly open: { readonly floorId: RoundId; readonly topic: string | null } | null;
  readonly members: readonly RoundMember[];
  readonly hostId: AgentId;
}

/** How the round goes on from what it finds. */
export function entering(roundId: RoundId, order: FloorOrder, found: FloorFound): Entered {
  const { open, members, hostId } = found;
  const { task, by } = order;
  const pointless = pointlessOf(roundId, task, found);
  // A floor that was opened by giving a turn gets a topic by being opened again.
  const isOpening = task.do === "open" || open === null;
  const { floorId, topic } = isOpening ? { floorId: roundId, topic: order.topic } : open;
  return {
    type: "entered",
    floorId,
    topic,
    opensFor: isOpening && pointless === null ? by : null,
    members,
    hostId,
    pointless,
  };
}

function pointlessOf(
  roundId: RoundId,
  task: FloorTask,
  { open, members, hostId }: FloorFound,
): Pointless | null {
  switch (task.do) {
    case "open":
      return open === null || open.topic === null || open.floorId === roundId ? null : "open";
    case "close":
      return open === null ? "closed" : null;
    case "turns":
      return task.turns.some((id) => canSpeak(members, id)) ? null : "nobody";
    case "vote": {
      const voters = task.ballot.voters.filter((id) => canSpeak(members, id));
      if (voters.length === 0) return "nobody";
      return task.ballot.isSecret && voters.length < MIN_SECRET_VOTERS ? "secret" : null;
    }
    case "moderate":
      return canSpeak(members, hostId) ? null : "host";
    default:
      return never(task);
  }
}

/** The state with that event: it does what it was asked for, as far as that makes sense. */
export function enter(round: ModeratedRound, event: Entered): ModeratedRound {
  const { floorId, topic, members, hostId, pointless } = event;
  if (pointless !== null) {
    const told = say(round, { type: "floorPointless", why: pointless });
    return { ...told, hasEntered: true, pointless, ending: "done" };
  }
  const task = taskFor(round.floor.task, members);
  const floor = { ...round.floor, floorId, topic, task };
  return begin({ ...round, hasEntered: true, floor, members, hostId }, task);
}

/** Journals of old begin at once. */
export function enteredBefore(round: ModeratedRound, event: RoundEvent): ModeratedRound {
  const { hasEntered, ending, floor } = round;
  return hasEntered || ending !== null || BEFORE.has(event.type)
    ? round
    : begin({ ...round, hasEntered: true }, floor.task);
}

/** What may come before a round has entered. */
const BEFORE: ReadonlySet<RoundEvent["type"]> = new Set([
  "entered",
  "stopped",
  "expired",
  "closed",
  "explained",
]);

/** Without those who are members no more, or muted. */
function taskFor(task: FloorTask, members: readonly RoundMember[]): FloorTask {
  switch (task.do) {
    case "turns":
      return { ...task, turns: task.turns.filter((id) => canSpeak(members, id)) };
    case "vote": {
      const voters = task.ballot.voters.filter((id) => canSpeak(members, id));
      return { ...task, ballot: { ...task.ballot, voters } };
    }
    case "open":
    case "moderate":
    case "close":
      return task;
    default:
      return never(task);
  }
}

function canSpeak(members: readonly RoundMember[], agentId: AgentId): boolean {
  return members.some((member) => member.agentId === agentId && !member.isMuted);
}
