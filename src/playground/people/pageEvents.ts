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
  switch (dispatch.t) {
    case Event.MessageCreate:
      return ofMessage(world, dispatch.d.channel_id, dispatch.d.id, userId, "message");
    case Event.MessageUpdate:
      return ofMessage(world, dispatch.d.channel_id, dispatch.d.id, userId, "messageUpdate");
    case Event.MessageReactionAdd:
    case Event.MessageReactionRemove:
    case Event.MessageReactionRemoveAll:
    case Event.MessageReactionRemoveEmoji:
      return ofMessage(
        world,
        dispatch.d.channel_id,
        dispatch.d.message_id,
        userId,
        "messageUpdate",
      );
    case Event.MessageDelete:
      return {
        type: "messageDelete",
        channelId: dispatch.d.channel_id,
        messageIds: [dispatch.d.id],
      };
    case Event.MessageDeleteBulk:
      return {
        type: "messageDelete",
        channelId: dispatch.d.channel_id,
        messageIds: dispatch.d.ids,
      };
    case Event.ChannelCreate:
    case Event.ChannelUpdate:
    case Event.ThreadCreate:
    case Event.ThreadUpdate: {
      const channel = world.channels.get(dispatch.d.id);
      if (!channel || !canSee(world, channel, userId)) return undefined;
      return { type: "channel", channel: pageChannel(channel) };
    }
    case Event.ChannelDelete:
    case Event.ThreadDelete:
      return { type: "channelDelete", guildId, channelId: dispatch.d.id };
    case Event.TypingStart:
      return {
        type: "typing",
        channelId: dispatch.d.channel_id,
        userId: dispatch.d.user_id,
        name: memberName(world, guildId, dispatch.d.user_id),
      };
    case Event.GuildCreate:
    case Event.GuildMemberAdd:
    case Event.GuildMemberUpdate:
    case Event.GuildMemberRemove:
    case Event.GuildRoleCreate:
    case Event.GuildRoleUpdate:
    case Event.GuildRoleDelete: {
      const guild = world.guilds.get(guildId);
      return guild ? { type: "guild", guild: pageGuild(world, guild) } : undefined;
    }
    default:
      return undefined;
  }
}

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
