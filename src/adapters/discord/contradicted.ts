import { type Client, DiscordAPIError } from "discord.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { ChatError } from "../../ports/chat.js";

/**
 * Does something in a place. Where Discord answers that there is no such place while its gateway
 * still knows it, the answer is trouble that may pass (kind "unavailable"), not the truth: the event
 * of a deletion makes it true, and no round is to end for a moment's confusion.
 */
export async function unlessContradicted<T>(
  client: Client<true>,
  place: Place,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDenied = error instanceof ChatError && error.kind === "gone" && isNotFound(error);
    if (!isDenied || !client.channels.cache.has(conversationOf(place))) throw error;
    throw new ChatError("unavailable", "Discord does not find the channel just now.", {
      cause: error,
    });
  }
}

function isNotFound(error: Error): boolean {
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DiscordAPIError) return cause.status === 404;
  }
  return false;
}
