import { ChannelType, PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import type { AnyChannelRecord, GuildRecord } from "./records.js";
import type { World } from "./world.js";

export const ALL_PERMISSIONS: bigint = Object.values(Permission).reduce(
  (all, bit) => all | bit,
  0n,
);

/** What a new server lets everybody do. */
export const DEFAULT_EVERYONE_PERMISSIONS: bigint =
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.SendMessagesInThreads |
  Permission.CreatePublicThreads |
  Permission.CreatePrivateThreads |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.AddReactions |
  Permission.UseExternalEmojis |
  Permission.MentionEveryone |
  Permission.ReadMessageHistory |
  Permission.UseApplicationCommands |
  Permission.ChangeNickname |
  Permission.CreateInstantInvite |
  Permission.Connect |
  Permission.Speak;

/** https://docs.discord.com/developers/topics/permissions#permission-overwrites */
export function guildPermissions(guild: GuildRecord, userId: string): bigint {
  const member = guild.members.get(userId);
  if (!member) return 0n;
  if (guild.ownerId === userId) return ALL_PERMISSIONS;
  let permissions = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roleIds) permissions |= guild.roles.get(roleId)?.permissions ?? 0n;
  return has(permissions, Permission.Administrator) ? ALL_PERMISSIONS : permissions;
}

export function channelPermissions(
  world: World,
  channel: AnyChannelRecord,
  userId: string,
): bigint {
  const guild = world.guild(channel.guildId);
  const member = guild.members.get(userId);
  const base = guildPermissions(guild, userId);
  if (!member || base === ALL_PERMISSIONS) return base;

  const { overwrites } = channel.kind === "thread" ? world.channel(channel.parentId) : channel;
  let permissions = base;
  const everyone = overwrites.get(guild.id);
  if (everyone) permissions = (permissions & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const roleId of member.roleIds) {
    const overwrite = overwrites.get(roleId);
    allow |= overwrite?.allow ?? 0n;
    deny |= overwrite?.deny ?? 0n;
  }
  permissions = (permissions & ~deny) | allow;
  const own = overwrites.get(userId);
  if (own) permissions = (permissions & ~own.deny) | own.allow;
  return withImplicitDenials(permissions, channel, userId);
}

/** Lacking one permission voids others: https://docs.discord.com/developers/topics/permissions#implicit-permissions */
function withImplicitDenials(
  permissions: bigint,
  channel: AnyChannelRecord,
  userId: string,
): bigint {
  if (!has(permissions, Permission.ViewChannel)) return 0n;
  if (channel.kind === "thread" && isHiddenThread(channel, permissions, userId)) return 0n;
  const send =
    channel.kind === "thread" ? Permission.SendMessagesInThreads : Permission.SendMessages;
  if (has(permissions, send)) return permissions;
  return (
    permissions &
    ~(
      Permission.MentionEveryone |
      Permission.SendTTSMessages |
      Permission.AttachFiles |
      Permission.EmbedLinks
    )
  );
}

function isHiddenThread(
  thread: AnyChannelRecord & { kind: "thread" },
  permissions: bigint,
  userId: string,
): boolean {
  const isPrivate = thread.type === ChannelType.PrivateThread;
  return isPrivate && !thread.members.has(userId) && !has(permissions, Permission.ManageThreads);
}

export function has(permissions: bigint, wanted: bigint): boolean {
  return (permissions & wanted) === wanted;
}

export function canSee(world: World, channel: AnyChannelRecord, userId: string): boolean {
  return has(channelPermissions(world, channel, userId), Permission.ViewChannel);
}

/** Throws 50001 for a channel that the user cannot see and 50013 for what it may not do there. */
export function requireInChannel(
  world: World,
  channel: AnyChannelRecord,
  userId: string,
  ...wanted: readonly bigint[]
): void {
  if (!world.guild(channel.guildId).members.has(userId)) throw refusal("missingAccess");
  const permissions = channelPermissions(world, channel, userId);
  if (!has(permissions, Permission.ViewChannel)) throw refusal("missingAccess");
  for (const permission of wanted) {
    if (!has(permissions, permission)) throw refusal("missingPermissions");
  }
}

export function requireInGuild(
  guild: GuildRecord,
  userId: string,
  ...wanted: readonly bigint[]
): void {
  if (!guild.members.has(userId)) throw refusal("missingAccess");
  const permissions = guildPermissions(guild, userId);
  for (const permission of wanted) {
    if (!has(permissions, permission)) throw refusal("missingPermissions");
  }
}
