/** What a person may do and read, asked anew each time: rights change. */
import {
  ChannelType,
  type Client,
  type Guild,
  type GuildMember,
  type GuildTextBasedChannel,
  type Message,
  PermissionFlagsBits as Permission,
  RESTJSONErrorCodes,
} from "discord.js";
import { asId, compareSnowflakes, type UserId } from "../../domain/ids.js";
import { conversationOf } from "../../domain/message.js";
import { lackText } from "../../domain/phrases.js";
import { type Chat, ChatError, type SeenMessage } from "../../ports/chat.js";
import { attempt } from "./attempt.js";
import { hasCode } from "./errors.js";
import { askerOf, attachmentsOf, isFromPerson, textOf } from "./received.js";

const ASKING = { hasEffect: false, needs: "access to the server" };
const READING = { hasEffect: false, needs: "View Channel and Read Message History" };

export function createReading(client: Client<true>): Pick<Chat, "asker" | "sees" | "read"> {
  return {
    async asker(userId, place) {
      const guild = guildOf(client, place.guildId);
      const member = await memberOf(guild, userId);
      if (member === null) return null;
      const channel = guild.channels.cache.get(conversationOf(place));
      const isMuted = isTimedOut(member);
      const asker = askerOf(guild.id, member.user, member, {
        canWriteHere: channel?.isTextBased() === true && !isMuted && canWrite(channel, member),
      });
      return isMuted ? { ...asker, canManageChannels: false } : asker;
    },

    async sees(userId, place) {
      const guild = guildOf(client, place.guildId);
      const member = await memberOf(guild, userId);
      const channel = guild.channels.cache.get(conversationOf(place));
      if (member === null || channel === undefined) return false;
      return channel.permissionsFor(member).has(Permission.ViewChannel);
    },

    async read({ guildId, userId, channel: wanted, around, limit }) {
      const guild = guildOf(client, guildId);
      const member = await memberOf(guild, userId);
      if (member === null) return null;
      const channel = await theReadable(guild, wanted, member);
      if (channel === null) return null;
      const page = await attempt(READING, undefined, () =>
        channel.messages.fetch({ limit, cache: false, ...(around === null ? {} : { around }) }),
      ).catch((error: unknown) => {
        throw namingChannel(error, channel.name);
      });
      return [...page.values()]
        .sort((a, b) => compareSnowflakes(a.id, b.id))
        .flatMap((message) => (message.inGuild() ? [seenOf(message)] : []));
    },
  };
}

/** The same error; one of a missing permission says where it is missing. */
function namingChannel(error: unknown, name: string): unknown {
  if (!(error instanceof ChatError) || error.kind !== "forbidden") return error;
  return new ChatError("forbidden", lackText(READING.needs, `to read #${name}`), {
    needs: READING.needs,
    cause: error.cause,
  });
}

function guildOf(client: Client<true>, guildId: string): Guild {
  const guild = client.guilds.cache.get(guildId);
  if (guild === undefined || !guild.available) {
    throw new ChatError("gone", "The server is not there at the moment.");
  }
  return guild;
}

/** What is known of a member may be old: without the intent for it no event tells of changes. */
async function memberOf(guild: Guild, userId: UserId): Promise<GuildMember | null> {
  return attempt(ASKING, undefined, async () => {
    try {
      return await guild.members.fetch({ user: userId, force: true });
    } catch (error) {
      const isNone = hasCode(
        error,
        RESTJSONErrorCodes.UnknownMember,
        RESTJSONErrorCodes.UnknownUser,
      );
      if (isNone) return null;
      throw error;
    }
  });
}

/** A time-out takes every right but those to look and read (Discord API, "Permissions for Timed Out Members"). */
function isTimedOut(member: GuildMember): boolean {
  return (
    member.isCommunicationDisabled() && !member.permissions.has(Permission.Administrator, true)
  );
}

function canWrite(channel: GuildTextBasedChannel, member: GuildMember): boolean {
  const needed = channel.isThread() ? Permission.SendMessagesInThreads : Permission.SendMessages;
  return channel.permissionsFor(member).has([Permission.ViewChannel, needed]);
}

/** By id or mention, else by name; channels come before threads of the same name. Refuses to guess. */
async function theReadable(
  guild: Guild,
  wanted: string,
  member: GuildMember,
): Promise<GuildTextBasedChannel | null> {
  const [, id] = /^<?#?(\d{17,20})>?$/u.exec(wanted.trim()) ?? [];
  const name = wanted.trim().replace(/^#/u, "").toLowerCase();
  const found = [...guild.channels.cache.values()]
    .filter((channel): channel is GuildTextBasedChannel & typeof channel => channel.isTextBased())
    .filter((channel) =>
      id === undefined ? channel.name.toLowerCase() === name : channel.id === id,
    )
    .sort((a, b) => Number(a.isThread()) - Number(b.isThread()) || compareSnowflakes(a.id, b.id));
  const readable: (typeof found)[number][] = [];
  for (const channel of found) {
    if (readable[0]?.isThread() === false && channel.isThread()) break;
    if (await mayRead(channel, member)) readable.push(channel);
  }
  if (readable.length > 1) throw severalOf(readable);
  return readable[0] ?? null;
}

/** More of them would fill the answer. */
const LISTED_CHANNELS = 10;

function severalOf(channels: readonly GuildTextBasedChannel[]): ChatError {
  const listed = channels.slice(0, LISTED_CHANNELS).map((channel) => {
    const where = channel.parent === null ? "" : ` (in ${channel.parent.name})`;
    return `<#${channel.id}>${where}`;
  });
  const [first] = channels;
  return new ChatError(
    "refused",
    `There are ${channels.length} channels called ${first?.name ?? ""}: ${listed.join(", ")}. Say which one by its id or link.`,
  );
}

async function mayRead(channel: GuildTextBasedChannel, member: GuildMember): Promise<boolean> {
  const permissions = channel.permissionsFor(member);
  if (!permissions.has([Permission.ViewChannel, Permission.ReadMessageHistory])) return false;
  if (!channel.isThread() || channel.type !== ChannelType.PrivateThread) return true;
  if (permissions.has(Permission.ManageThreads)) return true;
  return attempt(READING, undefined, async () => {
    try {
      await channel.members.fetch({ member: member.id, force: true });
      return true;
    } catch (error) {
      if (hasCode(error, RESTJSONErrorCodes.UnknownMember)) return false;
      throw error;
    }
  });
}

function seenOf(message: Message<true>): SeenMessage {
  return {
    id: asId(message.id),
    authorName: message.member?.displayName ?? message.author.displayName,
    userId: isFromPerson(message) ? asId(message.author.id) : null,
    text: textOf(message),
    files: attachmentsOf(message).map(({ name }) => name),
    createdAtMs: message.createdTimestamp,
  };
}
