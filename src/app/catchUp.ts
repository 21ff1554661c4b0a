import type { GuildId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import { ChatError } from "../ports/chat.js";
import type { History } from "../ports/listener.js";
import type { Router } from "./router.js";
import type { Services } from "./services.js";

/** Messages looked at per conversation: recovery has bounds, else old chatter starts rounds. */
const MAX_MESSAGES = 300;

/**
 * Reads what people wrote in the conversations of a server since the newest message that is
 * stored, and stores it; what is young enough starts one round per conversation. A conversation
 * that cannot be read is logged and passed over. May run twice: known messages change nothing.
 */
export async function catchUp(
  services: Pick<Services, "storage" | "log">,
  ports: { readonly history: History; readonly router: Router },
  guildId: GuildId,
): Promise<void> {
  for (const place of ports.history.places(guildId)) {
    const newestId = await services.storage.messages.newestId(conversationOf(place));
    // Nothing was ever said there that we know of: then there is nothing to go on with.
    if (newestId === null) continue;
    try {
      await ports.router.caughtUp(await ports.history.since(place, newestId, MAX_MESSAGES));
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      services.log.warn({ err: error, place }, "what was written meanwhile could not be read");
    }
  }
}
