import {
  type APIApplication,
  type APIApplicationEmoji,
  type APIChannel,
  type APIGuild,
  type APIGuildCategoryChannel,
  type APIGuildMember,
  type APIGuildVoiceChannel,
  type APINewsChannel,
  type APIOverwrite,
  type APIRole,
  type APITextChannel,
  type APIThreadChannel,
  type APIThreadMember,
  type APIUser,
  type APIWebhook,
  ChannelType,
  Locale,
} from "discord-api-types/v10";
import type {
  AnyChannelRecord,
  ChannelRecord,
  EmojiRecord,
  GuildRecord,
  MemberRecord,
  RoleRecord,
  ThreadRecord,
  UserRecord,
  WebhookRecord,
} from "./records.js";
import type { World } from "./world.js";

/** Records as Discord shows them. A number: Discord's flag types have no name for none. */
const NO_FLAGS: number = 0;

export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000+00:00");
}

export function viewUser(user: UserRecord): APIUser {
  return {
    id: user.id,
    username: user.username,
    discriminator: user.bot ? "0001" : "0",
    global_name: user.globalName,
    avatar: null,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
    public_flags: NO_FLAGS,
    flags: NO_FLAGS,
    ...(user.bot ? { bot: true } : {}),
  };
}

/** The bot's view of itself. */
export function viewSelf(user: UserRecord): APIUser {
  return { ...viewUser(user), mfa_enabled: false, locale: "en-US", verified: true, email: null };
}

export function viewMember(world: World, member: MemberRecord) {
  return {
    ...viewMemberWithoutUser(member),
    user: viewUser(world.user(member.userId)),
  } satisfies APIGuildMember;
}

export function viewMemberWithoutUser(member: MemberRecord) {
  return {
    avatar: null,
    banner: null,
    communication_disabled_until: null,
    flags: NO_FLAGS,
    joined_at: isoTime(member.joinedAtMs),
    nick: member.nick,
    pending: false,
    premium_since: null,
    roles: [...member.roleIds],
    mute: false,
    deaf: false,
  } satisfies Omit<APIGuildMember, "user">;
}

export function viewRole(role: RoleRecord, botUserId: string): APIRole {
  return {
    id: role.id,
    name: role.name,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: NO_FLAGS,
    ...(role.managed ? { tags: { bot_id: botUserId } } : {}),
  };
}

export function viewGuild(world: World, guild: GuildRecord): APIGuild {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    ...HOME_HEADER,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: "us-central",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: NO_FLAGS,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: [...guild.roles.values()].map((role) => viewRole(role, world.application.botUserId)),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: Locale.EnglishUS,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    hub_type: null,
    nsfw_level: 0,
    ...{ nsfw: false },
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

/** Sent by Discord, missing in the types. */
const HOME_HEADER = { home_header: null };

export function viewOverwrites(channel: ChannelRecord): APIOverwrite[] {
  return [...channel.overwrites.values()].map((overwrite) => ({
    id: overwrite.id,
    type: overwrite.type,
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
    flags: NO_FLAGS,
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
    flags: NO_FLAGS,
    applied_tags: [],
    thread_metadata: {
      archived: thread.archived,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: isoTime(thread.archiveTimestampMs),
      locked: thread.locked,
      create_timestamp: isoTime(thread.createdAtMs),
      ...(thread.type === 12 ? { invitable: thread.invitable } : {}),
    },
  };
}

export function viewThreadMember(thread: ThreadRecord, userId: string): APIThreadMember {
  return {
    id: thread.id,
    user_id: userId,
    join_timestamp: isoTime(thread.members.get(userId) ?? thread.createdAtMs),
    flags: NO_FLAGS,
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
    type: 1,
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

export function viewApplication(world: World): APIApplication {
  const { application } = world;
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: "",
    ...{ type: null },
    summary: "",
    bot: viewUser(world.user(application.botUserId)),
    bot_public: false,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: APPLICATION_FLAGS,
    flags_new: String(APPLICATION_FLAGS),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: viewUser(world.user(application.ownerId)),
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    ...{ explicit_content_filter: 0, eligible_oauth2_scopes: [] },
    team: null,
  };
}

/** Bit 19: the message-content intent is switched on for a small application. */
export const APPLICATION_FLAGS = 1 << 19;
