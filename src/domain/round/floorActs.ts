/** What begins on the floor of a moderated group, by a command or by a call of the moderating host. */
import type { Ballot } from "../ballot.js";
import { never } from "../errors.js";
import type { FloorNotice, FloorTask, TurnOrder } from "../floor.js";
import type { AgentId } from "../ids.js";
import { nameIn } from "./common.js";
import type { ModeratedRound } from "./moderated.js";
import { answered, beginModeration, nextAct } from "./moderation.js";
import type { Notice } from "./round.js";

export function begin(round: ModeratedRound, task: FloorTask): ModeratedRound {
  const { by, topic } = round.floor;
  switch (task.do) {
    case "open":
      return say(round, { type: "floorOpened", by, topic: topic ?? "" });
    case "turns": {
      const { order, turns, rounds, instruction } = task;
      return grant(round, { by, order, turns, rounds, instruction });
    }
    case "vote":
      return callVote(round, by, task.ballot);
    case "moderate":
      return {
        ...say(round, { type: "moderating", by, hostId: round.hostId, goal: task.goal }),
        moderation: beginModeration(task.goal),
      };
    case "close":
      return task.hasSummary
        ? { ...round, waiting: [{ agentId: round.hostId, instruction: null, isSummary: true }] }
        : say(round, closing(round, by));
    default:
      return never(task);
  }
}

function grant(
  round: ModeratedRound,
  given: {
    readonly by: string;
    readonly order: TurnOrder;
    readonly turns: readonly AgentId[];
    readonly rounds: number;
    readonly instruction: string | null;
  },
): ModeratedRound {
  const { turns, instruction, ...rest } = given;
  const agentIds = given.order === "selective" ? turns : [...new Set(turns)];
  return {
    ...say(round, { type: "turnsGranted", ...rest, agentIds, instruction }),
    waiting: turns.map((agentId) => ({ agentId, instruction, isSummary: false })),
  };
}

function callVote(round: ModeratedRound, by: string, ballot: Ballot): ModeratedRound {
  return {
    ...say(round, { type: "voteCalled", by, ballot }),
    poll: { ballot, votes: [], missed: [] },
  };
}

/** `how`: nobody closes it. */
export function closing(
  { floor }: ModeratedRound,
  by: string,
  how: Pick<Extract<FloorNotice, { type: "floorClosed" }>, "why" | "end" | "isUnsummed"> = {},
) {
  return {
    type: "floorClosed",
    by,
    floorId: floor.floorId,
    ...how,
  } as const satisfies FloorNotice;
}

/** Begins the calls of a moderating host, one when the one before is over. */
export function advance(round: ModeratedRound): ModeratedRound {
  const { moderation } = round;
  const isBusy =
    round.current !== null ||
    round.poll !== null ||
    round.saying !== null ||
    round.reading !== null ||
    round.waiting.length > 0 ||
    round.ending !== null ||
    round.notices.some((notice) => notice.type === "floorClosed");
  if (isBusy || moderation === null) return round;
  const act = nextAct(moderation, round.members);
  if (act === null) return round;
  const by = nameOf(round, round.hostId);
  switch (act.do) {
    case "refuse":
      return advance(told(round, act.text));
    case "grant": {
      const { agentId, instruction } = act;
      const turns = { by, order: "selective" as const, turns: [agentId], rounds: 1, instruction };
      return { ...grant(round, turns), moderation: { ...moderation, turns: moderation.turns + 1 } };
    }
    case "vote":
      return {
        ...callVote(round, by, act.ballot),
        moderation: { ...moderation, votes: moderation.votes + 1 },
      };
    case "read":
      return { ...round, reading: act.limit };
    case "post":
      return {
        ...round,
        saying: act.text,
        moderation: { ...moderation, posts: moderation.posts + 1 },
      };
    case "close":
      return act.summary === null
        ? say({ ...round, moderation: null }, closing(round, by))
        : { ...round, saying: act.summary };
    default:
      return never(act);
  }
}

/** The call that is being done is over. */
export function told(round: ModeratedRound, answer: string): ModeratedRound {
  if (round.moderation === null) return round;
  return { ...round, moderation: answered(round.moderation, answer) };
}

export function say(round: ModeratedRound, notice: Notice): ModeratedRound {
  return { ...round, notices: [...round.notices, notice] };
}

export function nameOf(round: ModeratedRound, agentId: AgentId): string {
  return nameIn(round.members, agentId);
}
