/** What was said for a turn on the floor stands in its prompt while the message that said it does. */
import type { RoundId } from "../domain/ids.js";
import type { Grant, ModeratedRound } from "../domain/round/moderated.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/** The topic of the floor; null when it has none, or its opening was deleted. */
export async function topicStillSaid(
  services: Pick<Services, "storage">,
  { floor: { floorId, topic } }: ModeratedRound,
): Promise<string | null> {
  if (topic === null) return null;
  return (await isDeleted(services, floorId, "floorOpened")) ? null : topic;
}

/** What the speakers are asked; null when they are asked nothing, or the message was deleted. */
export async function instructionStillSaid(
  services: Pick<Services, "storage">,
  round: Round,
  { instruction }: Pick<Grant, "instruction">,
): Promise<string | null> {
  if (instruction === null) return null;
  return (await isDeleted(services, round.id, "turnsGranted")) ? null : instruction;
}

/** Whether the newest notice of this kind that a round has said was deleted. */
async function isDeleted(
  { storage }: Pick<Services, "storage">,
  roundId: RoundId,
  type: Notice["type"],
): Promise<boolean> {
  const events = (await storage.rounds.journal(roundId)).map(({ event }) => event);
  const said = events.findLast((event) => event.type === "announced" && event.notice.type === type);
  if (said?.type !== "announced" || said.messageId === null) return false;
  const message = await storage.messages.get(said.messageId);
  return message !== null && message.deletedAtMs !== null;
}
