import type { MessageId } from "../domain/ids.js";
import type { Services } from "./services.js";

/**
 * Whether all that a round is to answer has been deleted. Several people may have started it
 * together: it goes on for those whose message stands. What the floor does answers no message.
 */
export async function areTriggersGone(
  { storage }: Pick<Services, "storage">,
  triggerIds: readonly MessageId[],
): Promise<boolean> {
  if (triggerIds.length === 0) return false;
  for (const id of triggerIds) {
    const trigger = await storage.messages.get(id);
    if (trigger !== null && trigger.deletedAtMs === null) return false;
  }
  return true;
}
