/** What came out of a vote, as the channel shows it and as models read it. */
import { outcomeOf, type PublicResult, type Vote, type VoteOutcome } from "./ballot.js";
import { cell, displayWidth, fit } from "./columns.js";
import { never } from "./errors.js";
import type { MissedVote } from "./floor.js";
import type { AgentId } from "./ids.js";
import { MESSAGE_CHARACTERS } from "./limits.js";
import { fold } from "./names.js";
import { failureText, listOf } from "./phrases.js";
import { plain } from "./plain.js";
import { shorten } from "./shorten.js";

type NameOf = (agentId: AgentId) => string;

/** A result, and who of those who abstained could not vote. */
interface Tally {
  readonly result: PublicResult;
  readonly missed?: readonly MissedVote[];
}

/** How much of it is said: characters of each reason; options by their numbers. */
interface Extent {
  readonly reasonCharacters: number;
  readonly isByNumber?: boolean;
}

const EXTENTS: readonly Extent[] = [
  { reasonCharacters: 240 },
  { reasonCharacters: 120 },
  { reasonCharacters: 60 },
  { reasonCharacters: 0 },
];
const SHORTEST: Extent = { reasonCharacters: 0, isByNumber: true };

/**
 * A result as the channel shows it: a table that fits the screen of a phone, the options that are cut
 * in it, what came out, who voted what. Of at most `limit` characters, reasons cut where they have to
 * be. Of a secret vote nobody is named: to know who abstained is to know more of the others.
 */
export function resultText(
  tally: Tally,
  nameOf: NameOf,
  limit: number = MESSAGE_CHARACTERS,
): string {
  for (const extent of EXTENTS) {
    const text = write(tally, nameOf, extent);
    if (text.length <= limit) return text;
  }
  return write(tally, nameOf, SHORTEST);
}

function write({ result, missed = [] }: Tally, nameOf: NameOf, extent: Extent): string {
  const { question, isSecret, votes, counts } = result;
  const options = counts.map(({ option }) => option);
  const hasNumbers = isNumbered(options);
  const written = (option: string) =>
    hasNumbers && extent.isByNumber === true
      ? `option ${options.indexOf(option) + 1}`
      : plain(option);
  const failures = new Map(missed.map(({ agentId, failure }) => [agentId, failure]));
  return [
    `**Vote${isSecret ? " (secret)" : ""}: ${plain(question)}**`,
    "```",
    ...resultTable(result),
    "```",
    ...(hasNumbers ? options.map((option, index) => `${index + 1}. ${plain(option)}`) : []),
    outcomeText(outcomeOf(result), written),
    ...(votes ?? []).map((vote) => {
      const said = `- ${plain(nameOf(vote.agentId))}: `;
      return vote.choice === null
        ? `${said}${abstainedText(failures.get(vote.agentId))}`
        : `${said}**${written(vote.choice)}**${reasonText(vote, extent)}`;
    }),
    ...(isSecret && missed.length > 0
      ? [`-# ${missed.length} of the ${votersOf(result)} could not vote.`]
      : []),
  ].join("\n");
}

/** Not in bold: it is no option, though one may be called so. */
function abstainedText(failure: MissedVote["failure"] | undefined): string {
  if (failure === undefined) return "abstained";
  if (failure === "invalid") return "abstained (no valid answer)";
  if (failure === "tools") return "abstained (its model called tools instead of answering)";
  return `abstained (${failureText(failure)})`;
}

function reasonText({ reason }: Vote, { reasonCharacters }: Extent): string {
  const isShown = reason !== null && reason !== "" && reasonCharacters > 0;
  return isShown ? `: ${plain(shorten(reason, reasonCharacters))}` : "";
}

function votersOf({ counts, abstained }: PublicResult): number {
  return counts.reduce((sum, { count }) => sum + count, abstained);
}

/** How the row of those who abstained is called: the first that is no option. */
const ABSTAINED = ["abstained", "no vote", "(no vote)"] as const;
const LABEL_COLUMNS = 16;
const BAR_COLUMNS = 8;

/** Whether rows are numbered: their labels would be cut, or look the same. */
function isNumbered(options: readonly string[]): boolean {
  const labels = options.map((option) => fold(cell(option)));
  return (
    options.some((option) => displayWidth(cell(option)) > LABEL_COLUMNS) ||
    new Set(labels).size < labels.length
  );
}

/** One line for each option, as wide as the screen of a phone: `Yes ████     3`. */
export function resultTable({ counts, abstained }: PublicResult): readonly string[] {
  const hasNumbers = isNumbered(counts.map(({ option }) => option));
  const rows = counts.map(({ option, count }, index) => ({
    label: hasNumbers ? `${index + 1} ${cell(option)}` : cell(option),
    count,
    sign: "█",
  }));
  const labels = rows.map(({ label }) => fold(label));
  const nobodys = ABSTAINED.find((label) => !labels.includes(label)) ?? ABSTAINED[0];
  if (abstained > 0) rows.push({ label: nobodys, count: abstained, sign: "░" });
  const most = Math.max(1, ...rows.map((row) => row.count));
  const labelColumns = Math.min(
    LABEL_COLUMNS,
    Math.max(...rows.map((row) => displayWidth(row.label))),
  );
  return rows.map(({ label, count, sign }) => {
    const bar = sign.repeat(Math.round((count / most) * BAR_COLUMNS));
    return `${fit(label, labelColumns)} ${fit(bar, BAR_COLUMNS)} ${count}`;
  });
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
