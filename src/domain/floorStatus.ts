/** What the status line says while the floor of a moderated group is at work. */
import type { AgentId } from "./ids.js";
import { MAX_GRANTED_TURNS } from "./limits.js";
import { bold } from "./plain.js";
import { nameIn } from "./round/common.js";
import type { ModeratedRound } from "./round/moderated.js";
import type { Step } from "./round/round.js";

/** The line for the step that is done now or next, or null where it stays as it is. */
export function floorStatus(step: Step, round: ModeratedRound): string | null {
  const name = (agentId: AgentId) => bold(nameIn(round.members, agentId));
  switch (step.do) {
    case "compose":
      return round.waiting[0]?.isSummary === true
        ? `-# ${name(step.agentId)} sums up`
        : `-# ${turnText(round)}: ${name(step.agentId)}`;
    case "vote": {
      const ballot = round.poll?.ballot;
      const line = `-# Vote ${step.index + 1} of ${ballot?.voters.length ?? 0}`;
      // How long a member takes tells whether it could vote.
      return ballot?.isSecret === true ? line : `${line}: ${name(step.agentId)}`;
    }
    case "moderate":
      return `-# ${name(round.hostId)} moderates · ${round.moderation?.turns ?? 0} of at most ${MAX_GRANTED_TURNS} turns given`;
    default:
      return null;
  }
}

function turnText({ turns, waiting, moderation }: ModeratedRound): string {
  return moderation === null
    ? `Turn ${turns + 1} of ${turns + waiting.length}`
    : `Turn ${moderation.turns} of at most ${MAX_GRANTED_TURNS}`;
}
