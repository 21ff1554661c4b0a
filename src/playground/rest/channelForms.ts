import { ChannelType, PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import type { ChannelChange, NewChannel } from "../world/channels.js";
import { guildPermissions, has } from "../world/permissions.js";
import type { GuildRecord, OverwriteRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import type { Form } from "./form.js";

const CHANNEL_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
] as const;

const MAX_OVERWRITES = 1000;

export function readNewChannel(world: World, guild: GuildRecord, form: Form): NewChannel {
  form.required("name");
  const type = form.oneOf("type", CHANNEL_TYPES) ?? ChannelType.GuildText;
  const change = readChannelChange(world, guild, form);
  return { ...change, type, name: change.name ?? "" };
}

export function readChannelChange(world: World, guild: GuildRecord, form: Form): ChannelChange {
  const name = form.text("name", { min: 1, max: 100 });
  const topic = form.isNull("topic") ? null : form.text("topic", { max: 1024 });
  const parentId = form.isNull("parent_id") ? null : form.id("parent_id");
  const position = form.integer("position", 0, 2 ** 31 - 1);
  const nsfw = form.bool("nsfw");
  const slowmodeSeconds = form.integer("rate_limit_per_user", 0, 21_600);
  const overwrites = readOverwrites(world, guild, form);
  form.check();
  return {
    ...(name === undefined ? {} : { name }),
    ...(topic === undefined ? {} : { topic }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(position === undefined ? {} : { position }),
    ...(nsfw === undefined ? {} : { nsfw }),
    ...(slowmodeSeconds === undefined ? {} : { slowmodeSeconds }),
    ...(overwrites === undefined ? {} : { overwrites }),
  };
}

function readOverwrites(
  world: World,
  guild: GuildRecord,
  form: Form,
): readonly OverwriteRecord[] | undefined {
  const entries = form.objects("permission_overwrites", MAX_OVERWRITES);
  return entries?.map((entry) => readOverwrite(world, guild, entry, entry.id("id") ?? ""));
}

/** One overwrite; the bot may set only permissions that it holds itself. */
export function readOverwrite(
  world: World,
  guild: GuildRecord,
  form: Form,
  id: string,
): OverwriteRecord {
  const type = form.oneOf("type", [0, 1]) ?? (guild.members.has(id) ? 1 : 0);
  const allow = readBits(form, "allow");
  const deny = readBits(form, "deny");
  form.check();
  const held = guildPermissions(guild, world.application.botUserId);
  const isAdministrator = has(held, Permission.Administrator);
  const wantsManageRoles = ((allow | deny) & Permission.ManageRoles) !== 0n;
  if (!has(held, allow | deny) || (wantsManageRoles && !isAdministrator)) {
    throw refusal("missingPermissions");
  }
  return { id, type, allow, deny };
}

function readBits(form: Form, key: string): bigint {
  const text = form.text(key);
  if (text === undefined) return 0n;
  if (/^\d+$/.test(text)) return BigInt(text);
  form.wrong(key, "NUMBER_TYPE_COERCE", `Value "${text}" is not int.`);
  return 0n;
}
