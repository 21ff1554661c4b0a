import {
  type APIGuildMember,
  type APIOverwrite,
  PermissionFlagsBits,
  type REST,
  type RESTAPIPartialCurrentUserGuild,
  type RESTGetAPIGuildChannelsResult,
  Routes,
} from "discord.js";
import { jsonOf } from "./attempt.js";

interface ChannelRights {
  readonly name: string;
  readonly permissions: bigint;
}

/** What the bot may do in these channels of a server; those that are gone are left out. */
export async function channelRights(
  rest: REST,
  guild: Pick<RESTAPIPartialCurrentUserGuild, "id" | "permissions">,
  botId: string,
  channelIds: readonly string[],
): Promise<readonly ChannelRights[]> {
  const byRoles = BigInt(guild.permissions);
  if (channelIds.length === 0 || (byRoles & PermissionFlagsBits.Administrator) !== 0n) return [];
  const channels = await jsonOf<RESTGetAPIGuildChannelsResult>(
    rest.get(Routes.guildChannels(guild.id)),
  );
  const member = await jsonOf<APIGuildMember>(rest.get(Routes.guildMember(guild.id, botId)));
  return channels
    .filter(({ id }) => channelIds.includes(id))
    .map((channel) => {
      const overwrites =
        ("permission_overwrites" in channel && channel.permission_overwrites) || [];
      const steps = [[guild.id], member.roles, [botId]];
      const permissions = steps.reduce((left, ids) => overwritten(left, overwrites, ids), byRoles);
      return { name: channel.name ?? channel.id, permissions };
    });
}

/** https://docs.discord.com/developers/topics/permissions#permission-overwrites */
function overwritten(
  permissions: bigint,
  overwrites: readonly APIOverwrite[],
  ids: readonly string[],
): bigint {
  const meant = overwrites.filter(({ id }) => ids.includes(id));
  const deny = meant.reduce((all, one) => all | BigInt(one.deny), 0n);
  const allow = meant.reduce((all, one) => all | BigInt(one.allow), 0n);
  return (permissions & ~deny) | allow;
}
