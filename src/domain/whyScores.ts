/** Who was asked and what came of it: the scores as bars, or why there are none. */
import { displayWidth, fit } from "./columns.js";
import type { AgentId } from "./ids.js";
import { SCORE_THRESHOLD } from "./limits.js";
import { judgeFailureText, listOf } from "./phrases.js";
import { speakingOrder } from "./round/open.js";
import { BLOCK_COLUMNS } from "./whyCalls.js";
import { shortNames } from "./whyNames.js";
import type { Story } from "./whyStory.js";

/** Longest name in front of a bar. */
const NAME_COLUMNS = 14;
const BAR_COLUMNS = 10;

/** One sentence about the judge; `nameOf` gives Markdown. */
export function judgeSentence(
  { opening, judged, state }: Pick<Story, "opening" | "judged" | "state">,
  nameOf: (agentId: AgentId) => string,
): string {
  if (judged !== null) {
    if (judged.failure === null) {
      return `The judge scored ${count(judged.scores?.length ?? 0)}; a member answers from ${SCORE_THRESHOLD.toFixed(2)} on.`;
    }
    const [first] = speakingOrder(opening, null);
    const isNamed = opening.named.some((naming) => naming.agentId === first);
    const instead =
      first === undefined || isNamed
        ? "so those who were named answer"
        : `so ${nameOf(first)} answers alone${first === opening.hostId ? ", as the host" : ""}`;
    return `${judgeFailureText(judged.failure)}, ${instead}.`;
  }
  if (opening.members.every((member) => member.isMuted)) {
    return "The judge was not asked: every member is muted.";
  }
  if (opening.isAsk) return "The judge was not asked: `/ask` goes to one member alone.";
  if (state.kind !== "open")
    return "The judge was not asked: it has no part in groups of this kind.";
  if (state.isDecided) return "The judge was not asked: everybody was named.";
  if (state.ending !== null) return "It ended before the judge had answered.";
  return "The judge is being asked now.";
}

/** A line for each member with its score; those who were to answer are ticked. Empty without scores. */
export function scoreLines({
  opening,
  judged,
}: Pick<Story, "opening" | "judged">): readonly string[] {
  const scores = judged?.scores ?? null;
  if (scores === null) return [];
  const shown = opening.members.flatMap(({ agentId, displayName, name }) => {
    const score = scores.find((one) => one.agentId === agentId)?.score;
    return score === undefined ? [] : [{ agentId, displayName, name, score }];
  });
  const answering = speakingOrder(opening, new Map(scores.map((one) => [one.agentId, one.score])));
  const markOf = (agentId: AgentId, score: number) => {
    if (!answering.includes(agentId)) return "";
    if (opening.named.some((naming) => naming.agentId === agentId)) return " ✓ named";
    return score < SCORE_THRESHOLD && agentId === opening.hostId ? " ✓ host" : " ✓";
  };
  const marks = shown.map(({ agentId, score }) => markOf(agentId, score));
  const beside = BAR_COLUMNS + 6 + Math.max(0, ...marks.map((mark) => mark.length));
  const names = shortNames(shown, Math.min(NAME_COLUMNS, BLOCK_COLUMNS - beside));
  const columns = Math.max(0, ...[...names.values()].map(displayWidth));
  return shown.map(({ agentId, score }, index) => {
    const mark = marks[index] ?? "";
    return `${fit(names.get(agentId) ?? "", columns)} ${bar(score)} ${scoreText(score)}${mark}`;
  });
}

/** Rounded down, so that what is below the threshold never looks like it. */
export function scoreText(score: number): string {
  return (floor(score * 100) / 100).toFixed(2);
}

function bar(score: number): string {
  const full = Math.max(0, Math.min(BAR_COLUMNS, floor(score * BAR_COLUMNS)));
  return "▓".repeat(full) + "░".repeat(BAR_COLUMNS - full);
}

/** 0.29 * 100 is a little less than 29 in binary. */
function floor(value: number): number {
  return Math.floor(value + 1e-9);
}

/** Which members were not asked since they are muted; null: none. */
export function mutedSentence(
  { opening }: Pick<Story, "opening">,
  nameOf: (agentId: AgentId) => string,
): string | null {
  const muted = opening.members.filter((member) => member.isMuted);
  if (muted.length === 0 || muted.length === opening.members.length) return null;
  return `Muted, so not asked: ${listOf(muted.map((member) => nameOf(member.agentId)))}.`;
}

function count(members: number): string {
  return members === 1 ? "one member" : `${members} members`;
}
