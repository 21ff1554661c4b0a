/** What the floor of a moderated group was asked to do, and how far it has come, without secret votes. */
import { outcomeOf, type PublicResult } from "./ballot.js";
import { never } from "./errors.js";
import { MAX_GRANTED_TURNS } from "./limits.js";
import { listOf } from "./phrases.js";
import { plain, quote } from "./plain.js";
import { pointlessText } from "./pointlessText.js";
import type { ModeratedRound } from "./round/moderated.js";
import type { Moderation } from "./round/moderation.js";
import type { RoundEvent } from "./round/round.js";
import { outcomeText } from "./tally.js";
import { isSecretVote, type WhyCall } from "./whyCalls.js";
import type { Names } from "./whyNames.js";

export function floorLines(round: ModeratedRound, names: Names): readonly string[] {
  const { floor, pointless, results, poll, moderation } = round;
  return [
    ...(floor.topic === null ? [] : [`Topic: ${quote(floor.topic)}`]),
    pointless === null
      ? `${plain(floor.by)} ${taskText(round, names)}`
      : `Nothing was done for ${plain(floor.by)}. ${pointlessText(pointless)}`,
    ...results.flatMap(({ result }) => resultLines(result, names)),
    ...(poll === null
      ? []
      : [
          `${quote(poll.ballot.question)}: ${poll.votes.length} of ${poll.ballot.voters.length} have voted.`,
        ]),
    ...(moderation === null ? [] : [moderationText(moderation)]),
  ];
}

/** What it took, as far as anybody may know it: nothing of a secret vote that is going on. */
export function shownCalls(
  round: ModeratedRound,
  journal: readonly RoundEvent[],
  calls: readonly WhyCall[],
): readonly WhyCall[] {
  // Counted by voter in times of old.
  const isSecret = journal.some((event) => event.type === "voted" && event.isSecret);
  const shown = isSecret
    ? calls.map((call) => (call.purpose === "vote" ? { ...call, agentId: null } : call))
    : calls;
  return round.poll === null ? shown : shown.filter((call) => !isSecretVote(call));
}

/** What came of it, where that is no replies. */
export function floorOutcome({ floor: { task } }: ModeratedRound): string | null {
  switch (task.do) {
    case "open":
      return "the floor was opened";
    case "vote":
      return `a vote with ${count(task.ballot.voters.length, "member")}`;
    case "close":
      return task.hasSummary ? null : "the floor was closed";
    case "turns":
    case "moderate":
      return null;
    default:
      return never(task);
  }
}

function taskText({ floor: { task } }: ModeratedRound, names: Names): string {
  switch (task.do) {
    case "open":
      return "opened the floor.";
    case "close":
      return task.hasSummary ? "had the floor summed up and closed." : "closed the floor.";
    case "turns": {
      const who = listOf([...new Set(task.turns)].map(names.agent));
      const turns = task.turns.length === 1 ? "a turn" : `${task.turns.length} turns`;
      return `gave ${turns} (${task.order}) to ${who}${task.instruction === null ? "." : `: ${quote(task.instruction)}`}`;
    }
    case "vote":
      return `called a ${task.ballot.isSecret ? "secret " : ""}vote: ${quote(task.ballot.question)}`;
    case "moderate":
      return `let the host moderate: ${quote(task.goal)}`;
    default:
      return never(task);
  }
}

function resultLines(result: PublicResult, names: Names): readonly string[] {
  const votes = (result.votes ?? []).map(
    ({ agentId, choice }) =>
      `${names.agent(agentId)} (${choice === null ? "abstained" : plain(choice)})`,
  );
  return [
    `Vote on ${quote(result.question)}: ${outcomeText(outcomeOf(result), plain)}`,
    ...(votes.length === 0 ? [] : [`-# ${votes.join(", ")}`]),
  ];
}

/** While it runs: what it has done, and what was refused. */
function moderationText({ turns, votes, posts, exchanges }: Moderation): string {
  const refused = exchanges
    .flatMap(({ answers }) => answers)
    .filter((answer) => answer.startsWith("Error: ")).length;
  return `It has given ${turns} of at most ${MAX_GRANTED_TURNS} turns, held ${count(votes, "vote")}, posted ${count(posts, "message")} of its own, and was refused ${count(refused, "call")}.`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
