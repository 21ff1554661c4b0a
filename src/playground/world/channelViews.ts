import {
  type APIApplicationEmoji,
  type APIChannel,
  type APIGuildCategoryChannel,
  type APIGuildVoiceChannel,
  type APINewsChannel,
  type APIOverwrite,
  type APITextChannel,
  type APIThreadChannel,
  type APIThreadMember,
  type APIWebhook,
  type ChannelFlags,
  ChannelType,
  OverwriteType,
  WebhookType,
} from "discord-api-types/v10";
import { never } from "../never.js";
import type {
  AnyChannelRecord,
  ChannelRecord,
  EmojiRecord,
  ThreadRecord,
  WebhookRecord,
} from "./records.js";
import { bits, isoTime, viewUser } from "./views.js";
import type { World } from "./world.js";

export function viewOverwrites(channel: ChannelRecord): APIOverwrite[] {
  return [...channel.overwrites.values()].map((overwrite) => ({
    id: overwrite.id,
    type: overwrite.type === 0 ? OverwriteType.Role : OverwriteType.Member,
    allow: String(overwrite.allow),
    deny: String(overwrite.deny),
  }));
}

export function viewChannel(channel: AnyChannelRecord): APIChannel {
  return channel.kind === "thread" ? viewThread(channel) : viewPlainChannel(channel);
}

export type APIPlainChannel =
  | APITextChannel
  | APINewsChannel
  | APIGuildVoiceChannel
  | APIGuildCategoryChannel;

export function viewPlainChannel(channel: ChannelRecord): APIPlainChannel {
  const common = {
    id: channel.id,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    permission_overwrites: viewOverwrites(channel),
    flags: bits<ChannelFlags>(0),
  };
  const text = {
    ...common,
    parent_id: channel.parentId,
    nsfw: channel.nsfw,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowmodeSeconds,
  };
  switch (channel.type) {
    case ChannelType.GuildCategory:
      return { ...common, type: ChannelType.GuildCategory, parent_id: null };
    case ChannelType.GuildVoice:
      return {
        ...text,
        type: ChannelType.GuildVoice,
        bitrate: 64_000,
        user_limit: 0,
        rtc_region: null,
      };
    case ChannelType.GuildAnnouncement:
      return { ...text, type: ChannelType.GuildAnnouncement, topic: channel.topic };
    case ChannelType.GuildText:
      return { ...text, type: ChannelType.GuildText, topic: channel.topic };
    default:
      return never(channel.type);
  }
}

export function viewThread(thread: ThreadRecord): APIThreadChannel {
  return {
    id: thread.id,
    type: thread.type,
    guild_id: thread.guildId,
    parent_id: thread.parentId,
    owner_id: thread.ownerId,
    name: thread.name,
    last_message_id: thread.lastMessageId,
    rate_limit_per_user: thread.slowmodeSeconds,
    message_count: Math.min(thread.messageCount, 50),
    total_message_sent: thread.totalMessageSent,
    member_count: Math.min(thread.members.size, 50),
    flags: bits(0),
    applied_tags: [],
    thread_metadata: {
      archived: thread.archived,
      auto_archive_duration: bits(thread.autoArchiveMinutes),
      archive_timestamp: isoTime(thread.archiveTimestampMs),
      locked: thread.locked,
      create_timestamp: isoTime(thread.createdAtMs),
      ...(thread.type === ChannelType.PrivateThread ? { invitable: thread.invitable } : {}),
    },
  };
}

export function viewThreadMember(thread: ThreadRecord, userId: string): APIThreadMember {
  return {
    id: thread.id,
    user_id: userId,
    join_timestamp: isoTime(thread.members.get(userId) ?? thread.createdAtMs),
    flags: bits(0),
  };
}

/** `withToken` only for webhooks that the asking application made itself. */
export function viewWebhook(
  world: World,
  webhook: WebhookRecord,
  shown: { readonly token: boolean; readonly user: boolean },
): APIWebhook {
  return {
    id: webhook.id,
    type: WebhookType.Incoming,
    guild_id: webhook.guildId,
    channel_id: webhook.channelId,
    name: webhook.name,
    avatar: webhook.avatar,
    application_id: webhook.applicationId,
    ...(shown.user ? { user: viewUser(world.user(webhook.userId)) } : {}),
    ...(shown.token
      ? {
          token: webhook.token,
          url: `https://discord.com/api/webhooks/${webhook.id}/${webhook.token}`,
        }
      : {}),
  };
}

export function viewEmoji(world: World, emoji: EmojiRecord): APIApplicationEmoji {
  return {
    id: emoji.id,
    name: emoji.name,
    user: viewUser(world.user(emoji.userId)),
    roles: [],
    require_colons: true,
    managed: false,
    animated: emoji.animated,
    available: true,
  };
}
