/** The categories and channels of a server, as far as they are known now. */
import {
  type CategoryChannel,
  ChannelType,
  type ClientUser,
  type Guild,
  PermissionFlagsBits,
  type TextChannel,
} from "discord.js";
import { ChatError } from "../../ports/chat.js";
import { fieldCodes } from "./errors.js";

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-structure */
export const CHANNELS_PER_CATEGORY = 50;

/** Names of categories need not be unique: one with room is preferred. Undefined: there is none. */
export function categoryWithRoom(guild: Guild, name: string): CategoryChannel | undefined {
  const categories = categoriesNamed(guild, name);
  return (
    categories.find(({ children }) => children.cache.size < CHANNELS_PER_CATEGORY) ?? categories[0]
  );
}

export function categoriesNamed(guild: Guild, name: string): readonly CategoryChannel[] {
  return [...guild.channels.cache.values()].filter(
    (channel) => channel.type === ChannelType.GuildCategory && channel.name === name,
  ) as CategoryChannel[];
}

/** Whether a category could not take a channel, full or deleted. */
export function isNoParent(error: unknown): boolean {
  return error instanceof ChatError && fieldCodes(error.cause, "parent_id").length > 0;
}

/** Where the bot may speak to everybody: the channel for the server's own messages, else the topmost. */
export function lobbyOf(guild: Guild | undefined, bot: ClientUser): TextChannel | null {
  const texts = [...(guild?.channels.cache.values() ?? [])].filter(
    (channel): channel is TextChannel => channel.type === ChannelType.GuildText,
  );
  const isFirst = ({ id }: TextChannel) => id === guild?.systemChannelId;
  const needed = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.SendMessages];
  return (
    texts
      .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || a.rawPosition - b.rawPosition)
      .find((channel) => channel.permissionsFor(bot)?.has(needed) === true) ?? null
  );
}
