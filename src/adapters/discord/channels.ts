import {
  ChannelType,
  type Client,
  type Guild,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from "discord.js";
import { asId, type ChannelId } from "../../domain/ids.js";
import { type Chat, ChatError, type NewChannel } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, jsonOf } from "./attempt.js";
import {
  CHANNELS_PER_CATEGORY,
  categoriesNamed,
  categoryWithRoom,
  isNoParent,
  lobbyOf,
} from "./categories.js";
import { hasCode, namingCategory } from "./errors.js";
import { createMaking } from "./making.js";
import { queues } from "./queues.js";

/** A persona speaks through a webhook; the bot itself says what goes wrong. */
const SPEAKING = [
  [PermissionFlagsBits.ViewChannel, "View Channel"],
  [PermissionFlagsBits.SendMessages, "Send Messages"],
  [PermissionFlagsBits.ManageWebhooks, "Manage Webhooks"],
] as const;
const SPEAKING_IN_THREADS = [
  [PermissionFlagsBits.ViewChannel, "View Channel"],
  [PermissionFlagsBits.SendMessagesInThreads, "Send Messages in Threads"],
  [PermissionFlagsBits.ManageWebhooks, "Manage Webhooks"],
] as const;
const LOOKING = { hasEffect: false, needs: "View Channel" };
const CHANGING = { hasEffect: false, needs: "View Channel and Manage Channels" };
/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const ANOTHER_MOVE = 40009;
const BUSY_PAUSES = 4;
const BUSY_PAUSE_MS = 1_000;

type MovableChannel = Extract<NonThreadGuildBasedChannel, { readonly parentId: string | null }>;

/** The channels of agents and groups. */
export function createChannels(options: {
  readonly client: Client<true>;
  readonly sender: REST;
  readonly clock: Clock;
  readonly log: Log;
}): Pick<
  Chat,
  | "createChannel"
  | "findChannels"
  | "discardChannel"
  | "moveChannel"
  | "lacking"
  | "lobby"
  | "hasChannel"
  | "setTopic"
  | "topic"
> {
  const { client, sender, clock, log } = options;
  const oneByOne = queues();

  const making = createMaking({ client, sender, clock, log, oneByOne });

  async function createChannel(guild: Guild, channel: NewChannel): Promise<ChannelId> {
    const { name, category, topic } = channel;
    const existing = categoryWithRoom(guild, category);
    const parentId =
      existing?.id ??
      (await making.make(guild, { name: category, type: ChannelType.GuildCategory }));
    try {
      return await making.make(guild, {
        name,
        type: ChannelType.GuildText,
        parent_id: parentId,
        topic,
      });
    } catch (error) {
      if (existing === undefined) await making.discard(parentId);
      throw namingCategory(error, category);
    }
  }

  /**
   * A category that turns out to have no room, or to be gone, is passed over. A channel that is
   * there already stays, which takes no permission.
   */
  async function move(
    channel: MovableChannel,
    category: string,
    whenFull: "refuse" | "another",
  ): Promise<void> {
    const { guild } = channel;
    const categories = categoriesNamed(guild, category);
    let refusal: unknown = null;
    for (const { id, children } of categories) {
      if (channel.parentId === id) return;
      if (whenFull === "another" && children.cache.size >= CHANNELS_PER_CATEGORY) continue;
      try {
        return await put(channel.id, id);
      } catch (error) {
        if (!isNoParent(error)) throw error;
        refusal = error;
      }
    }
    if (whenFull === "refuse" && refusal !== null) throw namingCategory(refusal, category);
    const madeId = await making.make(guild, { name: category, type: ChannelType.GuildCategory });
    try {
      await put(channel.id, madeId);
    } catch (error) {
      await making.discard(madeId);
      throw error;
    }
  }

  /** Discord moves one channel of a server at a time, whoever asks. */
  async function put(channelId: string, parentId: string): Promise<void> {
    for (let pausesLeft = BUSY_PAUSES; ; pausesLeft -= 1) {
      try {
        await attempt(CHANGING, undefined, () =>
          client.rest.patch(Routes.channel(channelId), { body: { parent_id: parentId } }),
        );
        return;
      } catch (error) {
        const cause = error instanceof ChatError ? error.cause : undefined;
        if (!hasCode(cause, ANOTHER_MOVE) || pausesLeft === 0) throw error;
        await clock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  return {
    async createChannel(channel) {
      const guild = client.guilds.cache.get(channel.guildId);
      if (guild === undefined || !guild.available) throw serverAway();
      // At the same moment, two commands would each make the missing category.
      return oneByOne(`${guild.id}/${channel.category}`, () => createChannel(guild, channel));
    },

    async findChannels({ guildId, name, topic }, sinceMs) {
      const guild = client.guilds.cache.get(guildId);
      if (guild === undefined || !guild.available) throw serverAway();
      const channels = await attempt(LOOKING, undefined, () => guild.channels.fetch());
      return [...channels.values()].flatMap((channel) =>
        channel?.type === ChannelType.GuildText &&
        channel.name === name &&
        (channel.topic ?? "") === topic &&
        channel.createdTimestamp >= sinceMs
          ? [{ channelId: asId(channel.id), isUnused: channel.lastMessageId === null }]
          : [],
      );
    },

    discardChannel: (channelId) => making.discard(channelId),

    async moveChannel(channelId, category, whenFull) {
      // Asked anew: events of what was moved just now may be on their way.
      const channel = await attempt(CHANGING, undefined, () =>
        client.channels.fetch(channelId, { force: true }),
      );
      if (
        channel === null ||
        channel.isDMBased() ||
        channel.isThread() ||
        !("parentId" in channel)
      ) {
        throw new ChatError("gone", "The channel is not there any more.");
      }
      const { guild } = channel;
      await oneByOne(`${guild.id}/${category}`, () => move(channel, category, whenFull));
    },

    lacking(channelId) {
      const channel = client.channels.cache.get(channelId);
      if (channel === undefined || channel.isDMBased()) return [];
      const permissions = channel.permissionsFor(client.user);
      if (permissions === null) return [];
      const needed = channel.isThread() ? SPEAKING_IN_THREADS : SPEAKING;
      return needed.filter(([flag]) => !permissions.has(flag)).map(([, name]) => name);
    },

    lobby(guildId) {
      const channel = lobbyOf(client.guilds.cache.get(guildId), client.user);
      return channel === null ? null : asId(channel.id);
    },

    async hasChannel(channelId) {
      return attempt(LOOKING, undefined, async () => {
        try {
          await jsonOf(client.rest.get(Routes.channel(channelId)));
          return true;
        } catch (error) {
          if (hasCode(error, RESTJSONErrorCodes.UnknownChannel)) return false;
          if (hasCode(error, RESTJSONErrorCodes.MissingAccess)) return true;
          throw error;
        }
      });
    },

    async setTopic(channelId, topic) {
      await attempt(CHANGING, undefined, () =>
        client.rest.patch(Routes.channel(channelId), { body: { topic } }),
      );
    },

    topic(channelId) {
      const channel = client.channels.cache.get(channelId);
      const isText =
        channel?.type === ChannelType.GuildText || channel?.type === ChannelType.GuildAnnouncement;
      return isText ? (channel.topic ?? "") : null;
    },
  };
}

function serverAway(): ChatError {
  return new ChatError("gone", "The server is not there at the moment.");
}
