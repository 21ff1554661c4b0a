import {
  type APIChannel,
  ChannelType,
  type Client,
  type Guild,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  type REST,
  RESTJSONErrorCodes,
  type RESTPostAPIGuildChannelJSONBody,
  Routes,
} from "discord.js";
import { asId, type ChannelId } from "../../domain/ids.js";
import { type Chat, ChatError, type NewChannel } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, jsonOf, madeOf, withShortPauses } from "./attempt.js";
import {
  CHANNELS_PER_CATEGORY,
  categoriesNamed,
  categoryWithRoom,
  isNoParent,
  lobbyOf,
} from "./categories.js";
import { hasCode, namingCategory } from "./errors.js";

/** A persona speaks through a webhook; the bot itself says what goes wrong. */
const SPEAKING = [
  [PermissionFlagsBits.ViewChannel, "View Channel"],
  [PermissionFlagsBits.SendMessages, "Send Messages"],
  [PermissionFlagsBits.ManageWebhooks, "Manage Webhooks"],
] as const;
const MAKING = { hasEffect: true, needs: "View Channel and Manage Channels" };
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

  /** Makes a channel or category; when the outcome is in doubt, looks whether it is there. */
  async function make(guild: Guild, body: RESTPostAPIGuildChannelJSONBody): Promise<ChannelId> {
    const before = new Set(guild.channels.cache.keys());
    try {
      const channel = await withShortPauses(clock, undefined, () =>
        attempt(MAKING, undefined, () =>
          madeOf<APIChannel>(sender.post(Routes.guildChannels(guild.id), { body })),
        ),
      );
      await makeKnown(channel.id);
      return asId(channel.id);
    } catch (error) {
      if (!(error instanceof ChatError) || error.kind !== "unknown") throw error;
      const channels = await attempt(LOOKING, undefined, () => guild.channels.fetch());
      const made = channels.find(
        (channel) => channel !== null && !before.has(channel.id) && isAsked(channel, body),
      );
      if (made === undefined || made === null) throw error;
      return asId(made.id);
    }
  }

  /** The caller goes on with a new channel at once; the event that tells of it may be on its way. */
  async function makeKnown(channelId: string): Promise<void> {
    try {
      await client.channels.fetch(channelId);
    } catch (error) {
      log.warn({ err: error, channelId }, "a new channel could not be read back");
    }
  }

  async function discard(channelId: string): Promise<void> {
    await attempt(CHANGING, undefined, async () => {
      try {
        await client.rest.delete(Routes.channel(channelId));
      } catch (error) {
        if (!hasCode(error, RESTJSONErrorCodes.UnknownChannel)) throw error;
      }
    });
  }

  async function createChannel(guild: Guild, channel: NewChannel): Promise<ChannelId> {
    const { name, category, topic } = channel;
    const existing = categoryWithRoom(guild, category);
    const parentId =
      existing?.id ?? (await make(guild, { name: category, type: ChannelType.GuildCategory }));
    try {
      return await make(guild, { name, type: ChannelType.GuildText, parent_id: parentId, topic });
    } catch (error) {
      if (existing === undefined) await discard(parentId);
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
    const madeId = await make(guild, { name: category, type: ChannelType.GuildCategory });
    try {
      await put(channel.id, madeId);
    } catch (error) {
      await discard(madeId);
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

    discardChannel: discard,

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
      return SPEAKING.filter(([flag]) => !permissions.has(flag)).map(([, name]) => name);
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

/** Discord may change the name of a text channel, so that one is known by its place and topic. */
function isAsked(channel: NonThreadGuildBasedChannel, body: RESTPostAPIGuildChannelJSONBody) {
  if (channel.type === ChannelType.GuildCategory) {
    return body.type === ChannelType.GuildCategory && channel.name === body.name;
  }
  return (
    channel.type === ChannelType.GuildText &&
    body.type === ChannelType.GuildText &&
    channel.parentId === body.parent_id &&
    (channel.topic ?? "") === body.topic
  );
}

/** Runs jobs of the same key one after another. */
function queues(): <T>(key: string, job: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, job) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(job, job);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
