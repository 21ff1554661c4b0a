import type { GuildId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import type { Services } from "./services.js";
import { StopRound } from "./stopping.js";

/**
 * The bot was removed from a server: what runs there ends, and what waits there is not answered.
 * Agents, groups and transcripts stay, for the day when it is invited again.
 */
export async function leaveServer(
  { storage, mailboxes, log }: Pick<Services, "storage" | "mailboxes" | "log">,
  guildId: GuildId,
): Promise<void> {
  log.info({ guildId }, "the bot was removed from a server");
  for (const place of await storage.messages.pendingPlaces()) {
    if (place.guildId !== guildId) continue;
    const waiting = await storage.messages.pending(conversationOf(place));
    await storage.messages.settle(waiting.map(({ id }) => id));
  }
  const stop = new StopRound({ by: null, userId: null, why: "left" });
  for (const { id, place } of await storage.rounds.unfinished()) {
    if (place.guildId === guildId) mailboxes.abort(conversationOf(place), stop, id);
  }
}
