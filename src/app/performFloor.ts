/** What only rounds of moderated groups do. */
import { never } from "../domain/errors.js";
import type { FloorStep } from "../domain/floor.js";
import type { MessageId } from "../domain/ids.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Round } from "../domain/round/round.js";
import type { Announcement } from "../ports/chat.js";
import { castVote } from "./castVote.js";
import { sayOnFloor } from "./composeOnFloor.js";
import { enterFloor } from "./enterFloor.js";
import { moderate, readHistory } from "./moderate.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";

export async function performFloor(services: Services, work: Work<FloorStep>): Promise<Done> {
  const { step, state } = work;
  if (state.kind !== "moderated") throw new Error("This is no moderated round.");
  switch (step.do) {
    case "enter":
      return enterFloor(services, { round: work.round, state });
    case "vote":
      return castVote(services, { ...work, step, state });
    case "moderate":
      return moderate(services, { ...work, step, state });
    case "readHistory":
      return readHistory(services, { ...work, step, state });
    case "say":
      return sayOnFloor(services, { ...work, step, state });
    default:
      return never(step);
  }
}

/** What the round says next is younger than this. The floor may say the same several times in one round. */
export function sinceOf(round: Round, state: RoundState): MessageId {
  if (state.kind === "moderated") return state.newestId ?? round.triggerId;
  return state.triggerIds[0] ?? round.triggerId;
}

/**
 * As `Chat.announce`; but what is found for a doubtful one and stands in the transcript already is
 * an earlier one with the same words, as when a command is given twice.
 */
export async function announceOnce(
  { chat, storage }: Pick<Services, "chat" | "storage">,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<MessageId> {
  let { afterId } = announcement;
  for (;;) {
    const id = await chat.announce({ ...announcement, afterId }, signal);
    if (!announcement.isDoubtful || (await storage.messages.get(id)) === null) return id;
    afterId = id;
  }
}
