/** Channels are made once each, also when Discord gives no answer or acts late. */
import {
  type APIChannel,
  ChannelType,
  type Client,
  type Guild,
  type NonThreadGuildBasedChannel,
  type REST,
  RESTJSONErrorCodes,
  type RESTPostAPIGuildChannelJSONBody,
  Routes,
} from "discord.js";
import { asId, type ChannelId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, madeOf, withShortPauses } from "./attempt.js";
import { hasCode } from "./errors.js";
import { isAsked, LateChannels } from "./lateChannels.js";
import type { queues } from "./queues.js";
import { takeAway } from "./takeAway.js";

const MAKING = { hasEffect: true, needs: "View Channel and Manage Channels" };
const LOOKING = { hasEffect: false, needs: "View Channel" };
const REMOVING = { hasEffect: false, needs: "View Channel and Manage Channels" };
/** Between the looks for a channel that may have been made. */
const LOOKING_PAUSES_MS = [1_000, 3_000] as const;

interface Making {
  make(guild: Guild, body: RESTPostAPIGuildChannelJSONBody): Promise<ChannelId>;
  /** Deletes a channel; one that is gone already is fine. */
  discard(channelId: string): Promise<void>;
}

export function createMaking(options: {
  readonly client: Client<true>;
  readonly sender: REST;
  readonly clock: Clock;
  readonly log: Log;
  /** By server and category, so that nothing is put into a category while it goes. */
  readonly oneByOne: ReturnType<typeof queues>;
}): Making {
  const { client, sender, clock, log, oneByOne } = options;
  const late = new LateChannels(client, (channel) => {
    const { id, guildId } = channel;
    void takeAway({ clock, log }, { guildId, channelId: id }, () =>
      oneByOne(`${guildId}/${channel.name}`, () => discardUnused(channel)),
    );
  });

  /** Makes a channel or category; when the outcome is in doubt, looks whether it comes up. */
  function make(guild: Guild, body: RESTPostAPIGuildChannelJSONBody): Promise<ChannelId> {
    return late.making({ guildId: guild.id, body }, async () => {
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
        const made = await lookFor(
          guild,
          (channel) => !before.has(channel.id) && isAsked(channel, body),
        );
        if (made === null) throw error;
        return made;
      }
    });
  }

  /** Discord may need some seconds for what it gave no answer to. Null: it did not come up. */
  async function lookFor(
    guild: Guild,
    isWanted: (channel: NonThreadGuildBasedChannel) => boolean,
  ): Promise<ChannelId | null> {
    for (const pauseMs of [0, ...LOOKING_PAUSES_MS]) {
      if (pauseMs > 0) await clock.sleep(pauseMs);
      try {
        const channels = await attempt(LOOKING, undefined, () => guild.channels.fetch());
        const made = channels.find((channel) => channel !== null && isWanted(channel));
        if (made !== undefined && made !== null) return asId(made.id);
      } catch (error) {
        log.warn({ err: error, guildId: guild.id }, "whether a channel was made is not known");
      }
    }
    return null;
  }

  /** A channel in which somebody wrote, or a category with channels, stays. */
  async function discardUnused(channel: NonThreadGuildBasedChannel): Promise<boolean> {
    const isUsed =
      channel.type === ChannelType.GuildCategory
        ? channel.children.cache.size > 0
        : !channel.isTextBased() || channel.lastMessageId !== null;
    if (!isUsed) await discard(channel.id);
    return !isUsed;
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
    await attempt(REMOVING, undefined, async () => {
      try {
        await client.rest.delete(Routes.channel(channelId));
      } catch (error) {
        if (!hasCode(error, RESTJSONErrorCodes.UnknownChannel)) throw error;
      }
    });
  }

  return { make, discard };
}
