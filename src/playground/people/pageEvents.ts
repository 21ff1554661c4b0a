import { GatewayDispatchEvents as Event } from "discord-api-types/v10";
import type { PlaygroundEvent } from "../peopleApi.js";
import { canSee } from "../world/permissions.js";
import type { Dispatch, World, WorldEvent } from "../world/world.js";
import {
  isVisibleTo,
  memberName,
  pageChannel,
  pageGuild,
  pageInteraction,
  pageMessage,
} from "./pageViews.js";

/** What the page of `userId` hears of an event of the world; nothing for what it may not see. */
export function pageEvent(
  world: World,
  event: WorldEvent,
  userId: string,
): PlaygroundEvent | undefined {
  if (event.kind === "interaction") {
    const { interaction } = event;
    if (interaction.userId !== userId) return undefined;
    return { type: "interaction", interaction: pageInteraction(world, interaction) };
  }
  const { dispatch, guildId, channelId, onlyFor } = event;
  if (!world.guilds.get(guildId)?.members.has(userId)) return undefined;
  if (onlyFor !== null && onlyFor !== userId) return undefined;
  const channel = channelId === null ? undefined : world.channels.get(channelId);
  if (channel && !canSee(world, channel, userId)) return undefined;
  return translate(world, dispatch, guildId, userId);
}

function translate(
  world: World,
  dispatch: Dispatch,
  guildId: string,
  userId: string,
): PlaygroundEvent | undefined {
  const { t, d } = dispatch;
  if (t === Event.MessageCreate) return ofMessage(world, d.channel_id, d.id, userId, "message");
  if (t === Event.MessageUpdate) {
    return ofMessage(world, d.channel_id, d.id, userId, "messageUpdate");
  }
  if (
    t === Event.MessageReactionAdd ||
    t === Event.MessageReactionRemove ||
    t === Event.MessageReactionRemoveAll ||
    t === Event.MessageReactionRemoveEmoji
  ) {
    return ofMessage(world, d.channel_id, d.message_id, userId, "messageUpdate");
  }
  if (t === Event.MessageDelete) {
    return { type: "messageDelete", channelId: d.channel_id, messageIds: [d.id] };
  }
  if (t === Event.MessageDeleteBulk) {
    return { type: "messageDelete", channelId: d.channel_id, messageIds: d.ids };
  }
  if (
    t === Event.ChannelCreate ||
    t === Event.ChannelUpdate ||
    t === Event.ThreadCreate ||
    t === Event.ThreadUpdate
  ) {
    const channel = world.channels.get(d.id);
    if (!channel || !canSee(world, channel, userId)) return undefined;
    return { type: "channel", channel: pageChannel(channel) };
  }
  if (t === Event.ChannelDelete || t === Event.ThreadDelete) {
    return { type: "channelDelete", guildId, channelId: d.id };
  }
  if (t === Event.TypingStart) {
    const name = memberName(world, guildId, d.user_id);
    return { type: "typing", channelId: d.channel_id, userId: d.user_id, name };
  }
  const guild = world.guilds.get(guildId);
  if (!guild || !CHANGES_GUILD.has(t)) return undefined;
  return { type: "guild", guild: pageGuild(world, guild) };
}

const CHANGES_GUILD: ReadonlySet<Event> = new Set([
  Event.GuildCreate,
  Event.GuildMemberAdd,
  Event.GuildMemberUpdate,
  Event.GuildMemberRemove,
  Event.GuildRoleCreate,
  Event.GuildRoleUpdate,
  Event.GuildRoleDelete,
]);

function ofMessage(
  world: World,
  channelId: string,
  messageId: string,
  userId: string,
  type: "message" | "messageUpdate",
): PlaygroundEvent | undefined {
  const message = world.messages.get(channelId)?.get(messageId);
  if (!message || !isVisibleTo(world, message, userId)) return undefined;
  return { type, message: pageMessage(world, message) };
}
