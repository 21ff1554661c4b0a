import type { GuildId } from "../domain/ids.js";
import type { History } from "../ports/listener.js";
import type { Services } from "./services.js";

/**
 * Logs, with the remedy, where the bot may not read the history of a group's or agent's channel: what
 * people write there while it is away it never gets to know. The server is named when the bot's roles
 * lack the permission, a channel when only that one takes it away.
 */
export async function warnOfMissingHistory(
  { storage, log }: Pick<Services, "storage" | "log">,
  history: Pick<History, "places" | "mayRead" | "mayReadServer">,
  guildId: GuildId,
): Promise<void> {
  const owners = [...(await storage.groups.list(guildId)), ...(await storage.agents.list(guildId))];
  const owned = new Set(
    owners.filter(({ archivedAtMs }) => archivedAtMs === null).map(({ channelId }) => channelId),
  );
  const unreadable = history
    .places(guildId)
    .filter((place) => owned.has(place.channelId) && place.threadId === null)
    .filter((place) => !history.mayRead(place));
  if (!history.mayReadServer(guildId)) {
    log.warn(
      { guildId, channels: unreadable.length },
      "Read Message History is missing in a server: give it to the bot's role there, or what is written while the bot is away is never read",
    );
    return;
  }
  for (const { channelId } of unreadable) {
    log.warn(
      { guildId, channelId },
      "Read Message History is missing in a channel: allow it to the bot in the channel's permissions, or what is written there while the bot is away is never read",
    );
  }
}
