/** Many groups at once: a bot in a process of its own, whose database and servers are furnished before it starts. */

import { ChannelType } from "discord-api-types/v10";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { openStorage } from "../../src/adapters/storage/open.js";
import {
  type AgentId,
  asId,
  type ChannelId,
  type GroupId,
  type GuildId,
  type MessageId,
  snowflakeAt,
  type UserId,
} from "../../src/domain/ids.js";
import type { Message, Place } from "../../src/domain/message.js";
import { createChannel } from "../../src/playground/world/channels.js";
import { createGuild } from "../../src/playground/world/guilds.js";
import type { GuildRecord } from "../../src/playground/world/records.js";
import type { Storage } from "../../src/ports/storage.js";
import { KillableBot } from "./killing.js";

/** Discord's: https://docs.discord.com/developers/resources/guild and the help pages name both. */
const CHANNELS_OF_A_CATEGORY = 50;
const GROUPS_OF_A_SERVER = 400;

export interface Crowd {
  readonly bot: KillableBot;
  /** The channel of each group, in the order of their numbers. */
  readonly channelIds: readonly string[];
  /** Somebody who may write in that channel. */
  readonly writerIn: (channelId: string) => string;
  close(): Promise<void>;
}

/** Open groups of Researcher, Editor and Planner, in as many servers as they need. The bot runs. */
export async function openCrowd(
  groups: number,
  options: {
    /** Looks at the database before the bot starts. */
    readonly furnish?: (
      storage: Storage,
      places: readonly Place[],
      bot: KillableBot,
    ) => Promise<void>;
  } = {},
): Promise<Crowd> {
  const bot = await KillableBot.open();
  const { world } = bot.loopback;
  const storage = await openStorage(bot.databaseUrl);
  const writers = new Map<string, string>();
  const places: Place[] = [];
  for (let first = 0; first < groups; first += GROUPS_OF_A_SERVER) {
    const server =
      first === 0
        ? { guild: bot.loopback.guild, ownerId: bot.loopback.owner.id }
        : anotherServer(bot, first);
    const agentIds: AgentId[] = [];
    for (const displayName of ["Researcher", "Editor", "Planner"]) {
      const id = asId<AgentId>(`${displayName.toLowerCase()}-${first}`);
      agentIds.push(id);
      await storage.agents.create({
        id,
        guildId: asId<GuildId>(server.guild.id),
        name: displayName.toLowerCase(),
        displayName,
        prompt: `The role of ${displayName}.`,
        model: null,
        picture: null,
        category: "Agents",
        channelId: textChannel(bot, server.guild, displayName, null),
        tokenBudget: null,
        createdAtMs: Date.now(),
        archivedAtMs: null,
      });
    }
    let categoryId: string | null = null;
    for (let index = first; index < Math.min(groups, first + GROUPS_OF_A_SERVER); index += 1) {
      if (index % CHANNELS_OF_A_CATEGORY === 0) {
        categoryId = createChannel(world, server.guild, {
          name: `Groups-${index}`,
          type: ChannelType.GuildCategory,
          quiet: true,
        }).id;
      }
      const channelId = textChannel(bot, server.guild, `group-${index}`, categoryId);
      places.push({ guildId: asId(server.guild.id), channelId, threadId: null });
      writers.set(channelId, server.ownerId);
      const [hostId] = agentIds;
      if (hostId === undefined) throw new Error("There are no members.");
      await storage.groups.create({
        id: asId<GroupId>(`group-${index}`),
        guildId: asId<GuildId>(server.guild.id),
        kind: "open",
        name: `group-${index}`,
        displayName: `Group ${index}`,
        category: `Groups-${index - (index % CHANNELS_OF_A_CATEGORY)}`,
        channelId,
        hostId,
        members: agentIds,
        muted: [],
        createdAtMs: Date.now(),
        archivedAtMs: null,
      });
    }
  }
  await options.furnish?.(storage, places, bot);
  await storage.close();
  await bot.start();
  await bot.untilDeadOrIdle();
  return {
    bot,
    channelIds: places.map(({ channelId }) => channelId),
    writerIn(channelId) {
      const writer = writers.get(channelId);
      if (writer === undefined) throw new Error("Nobody writes there.");
      return writer;
    },
    close: () => bot.close(),
  };
}

function anotherServer(bot: KillableBot, first: number): { guild: GuildRecord; ownerId: string } {
  const { guild, owner } = createGuild(bot.loopback.world, {
    name: `Workshop ${first}`,
    ownerName: "Ada",
    botPermissions: NEEDED_BITS,
  });
  return { guild, ownerId: owner.id };
}

function textChannel(
  bot: KillableBot,
  guild: GuildRecord,
  name: string,
  parentId: string | null,
): ChannelId {
  const { id } = createChannel(bot.loopback.world, guild, {
    name,
    type: ChannelType.GuildText,
    parentId,
    quiet: true,
  });
  return asId<ChannelId>(id);
}

/** A message of the server's owner, as the database holds it; ids rise with `createdAtMs`. */
export function personsMessage(given: Pick<Message, "place" | "text" | "createdAtMs">): Message {
  return {
    ...given,
    id: asId<MessageId>(snowflakeAt(given.createdAtMs)),
    author: { kind: "person", userId: asId<UserId>("800000000000000001"), name: "Ada" },
    attachments: [],
    replyToId: null,
    askedId: null,
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
}
