/** What the participants of a hosted round were asked and what came of it, without what they said. */
import { never } from "./errors.js";
import { failureText } from "./phrases.js";
import type { HostedRound } from "./round/hosted.js";
import { silencesOf } from "./round/hostedReplies.js";
import type { IgnoredReason } from "./round/round.js";
import type { Names } from "./whyNames.js";

/** A heading, then a line for each participant, and one for each reply that did not count. */
export function participantLines(round: HostedRound, names: Names): readonly string[] {
  const { participantIds, passes } = round;
  if (participantIds.length === 0) return ["Nobody was asked: there were no participants."];
  const how = round.isDebate ? `a debate of ${passes} ${passes === 1 ? "pass" : "passes"}` : "once";
  return [
    `**Who was asked**, privately and at the same time, ${how}`,
    ...participantIds.map((id) => `- ${names.agent(id)}: ${outcomeOf(round, id)}`),
    ...round.ignored.map(
      ({ agentId, why }) => `- A reply of ${names.agent(agentId)} was ignored: ${ignoredText(why)}`,
    ),
  ];
}

function outcomeOf(round: HostedRound, agentId: HostedRound["hostId"]): string {
  const { passes } = round;
  const answers = round.answers.filter((one) => one.agentId === agentId).length;
  const silence = silencesOf(round).find((one) => one.agentId === agentId);
  const times = passes > 1 ? ` ${answers} of ${passes} times` : "";
  if (silence?.why === "missed") {
    const before = answers === 0 ? "did not answer" : `answered${times}`;
    return `${before}: ${failureText(silence.failure, silence.about)}`;
  }
  if (silence?.why === "left") return answers === 0 ? "left" : `answered${times}, then left`;
  if (answers > 0) return `answered${times}`;
  return round.phase === "collecting" ? "is being asked" : "was no longer waited for";
}

function ignoredText(why: IgnoredReason): string {
  switch (why) {
    case "late":
      return "the wait was over";
    case "duplicate":
      return "it had answered";
    case "unsolicited":
      return "it was not asked";
    case "removed":
      return "it had left";
    default:
      return never(why);
  }
}
