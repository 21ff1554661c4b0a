import { ChannelType, GatewayDispatchEvents } from "discord-api-types/v10";
import { createChannel } from "./channels.js";
import { viewPlainChannel, viewThread } from "./channelViews.js";
import { DEFAULT_EVERYONE_PERMISSIONS } from "./permissions.js";
import type { GuildRecord, MemberRecord, RoleRecord, UserRecord } from "./records.js";
import { isoTime, viewGuild, viewMember, viewRole, viewUser } from "./views.js";
import type { Dispatch, World } from "./world.js";

export interface GuildSetup {
  readonly name: string;
  readonly ownerName: string;
  /** What the bot's own role may do. */
  readonly botPermissions: bigint;
  /** Names of further people. */
  readonly memberNames?: readonly string[];
  /** Name of the first text channel. */
  readonly channelName?: string;
}

export interface GuildSetupResult {
  readonly guild: GuildRecord;
  readonly owner: UserRecord;
  readonly members: readonly UserRecord[];
  readonly botRole: RoleRecord;
  readonly channelId: string;
}

/** A server with an owner, people, one text channel, and the bot in it with a role of its own. */
export function createGuild(world: World, setup: GuildSetup): GuildSetupResult {
  const owner = createPerson(world, setup.ownerName);
  const guild: GuildRecord = {
    id: world.ids.next(),
    name: setup.name,
    ownerId: owner.id,
    roles: new Map(),
    members: new Map(),
    unavailable: false,
  };
  guild.roles.set(guild.id, {
    id: guild.id,
    name: "@everyone",
    permissions: DEFAULT_EVERYONE_PERMISSIONS,
    position: 0,
    mentionable: false,
    managed: false,
  });
  const botRole: RoleRecord = {
    id: world.ids.next(),
    name: world.application.name,
    permissions: setup.botPermissions,
    position: 1,
    mentionable: false,
    managed: true,
  };
  guild.roles.set(botRole.id, botRole);
  const people = (setup.memberNames ?? []).map((name) => createPerson(world, name));
  for (const user of [owner, ...people]) joinQuietly(world, guild, user.id, []);
  joinQuietly(world, guild, world.application.botUserId, [botRole.id]);
  world.guilds.set(guild.id, guild);
  const channel = createChannel(world, guild, {
    name: setup.channelName ?? "general",
    type: ChannelType.GuildText,
    quiet: true,
  });
  world.dispatch(guildCreated(world, guild), guild.id);
  return { guild, owner, members: people, botRole, channelId: channel.id };
}

export function createPerson(world: World, name: string): UserRecord {
  const username = name.toLowerCase().replace(/[^a-z0-9._]+/g, "_") || "person";
  return world.addUser(username, name, false);
}

/** Someone joins. When it is the bot, it gains the server: GUILD_CREATE. */
export function addMember(
  world: World,
  guild: GuildRecord,
  userId: string,
  roleIds: readonly string[] = [],
): MemberRecord {
  const member = joinQuietly(world, guild, userId, roleIds);
  if (userId === world.application.botUserId) {
    world.dispatch(guildCreated(world, guild), guild.id);
    return member;
  }
  world.dispatch(
    {
      t: GatewayDispatchEvents.GuildMemberAdd,
      d: { ...viewMember(world, member), guild_id: guild.id },
    },
    guild.id,
  );
  return member;
}

export function updateMember(
  world: World,
  guild: GuildRecord,
  userId: string,
  change: { readonly nick?: string | null; readonly roleIds?: readonly string[] },
): void {
  const member = world.member(guild.id, userId);
  if (change.nick !== undefined) member.nick = change.nick;
  if (change.roleIds) {
    member.roleIds.clear();
    for (const id of change.roleIds) member.roleIds.add(id);
  }
  world.dispatch(
    {
      t: GatewayDispatchEvents.GuildMemberUpdate,
      d: { ...viewMember(world, member), guild_id: guild.id },
    },
    guild.id,
  );
}

/** Someone leaves. When it is the bot, it loses the server: GUILD_DELETE. */
export function removeMember(world: World, guild: GuildRecord, userId: string): void {
  const user = world.user(userId);
  guild.members.delete(userId);
  if (userId === world.application.botUserId) {
    world.dispatch({ t: GatewayDispatchEvents.GuildDelete, d: { id: guild.id } }, guild.id);
    return;
  }
  world.dispatch(
    {
      t: GatewayDispatchEvents.GuildMemberRemove,
      d: { guild_id: guild.id, user: viewUser(user) },
    },
    guild.id,
  );
}

/** An outage of one server begins or ends; it is not a removal. */
export function setUnavailable(world: World, guild: GuildRecord, unavailable: boolean): void {
  guild.unavailable = unavailable;
  world.dispatch(
    unavailable
      ? { t: GatewayDispatchEvents.GuildDelete, d: { id: guild.id, unavailable: true } }
      : guildCreated(world, guild),
    guild.id,
  );
}

export function createRole(
  world: World,
  guild: GuildRecord,
  role: { readonly name: string; readonly permissions: bigint; readonly mentionable?: boolean },
): RoleRecord {
  const record: RoleRecord = {
    id: world.ids.next(),
    name: role.name,
    permissions: role.permissions,
    position: guild.roles.size,
    mentionable: role.mentionable ?? false,
    managed: false,
  };
  guild.roles.set(record.id, record);
  publishRole(world, guild, record, GatewayDispatchEvents.GuildRoleCreate);
  return record;
}

export function setRolePermissions(
  world: World,
  guild: GuildRecord,
  role: RoleRecord,
  permissions: bigint,
): void {
  role.permissions = permissions;
  publishRole(world, guild, role, GatewayDispatchEvents.GuildRoleUpdate);
}

export function deleteRole(world: World, guild: GuildRecord, roleId: string): void {
  guild.roles.delete(roleId);
  for (const member of guild.members.values()) member.roleIds.delete(roleId);
  world.dispatch(
    { t: GatewayDispatchEvents.GuildRoleDelete, d: { guild_id: guild.id, role_id: roleId } },
    guild.id,
  );
}

/** What the gateway says of a server at the start of a session and when the bot joins. */
export function guildCreated(world: World, guild: GuildRecord): Dispatch {
  const botId = world.application.botUserId;
  const channels = world.channelsOf(guild.id).map(viewPlainChannel);
  const threads = world.threadsOf(guild.id).filter((thread) => !thread.archived);
  return {
    t: GatewayDispatchEvents.GuildCreate,
    d: {
      ...viewGuild(world, guild),
      joined_at: isoTime(guild.members.get(botId)?.joinedAtMs ?? world.clock.now()),
      large: false,
      unavailable: false,
      member_count: guild.members.size,
      voice_states: [],
      members: [...guild.members.values()].map((member) => viewMember(world, member)),
      channels,
      threads: threads.map(viewThread),
      presences: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    },
  };
}

function joinQuietly(
  world: World,
  guild: GuildRecord,
  userId: string,
  roleIds: readonly string[],
): MemberRecord {
  const member: MemberRecord = {
    userId,
    nick: null,
    roleIds: new Set(roleIds),
    joinedAtMs: world.clock.now(),
  };
  guild.members.set(userId, member);
  return member;
}

function publishRole(
  world: World,
  guild: GuildRecord,
  role: RoleRecord,
  t: GatewayDispatchEvents.GuildRoleCreate | GatewayDispatchEvents.GuildRoleUpdate,
): void {
  const d = { guild_id: guild.id, role: viewRole(role, world.application.botUserId) };
  world.dispatch({ t, d }, guild.id);
}
