/** A vote: what is asked, what counts as an answer, and what comes out. No model has a part in it. */
import { UserError } from "./errors.js";
import type { AgentId } from "./ids.js";
import { asSeen, VISIBLE } from "./invisible.js";
import {
  MAX_VOTE_OPTIONS,
  MIN_SECRET_VOTERS,
  MIN_VOTE_OPTIONS,
  VOTE_OPTION_CHARACTERS,
} from "./limits.js";
import { displayNameKey } from "./names.js";

export interface Ballot {
  readonly question: string;
  readonly options: readonly string[];
  readonly voters: readonly AgentId[];
  /** Then only counts are shown. */
  readonly isSecret: boolean;
  /** Votes that must be cast for the result to count. */
  readonly quorum: number | null;
}

export interface Vote {
  readonly agentId: AgentId;
  /** Null: abstained. */
  readonly choice: string | null;
  readonly reason: string | null;
}

/** A result as anybody may see it. */
export interface PublicResult {
  readonly question: string;
  /** In the order of the options. */
  readonly counts: readonly { readonly option: string; readonly count: number }[];
  readonly abstained: number;
  readonly quorum: number | null;
  readonly isSecret: boolean;
  /** In the order of voting; null when the vote was secret. */
  readonly votes: readonly Vote[] | null;
}

export type VoteOutcome =
  | { readonly kind: "won"; readonly option: string; readonly count: number }
  | { readonly kind: "tie"; readonly options: readonly string[]; readonly count: number }
  | { readonly kind: "noQuorum"; readonly cast: number; readonly quorum: number }
  | { readonly kind: "noVotes" };

/**
 * Refuses a secret vote of a single voter, whose vote the tally would tell. Two are enough: agents
 * learn nothing of each other's votes, so that none can take its own away from the counts. That a
 * result is unanimous can never be hidden. Throws `UserError`.
 */
export function checkSecrecy({ isSecret, voters }: Pick<Ballot, "isSecret" | "voters">): void {
  if (!isSecret || voters.length >= MIN_SECRET_VOTERS) return;
  throw new UserError(
    "invalid",
    `A secret vote needs at least ${MIN_SECRET_VOTERS} voters: the counts would tell what a single one voted.`,
  );
}

/**
 * The options as they are voted on: as they are seen, in one line each. What shows nothing is none.
 * Throws `UserError`.
 */
export function checkOptions(given: readonly string[]): readonly string[] {
  const options = given.map(asSeen).filter((option) => VISIBLE.test(option));
  if (options.length < MIN_VOTE_OPTIONS || options.length > MAX_VOTE_OPTIONS) {
    throw new UserError(
      "invalid",
      `A vote has ${MIN_VOTE_OPTIONS} to ${MAX_VOTE_OPTIONS} options; you gave ${options.length}.`,
    );
  }
  if (options.some((option) => option.length > VOTE_OPTION_CHARACTERS)) {
    throw new UserError(
      "invalid",
      `An option can have ${VOTE_OPTION_CHARACTERS} characters at most.`,
    );
  }
  const keys = options.map(optionKey);
  if (new Set(keys).size < keys.length) {
    throw new UserError("invalid", "The options of a vote have to be different from each other.");
  }
  return options;
}

/** The option that an answer means, or null when it is none of them. */
export function choiceOf(options: readonly string[], given: unknown): string | null {
  if (typeof given !== "string") return null;
  if (options.includes(given)) return given;
  const key = optionKey(given);
  return options.find((option) => optionKey(option) === key) ?? null;
}

/** Equal for what looks the same but for its case and form. */
function optionKey(option: string): string {
  return displayNameKey(asSeen(option));
}

/** Counts the votes. A vote for something that is no option counts as abstained. */
export function resultOf(ballot: Ballot, votes: readonly Vote[]): PublicResult {
  const { question, options, quorum, isSecret } = ballot;
  const counts = options.map((option) => ({
    option,
    count: votes.filter((vote) => vote.choice === option).length,
  }));
  const abstained = votes.length - cast(counts);
  return { question, counts, abstained, quorum, isSecret, votes: isSecret ? null : votes };
}

/** Who has won, if anything has. */
export function outcomeOf({ counts, quorum }: PublicResult): VoteOutcome {
  const votes = cast(counts);
  if (votes === 0) return { kind: "noVotes" };
  if (quorum !== null && votes < quorum) return { kind: "noQuorum", cast: votes, quorum };
  const count = Math.max(...counts.map((one) => one.count));
  const best = counts.filter((one) => one.count === count).map((one) => one.option);
  const [first] = best;
  return first !== undefined && best.length === 1
    ? { kind: "won", option: first, count }
    : { kind: "tie", options: best, count };
}

function cast(counts: PublicResult["counts"]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
