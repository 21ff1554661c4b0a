import {
  type APIApplication,
  type APIGuild,
  type APIGuildMember,
  type APIRole,
  type APIUser,
  ApplicationFlags,
  GatewayIntentBits,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  type GuildMemberFlags,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  GuildVerificationLevel,
  Locale,
} from "discord-api-types/v10";
import type { GuildRecord, MemberRecord, RoleRecord, UserRecord } from "./records.js";
import type { World } from "./world.js";

/** Discord's flag types have no name for none; the target type names itself. */
export function bits<T extends number>(value: number): T {
  return value as T;
}

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
    public_flags: bits(0),
    flags: bits(0),
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
    flags: bits<GuildMemberFlags>(0),
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
    flags: bits(0),
    ...(role.managed ? { tags: { bot_id: botUserId } } : {}),
  };
}

export function viewGuild(world: World, guild: GuildRecord): APIGuild {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    ...UNTYPED_GUILD_FIELDS,
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
    system_channel_flags: bits(0),
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: GuildVerificationLevel.None,
    roles: [...guild.roles.values()].map((role) => viewRole(role, world.application.botUserId)),
    default_message_notifications: GuildDefaultMessageNotifications.AllMessages,
    mfa_level: GuildMFALevel.None,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: GuildPremiumTier.None,
    premium_subscription_count: 0,
    preferred_locale: Locale.EnglishUS,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    hub_type: null,
    nsfw_level: GuildNSFWLevel.Default,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

/** Sent by Discord, missing in the types. */
const UNTYPED_GUILD_FIELDS = { home_header: null, nsfw: false };

export function viewApplication(world: World): APIApplication {
  const { application } = world;
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: "",
    ...UNTYPED_APPLICATION_FIELDS,
    summary: "",
    bot: viewUser(world.user(application.botUserId)),
    bot_public: false,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: bits(applicationFlags(world)),
    flags_new: String(applicationFlags(world)),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: viewUser(world.user(application.ownerId)),
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    team: null,
  };
}

/** Sent by Discord, missing in the types. */
const UNTYPED_APPLICATION_FIELDS = {
  type: null,
  explicit_content_filter: 0,
  eligible_oauth2_scopes: [],
};

/** Says which privileged intents are switched on, as for a small application. */
export function applicationFlags(world: World): number {
  const members = hasIntent(world, GatewayIntentBits.GuildMembers);
  return (
    (maySeeContent(world) ? ApplicationFlags.GatewayMessageContentLimited : 0) |
    (members ? ApplicationFlags.GatewayGuildMembersLimited : 0)
  );
}

export function maySeeContent(world: World): boolean {
  return hasIntent(world, GatewayIntentBits.MessageContent);
}

/** Listing everybody needs the members intent: https://docs.discord.com/developers/resources/guild#list-guild-members */
export function mayListMembers(world: World): boolean {
  return hasIntent(world, GatewayIntentBits.GuildMembers);
}

function hasIntent(world: World, intent: GatewayIntentBits): boolean {
  return (world.application.privilegedIntents & intent) !== 0;
}
