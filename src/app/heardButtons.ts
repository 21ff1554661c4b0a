import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Button } from "../ports/chat.js";

/** Shows whoever presses it what the participants of a hosted round have told the host. */
export function heardButtons(round: Round, state: RoundState): readonly Button[] {
  if (state.kind !== "hosted" || state.answers.length + state.misses.length === 0) return [];
  return [{ id: `heard:${round.id}`, label: "What each of them said", style: "plain" }];
}

/**
 * Whether this line stands where the reply would be, so that people find there what has been
 * answered: not where somebody has taken back the message that it was about.
 */
export function isInsteadOfReply(notice: Notice): boolean {
  switch (notice.type) {
    case "turnFailed":
    case "stale":
      return true;
    case "stopped":
      return notice.by !== null || notice.budget !== undefined;
    default:
      return false;
  }
}
