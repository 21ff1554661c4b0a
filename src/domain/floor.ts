/** What a moderated group's floor does: the plan of turns, and the forms that its round is made of. */
import type { Ballot, PublicResult } from "./ballot.js";
import { never, UserError } from "./errors.js";
import { type AgentId, asId, type RoundId } from "./ids.js";
import { MAX_FLOOR_ROUNDS, MAX_GRANTED_TURNS } from "./limits.js";
import type { RoundMember, TurnFailure } from "./round/round.js";

export const TURN_ORDERS = ["round_robin", "selective", "batch"] as const;
export type TurnOrder = (typeof TURN_ORDERS)[number];

/**
 * As whom the bot's own words on the floor (opening, tally, closing) stand in the transcript, so
 * that speakers read what people read. No agent has this id.
 */
export const FLOOR_VOICE: { readonly agentId: AgentId; readonly name: string } = {
  agentId: asId("floor"),
  name: "Floor",
};

/** The one thing that a round on the floor does. */
export type FloorTask =
  | { readonly do: "open" }
  | {
      readonly do: "turns";
      readonly order: TurnOrder;
      /** The plan: who speaks, turn by turn. */
      readonly turns: readonly AgentId[];
      readonly rounds: number;
      readonly instruction: string | null;
    }
  | { readonly do: "vote"; readonly ballot: Ballot }
  | { readonly do: "moderate"; readonly goal: string }
  | { readonly do: "close"; readonly hasSummary: boolean };

/** What a round on the floor was asked for. */
export interface FloorOrder {
  /** Of the floor that it belongs to: the id of the round that opened it. Its own until it has begun. */
  readonly floorId: RoundId;
  readonly topic: string | null;
  /** Who asked for it, as shown. */
  readonly by: string;
  readonly task: FloorTask;
}

/** Why nothing of what a moderating host's model replied is done. */
export type IdleReason =
  | "silent" // it called no tool
  | "wrong" // its calls cannot be carried out
  | "votes" // it wants a vote, and all are used
  | "posts"; // it wants to post, and all its messages are used

/** Why a moderated run is over, and its floor closed, without the host having closed it. */
export type Unclosed =
  | "turns" // all turns are used
  | "calls" // its model was asked as often as it may be
  | IdleReason // so often in a row
  | "idle" // the same, for different reasons
  | "ended" // something else has ended it: a stop, say
  | TurnFailure; // its model failed, or it is gone

/** What has ended a run, or a closing, before it was done. */
export type FloorEnd =
  /** `by` null: not known. */
  | { readonly because: "stopped"; readonly by: string | null }
  | { readonly because: "archived" | "budget" | "left" | "fault" | "away" | "failed" };

/** What a command finds when its turn comes, so that it would do nothing any more. */
export type Pointless =
  | "open" // a floor is to be opened, and one is open
  | "closed" // it is to be closed, and none is open
  | "nobody" // nobody of those who were to speak or vote can
  | "secret" // too few of those who were to vote can for a secret vote
  | "host"; // the host is to moderate, and cannot

/** Why a member abstains that was asked for its vote. */
type VoteFailure =
  | TurnFailure
  | "invalid" // twice no vote for one of the options
  | "tools"; // twice nothing but calls of tools, which it was not offered

export interface MissedVote {
  readonly agentId: AgentId;
  readonly failure: VoteFailure;
}

/** What the bot says on the floor. */
export type FloorNotice =
  | { readonly type: "floorOpened"; readonly by: string; readonly topic: string }
  | {
      readonly type: "turnsGranted";
      readonly by: string;
      readonly order: TurnOrder;
      /** Of a selection, one for each turn, in order; else each member once. */
      readonly agentIds: readonly AgentId[];
      readonly rounds: number;
      readonly instruction: string | null;
    }
  | { readonly type: "voteCalled"; readonly by: string; readonly ballot: Ballot }
  | {
      readonly type: "voteResult";
      readonly result: PublicResult;
      /** Who abstained since it could not vote, and why. */
      readonly missed?: readonly MissedVote[];
    }
  | {
      readonly type: "moderating";
      readonly by: string;
      /** Who moderates; journals of old do not say. */
      readonly hostId?: AgentId;
      readonly goal: string;
    }
  /** In journals of old: now the closing says why. */
  | { readonly type: "moderatorEnded" }
  | {
      readonly type: "floorClosed";
      readonly by: string;
      readonly floorId: RoundId;
      /** Nobody closed it, and why: the host that `by` names did not. */
      readonly why?: Unclosed;
      /** Of "ended": by what. Journals of old do not say. */
      readonly end?: FloorEnd;
      /** The host was to sum up first, and that was ended. */
      readonly isUnsummed?: true;
    }
  | { readonly type: "floorPointless"; readonly why: Pointless }
  /** A command was not done, or not to its end. */
  | {
      readonly type: "floorUndone";
      readonly why: "away" | "archived";
      readonly by: string;
      readonly task: FloorTask["do"];
    }
  /** In journals of old: now it is said what was not finished. */
  | { readonly type: "floorStale" };

/** A call of a tool, as the moderating host's model wrote it. */
export interface ModeratorCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsJson: string;
}

/** What only journals of moderated rounds hold. */
export type FloorEvent =
  /**
   * The round has come to its turn, behind what was going on: the floor and the group as it finds
   * them. Journals of old do not have it.
   */
  | {
      readonly type: "entered";
      /** The floor that it belongs to from now on. */
      readonly floorId: RoundId;
      readonly topic: string | null;
      /** Who opens that floor with this, as shown; null: it is open already, or stays closed. */
      readonly opensFor: string | null;
      readonly members: readonly RoundMember[];
      readonly hostId: AgentId;
      /** Set: this is said, and nothing else is done. */
      readonly pointless: Pointless | null;
    }
  /** A member's answer to the question of a vote. It is never posted. */
  | {
      readonly type: "voted";
      readonly agentId: AgentId;
      /** Null: abstained. */
      readonly choice: string | null;
      readonly reason: string | null;
      /** Why it counts as abstained. */
      readonly failure: VoteFailure | null;
      /** Then nobody but a recount may read `choice` and `reason`. */
      readonly isSecret: boolean;
    }
  /** What the moderating host's model wants done, or why it gave no answer. */
  | {
      readonly type: "moderated";
      readonly text: string;
      readonly calls: readonly ModeratorCall[];
      readonly failure: TurnFailure | null;
    }
  /** What the moderating host was given to read. */
  | { readonly type: "historyRead"; readonly text: string };

/** What only rounds of moderated groups do. */
export type FloorStep =
  | { readonly do: "enter" }
  | { readonly do: "vote"; readonly agentId: AgentId; readonly index: number }
  | { readonly do: "moderate"; readonly mustClose: boolean }
  | { readonly do: "readHistory"; readonly limit: number }
  /** The host posts a text that it has already written. */
  | { readonly do: "say"; readonly agentId: AgentId; readonly text: string };

/**
 * Who speaks, turn by turn. `members`: those who can speak, in the group's order; `chosen`: those
 * that were named, as given. Throws `UserError` where the order and the rest do not go together.
 */
export function planTurns(wanted: {
  readonly order: TurnOrder;
  readonly members: readonly AgentId[];
  readonly chosen: readonly AgentId[] | null;
  readonly rounds: number | null;
}): readonly AgentId[] {
  const { order, members, chosen, rounds } = wanted;
  if (rounds !== null && (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_FLOOR_ROUNDS)) {
    throw new UserError("invalid", `\`rounds\` is a number from 1 to ${MAX_FLOOR_ROUNDS}.`);
  }
  if (order !== "round_robin" && rounds !== null && rounds > 1) {
    throw new UserError("invalid", "`rounds` goes with the order `round_robin` only.");
  }
  const turns = turnsOf(order, members, chosen, rounds ?? 1);
  if (turns.length === 0) {
    throw new UserError("conflict", "Nobody can be given a turn: every member is muted.");
  }
  if (order === "selective" && turns.length > MAX_GRANTED_TURNS) {
    throw new UserError(
      "invalid",
      `With \`selective\`, at most ${MAX_GRANTED_TURNS} turns can be given at once.`,
    );
  }
  return turns;
}

function turnsOf(
  order: TurnOrder,
  members: readonly AgentId[],
  chosen: readonly AgentId[] | null,
  rounds: number,
): readonly AgentId[] {
  switch (order) {
    case "round_robin": {
      const speakers = chosen === null ? members : members.filter((id) => chosen.includes(id));
      return Array.from({ length: rounds }, () => speakers).flat();
    }
    case "selective":
      if (chosen === null || chosen.length === 0) {
        throw new UserError("invalid", "Name the `agents` that are to speak, in their order.");
      }
      return chosen;
    case "batch":
      if (chosen !== null) {
        throw new UserError(
          "invalid",
          "`batch` gives every member one turn; to choose `agents`, use `selective`.",
        );
      }
      return members;
    default:
      return never(order);
  }
}
