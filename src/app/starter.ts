import { asId, type MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import type { Services } from "./services.js";

/**
 * The message of the channel from which a thread was started, which everybody sees at its top:
 * the thread has its id (Discord's documentation, "Threads"). Null: none, or it is not known here.
 */
export async function starterOf(
  { storage }: Pick<Services, "storage">,
  place: Place,
): Promise<Message | null> {
  if (place.threadId === null) return null;
  const message = await storage.messages.get(asId<MessageId>(place.threadId));
  if (message === null || message.deletedAtMs !== null) return null;
  return conversationOf(message.place) === conversationOf(place) ? null : message;
}
