import {
  type Client,
  type Collection,
  type GuildTextBasedChannel,
  type Message,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
} from "discord.js";
import { asId, compareSnowflakes, type GuildId, type MessageId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { ChatError, type ReceivedMessage } from "../../ports/chat.js";
import type { History } from "../../ports/listener.js";
import { attempt } from "./attempt.js";
import { hasCode } from "./errors.js";
import { isFromPerson, placeOf, receivedOf } from "./received.js";

const READING = { hasEffect: false, needs: "View Channel and Read Message History" };
/** https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100;

export function createHistory(client: Client<true>): History {
  return {
    servers: () =>
      [...client.guilds.cache.values()]
        .filter((guild) => guild.available)
        .map((guild) => asId<GuildId>(guild.id)),

    places(guildId) {
      const places: Place[] = [];
      for (const channel of client.guilds.cache.get(guildId)?.channels.cache.values() ?? []) {
        if (channel.isTextBased()) places.push(placeOf(channel));
      }
      return places;
    },

    async since(place, afterId, limit, signal) {
      const channel = channelAt(client, place);
      if (afterId !== null && isQuietSince(channel, afterId)) return [];
      const size = Math.min(limit, PAGE);
      const first = await readPage(
        channel,
        afterId === null ? {} : { after: afterId },
        size,
        signal,
      );
      // Without `after` the page was the newest there is; a page that is not full was all.
      const isAll = afterId === null || first.length < size;
      return received(isAll ? first : await newestAfter(channel, afterId, limit, signal), signal);
    },

    async newest(place, limit, signal) {
      const channel = channelAt(client, place);
      if (!channel.permissionsFor(client.user)?.has(PermissionFlagsBits.ReadMessageHistory)) {
        return null;
      }
      const found: Message[] = [];
      let isWhole = false;
      while (found.length < limit && !isWhole) {
        const before = found[0]?.id;
        const size = Math.min(limit - found.length, PAGE);
        const page = await readPage(channel, before === undefined ? {} : { before }, size, signal);
        found.unshift(...page);
        // Only an empty page says that there is nothing older.
        isWhole = page.length === 0;
      }
      return {
        ids: found.map((message) => asId<MessageId>(message.id)),
        isWhole,
        edited: found.flatMap((message) => {
          const received = message.editedTimestamp === null ? null : receivedOf(message);
          return received === null || message.editedTimestamp === null
            ? []
            : [{ message: received, editedAtMs: message.editedTimestamp }];
        }),
      };
    },
  };
}

/**
 * Discord names the last message of a channel when the bot connects and with every new one, so a
 * channel in which nothing was written need not be read. Null is no answer: then it is read.
 */
function isQuietSince({ lastMessageId }: GuildTextBasedChannel, afterId: MessageId): boolean {
  return typeof lastMessageId === "string" && compareSnowflakes(lastMessageId, afterId) <= 0;
}

/** The newest messages after `afterId`, at most `limit`, oldest first. */
async function newestAfter(
  channel: GuildTextBasedChannel,
  afterId: MessageId,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const found: Message[] = [];
  while (found.length < limit) {
    const size = Math.min(limit - found.length, PAGE);
    const before = found[0]?.id;
    const page = await readPage(channel, before === undefined ? {} : { before }, size, signal);
    const wanted = page.filter((message) => compareSnowflakes(message.id, afterId) > 0);
    found.unshift(...wanted);
    if (wanted.length < size) break;
  }
  return found;
}

/** The channel or thread of a place. Rejects when the bot does not see it. */
function channelAt(client: Client<true>, place: Place): GuildTextBasedChannel {
  const channel = client.channels.cache.get(conversationOf(place));
  if (channel === undefined || channel.isDMBased() || !channel.isTextBased()) {
    throw new ChatError("gone", "The channel is not there any more, or the bot does not see it.");
  }
  return channel;
}

/** Oldest first. Uncached: a message that is in the cache before its event never becomes an event. */
async function readPage(
  channel: GuildTextBasedChannel,
  where: { readonly after?: string; readonly before?: string },
  limit: number,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const page: Collection<string, Message> = await attempt(READING, signal, () =>
    channel.messages.fetch({ limit, cache: false, ...where }),
  );
  return [...page.values()].sort((a, b) => compareSnowflakes(a.id, b.id));
}

/** History comes without memberships, which say what a person may do: they are read once each. */
async function received(
  messages: readonly Message[],
  signal: AbortSignal | undefined,
): Promise<readonly ReceivedMessage[]> {
  const asked = new Set<string>();
  for (const message of messages) {
    const { guild, author } = message;
    if (guild === null || message.member !== null || !isFromPerson(message)) continue;
    if (asked.has(author.id)) continue;
    asked.add(author.id);
    await attempt(READING, signal, async () => {
      try {
        await guild.members.fetch(author.id);
      } catch (error) {
        if (!hasCode(error, RESTJSONErrorCodes.UnknownMember)) throw error;
      }
    });
  }
  return messages.flatMap((message) => receivedOf(message) ?? []);
}
