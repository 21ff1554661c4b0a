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
import { forbidden, hasCode } from "./errors.js";
import { isOfPersona } from "./meant.js";
import { isFromPerson, placeOf, receivedOf } from "./received.js";

const READ_HISTORY = "Read Message History";
const READING = { hasEffect: false, needs: `View Channel and ${READ_HISTORY}` };
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
      // Discord answers with an empty list then ("Get Channel Messages").
      if (!mayRead(channel)) throw forbidden(READ_HISTORY);
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

    async spoken(place, afterId, limit, signal) {
      const channel = channelAt(client, place);
      if (isQuietSince(channel, afterId)) return { posts: [], newestId: null };
      if (!mayRead(channel)) throw forbidden(READ_HISTORY);
      const messages = await newestAfter(channel, afterId, limit, signal);
      const posts = messages.filter(isOfPersona).map(({ id, author, content }) => ({
        id: asId<MessageId>(id),
        personaName: author.username,
        text: content,
      }));
      const newest = messages.findLast(
        (message) => isOfPersona(message) || message.author.id === client.user.id,
      );
      return { posts, newestId: newest === undefined ? null : asId<MessageId>(newest.id) };
    },

    async newest(place, limit, signal) {
      const channel = channelAt(client, place);
      if (!mayRead(channel)) return null;
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

    newestId(place) {
      const id = known(client, place)?.lastMessageId;
      return typeof id === "string" ? asId(id) : null;
    },

    mayRead(place) {
      const channel = known(client, place);
      return channel === null || mayRead(channel);
    },

    mayReadServer(guildId) {
      const me = client.guilds.cache.get(guildId)?.members.me ?? null;
      return me === null || me.permissions.has(PermissionFlagsBits.ReadMessageHistory);
    },
  };
}

function mayRead(channel: GuildTextBasedChannel): boolean {
  const permissions = channel.permissionsFor(channel.client.user);
  return permissions === null || permissions.has(PermissionFlagsBits.ReadMessageHistory);
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
  const channel = known(client, place);
  if (channel === null) {
    throw new ChatError("gone", "The channel is not there any more, or the bot does not see it.");
  }
  return channel;
}

function known(client: Client<true>, place: Place): GuildTextBasedChannel | null {
  const channel = client.channels.cache.get(conversationOf(place));
  const isOne = channel !== undefined && !channel.isDMBased() && channel.isTextBased();
  return isOne ? channel : null;
}

/** Oldest first. Uncached: a message that is in the cache before its event never becomes an event. */
async function readPage(
  channel: GuildTextBasedChannel,
  where: { readonly after?: string; readonly before?: string },
  limit: number,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  return attempt(READING, signal, async () => {
    const page: Collection<string, Message> = await channel.messages.fetch({
      limit,
      cache: false,
      ...where,
    });
    const messages: readonly (Message | Partial<Message>)[] = [...page.values()];
    if (!messages.every(isWhole)) throw new SyntaxError("The answer is no list of messages.");
    return messages.toSorted((a, b) => compareSnowflakes(a.id, b.id));
  });
}

/** A proxy's answer may look like a list without being one of messages. */
function isWhole(message: Message | Partial<Message>): message is Message {
  return typeof message.id === "string" && message.author != null;
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
