/** What the bot says on the floor of a moderated group. */
import { AWAY, closingText } from "./closingText.js";
import { never } from "./errors.js";
import type { FloorNotice } from "./floor.js";
import type { AgentId } from "./ids.js";
import { listOf } from "./phrases.js";
import { bold, plain } from "./plain.js";
import { pointlessText } from "./pointlessText.js";
import type { Notice } from "./round/round.js";
import { resultText } from "./tally.js";

type NameOf = (agentId: AgentId) => string;

/** The text of a notice. What a person has written is quoted to the end, so that it cannot look like ours. */
export function floorNoticeText(notice: FloorNotice, nameOf: NameOf): string {
  switch (notice.type) {
    case "floorOpened":
      return `The floor is open. Topic, by ${bold(notice.by)}:\n>>> ${notice.topic}`;
    case "turnsGranted": {
      const line = `-# ${turnsText(notice, nameOf)}`;
      return notice.instruction === null ? line : `${line}\n>>> ${notice.instruction}`;
    }
    case "voteCalled":
      return [
        `-# ${ballotText(notice)}`,
        bold(notice.ballot.question),
        ...notice.ballot.options.map((option) => `- ${plain(option)}`),
      ].join("\n");
    case "voteResult":
      return resultText(notice, nameOf);
    case "moderating":
      return `-# ${notice.hostId === undefined ? "The host" : bold(nameOf(notice.hostId))} moderates, asked by ${bold(notice.by)}:\n>>> ${notice.goal}`;
    case "moderatorEnded":
      return "-# The host moderates no more.";
    case "floorClosed":
      return closingText(notice);
    case "floorPointless":
      return `-# ${pointlessText(notice.why)}`;
    case "floorUndone":
      return `-# ${undoneText(notice)}`;
    case "floorStale":
      return "-# I was away too long to go on; give the command again.";
    default:
      return never(notice);
  }
}

/** What was not done, whose it was, and why. */
function undoneText({ why, by, task }: Extract<FloorNotice, { type: "floorUndone" }>): string {
  const what = {
    open: `opening the floor, asked for by ${bold(by)}`,
    turns: `turns given by ${bold(by)}`,
    vote: `a vote called by ${bold(by)}`,
    moderate: `moderating, asked for by ${bold(by)}`,
    close: `closing the floor, asked for by ${bold(by)}`,
  }[task];
  return why === "away"
    ? `${AWAY}, so this was not finished: ${what}.`
    : `Not started, because this channel was archived: ${what}.`;
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
      // Only our own marks: what a person has written begins on the second line.
      return floorNoticeText(notice, nameOf).replace(/^(?:-# )?(.*(?:\n|$))(?:>>> )?/u, "$1");
    default:
      return null;
  }
}

function ballotText({ by, ballot }: Extract<FloorNotice, { type: "voteCalled" }>): string {
  const { isSecret, quorum, voters: ids } = ballot;
  const called = `${isSecret ? "Secret vote" : "Vote"} called by ${bold(by)}`;
  const who = ids.length === 1 ? "1 member votes" : `${ids.length} members vote`;
  return `${called}; ${who}${quorum === null ? "" : `, with a quorum of ${quorum}`}:`;
}

/** The turns that are given and by whom. No verb: people may be called "You". */
function turnsText(
  { by, order, rounds, agentIds }: Extract<FloorNotice, { type: "turnsGranted" }>,
  nameOf: NameOf,
): string {
  const names = agentIds.map((id) => bold(nameOf(id)));
  switch (order) {
    case "round_robin": {
      const what = rounds === 1 ? "One round of turns" : `${rounds} rounds of turns`;
      return `${what}, given by ${bold(by)}: ${listOf(names)}`;
    }
    case "selective":
      return names.length === 1
        ? `A turn for ${listOf(names)}, given by ${bold(by)}.`
        : `${names.length} turns, given by ${bold(by)}: ${listOf(inARow(names))}`;
    case "batch":
      return `One turn for everybody, given by ${bold(by)}: ${listOf(names)}`;
    default:
      return never(order);
  }
}

/** What stands several times in a row once, with how often; in long rows each once. */
function inARow(names: readonly string[]): readonly string[] {
  const runs: { readonly name: string; times: number }[] = [];
  for (const name of names) {
    const last =
      names.length > MAX_LISTED_TURNS ? runs.find((run) => run.name === name) : runs.at(-1);
    if (last?.name === name) last.times += 1;
    else runs.push({ name, times: 1 });
  }
  return runs.map(({ name, times }) => (times === 1 ? name : `${name} (${times} turns)`));
}

/** More names in one line are not read. */
const MAX_LISTED_TURNS = 12;
