/** What the bot says on the floor of a moderated group. */
import {
  type Ballot,
  outcomeOf,
  type PublicResult,
  resultTable,
  type Vote,
  type VoteOutcome,
} from "./ballot.js";
import { never } from "./errors.js";
import type { FloorNotice, ModeratorEnd, TurnOrder } from "./floor.js";
import type { AgentId } from "./ids.js";
import { MAX_GRANTED_TURNS, MAX_MODERATOR_CALLS, MESSAGE_CHARACTERS } from "./limits.js";
import { failureText, listOf } from "./phrases.js";
import { plain } from "./plain.js";
import type { Notice } from "./round/round.js";
import { shorten } from "./shorten.js";

type NameOf = (agentId: AgentId) => string;

/** The text of a notice. What a person has written is quoted to the end, so that it cannot look like ours. */
export function floorNoticeText(notice: FloorNotice, nameOf: NameOf): string {
  switch (notice.type) {
    case "floorOpened":
      return `**${plain(notice.by)} opens the floor:**\n>>> ${notice.topic}`;
    case "turnsGranted": {
      const names = listOf(notice.agentIds.map((id) => plain(nameOf(id))));
      const line = `-# ${plain(notice.by)} gives ${orderText(notice.order, notice.rounds)}: ${names}`;
      return notice.instruction === null ? line : `${line}\n>>> ${notice.instruction}`;
    }
    case "voteCalled":
      return [
        `-# ${plain(notice.by)} calls ${ballotText(notice.ballot)}`,
        `**${plain(notice.ballot.question)}**`,
        ...notice.ballot.options.map((option) => `- ${plain(option)}`),
      ].join("\n");
    case "voteResult":
      return withMissed(resultText(notice.result, nameOf), notice, nameOf);
    case "moderating":
      return `-# ${plain(notice.by)} lets the host moderate:\n>>> ${notice.goal}`;
    case "moderatorEnded":
      return `-# ${moderatorEndText(notice.why)}`;
    case "floorClosed":
      return notice.isUnclosed === true
        ? `**The floor is closed**, since ${plain(notice.by)} did not close it.`
        : `**The floor is closed**, by ${plain(notice.by)}.`;
    case "floorStale":
      return "-# I was away, and what was going on here is too old to go on with. Give the command again to continue.";
    default:
      return never(notice);
  }
}

/** One small line for each member that could not vote; a shorter one where they do not fit. */
function withMissed(
  text: string,
  { result, missed = [] }: Extract<FloorNotice, { type: "voteResult" }>,
  nameOf: NameOf,
): string {
  if (missed.length === 0) return text;
  const isAll =
    result.counts.every(({ count }) => count === 0) && missed.length === result.abstained;
  const lines = missed.map(({ agentId, failure }) => {
    const why =
      failure === "invalid" ? "its answers were none of the options" : failureText(failure);
    return `-# ${plain(nameOf(agentId))} could not vote: ${why}.`;
  });
  const whole = [text, ...lines, ...(isAll ? ["-# Nobody could vote."] : [])].join("\n");
  const short = `${text}\n-# ${missed.length} could not vote.`;
  return [whole, short].find((one) => one.length <= MESSAGE_CHARACTERS) ?? text;
}

/** What of the bot's words belongs to the conversation, as speakers read it; null: nothing. */
export function spokenNotice(notice: Notice, nameOf: NameOf): string | null {
  switch (notice.type) {
    case "floorOpened":
    case "turnsGranted":
    case "voteCalled":
    case "voteResult":
    case "moderating":
    case "floorClosed":
      return floorNoticeText(notice, nameOf).replace(/^(?:-# |>>> )/gmu, "");
    default:
      return null;
  }
}

/** A result as the channel shows it: a table that fits the screen of a phone, what came out, who voted what. */
export function resultText(result: PublicResult, nameOf: NameOf): string {
  const { question, isSecret, votes } = result;
  const write = (reasonCharacters: number) =>
    [
      `**Vote${isSecret ? " (secret)" : ""}: ${plain(question)}**`,
      "```",
      ...resultTable(result),
      "```",
      outcomeText(outcomeOf(result), plain),
      ...(votes ?? []).map((vote) => voteLine(vote, nameOf, reasonCharacters)),
    ].join("\n");
  for (const reasonCharacters of [240, 120, 60]) {
    const text = write(reasonCharacters);
    if (text.length <= MESSAGE_CHARACTERS) return text;
  }
  return write(0);
}

function voteLine(
  { agentId, choice, reason }: Vote,
  nameOf: NameOf,
  reasonCharacters: number,
): string {
  const said = choice === null ? "abstained" : plain(choice);
  const isShown = choice !== null && reason !== null && reason !== "" && reasonCharacters > 0;
  const why = isShown ? `: ${plain(shorten(reason, reasonCharacters))}` : "";
  return `- ${plain(nameOf(agentId))}: **${said}**${why}`;
}

/** A result in one paragraph, for a model. */
export function resultSentence(result: PublicResult, nameOf: NameOf): string {
  const { counts, abstained, votes } = result;
  return [
    ...counts.map(({ option, count }) => `"${option}": ${count}`),
    `abstained: ${abstained}`,
    outcomeText(outcomeOf(result), (text) => text),
    ...(votes ?? []).map(
      ({ agentId, choice, reason }) =>
        `${nameOf(agentId)} ${choice === null ? "abstained" : `voted "${choice}": ${reason ?? ""}`}`,
    ),
  ].join("; ");
}

/** What came out of a vote, as a sentence. */
export function outcomeText(outcome: VoteOutcome, write: (text: string) => string): string {
  switch (outcome.kind) {
    case "won":
      return `Result: ${write(outcome.option)}, with ${votesText(outcome.count)}.`;
    case "tie":
      return `A tie between ${listOf(outcome.options.map(write))}, with ${votesText(outcome.count)} each.`;
    case "noQuorum":
      return `No result: the quorum is ${outcome.quorum}, and ${outcome.cast === 1 ? "1 vote was" : `${outcome.cast} votes were`} cast.`;
    case "noVotes":
      return "No result: nobody voted.";
    default:
      return never(outcome);
  }
}

function votesText(count: number): string {
  return count === 1 ? "1 vote" : `${count} votes`;
}

function ballotText({ isSecret, quorum, voters }: Ballot): string {
  const kind = isSecret ? "a secret vote" : "a vote";
  const of = ` of ${voters.length}`;
  return quorum === null ? `${kind}${of}` : `${kind}${of}, with a quorum of ${quorum}`;
}

function orderText(order: TurnOrder, rounds: number): string {
  switch (order) {
    case "round_robin":
      return rounds === 1 ? "the word in turn" : `the word in turn, ${rounds} times round`;
    case "selective":
      return "the word";
    case "batch":
      return "everybody the word once";
    default:
      return never(order);
  }
}

function moderatorEndText(why: ModeratorEnd): string {
  switch (why) {
    case "turns":
      return `All ${MAX_GRANTED_TURNS} turns were given, and the host did not close.`;
    case "calls":
      return `The host was asked ${MAX_MODERATOR_CALLS} times, and did not close.`;
    case "idle":
      return "The host did nothing that moves the discussion on.";
    default:
      return `The host could not go on: ${failureText(why)}. The floor stays open.`;
  }
}
