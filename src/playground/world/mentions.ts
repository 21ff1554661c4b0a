import {
  AllowedMentionsTypes,
  type APIAllowedMentions,
  PermissionFlagsBits,
} from "discord-api-types/v10";
import { invalidField } from "../errors.js";
import type { AnyChannelRecord } from "./records.js";
import type { World } from "./world.js";

export interface Mentions {
  readonly everyone: boolean;
  readonly userIds: readonly string[];
  readonly roleIds: readonly string[];
}

/** Refuses what Discord refuses: https://docs.discord.com/developers/resources/message#allowed-mentions-object */
export function checkAllowedMentions(allowed: APIAllowedMentions): void {
  for (const list of ["users", "roles"] as const) {
    const ids = allowed[list];
    if (!ids) continue;
    if (ids.length > 100) {
      throw invalidField(
        `allowed_mentions.${list}`,
        "BASE_TYPE_MAX_LENGTH",
        "Must be 100 or fewer in length.",
      );
    }
    if (ids.length > 0 && allowed.parse?.map(String).includes(list)) {
      throw invalidField(
        "allowed_mentions",
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${list}"] and ${list}: [ids...] are mutually exclusive.`,
      );
    }
  }
}

/**
 * What a text really mentions: named in it, allowed by the sender, and permitted to the sender.
 * `mayMentionAll` says whether @everyone and unmentionable roles are permitted.
 */
export function parseMentions(
  world: World,
  channel: AnyChannelRecord,
  content: string,
  allowed: APIAllowedMentions,
  mayMentionAll: boolean,
): Mentions {
  const guild = world.guild(channel.guildId);
  const parse = new Set<string>(allowed.parse ?? []);
  const text = withoutCode(content);
  const userIds = unique(text.matchAll(/<@!?(\d{17,20})>/g)).filter(
    (id) => world.users.has(id) && (parse.has("users") || allowed.users?.includes(id)),
  );
  const roleIds = unique(text.matchAll(/<@&(\d{17,20})>/g)).filter((id) => {
    const role = guild.roles.get(id);
    if (!role || !(role.mentionable || mayMentionAll)) return false;
    return parse.has("roles") || allowed.roles?.includes(id);
  });
  const everyone = mayMentionAll && parse.has("everyone") && /@(everyone|here)\b/.test(text);
  return { everyone, userIds, roleIds };
}

/** What applies when a message does not say: webhooks and interaction answers mention users only. */
export function defaultAllowedMentions(sender: "user" | "bot" | "webhook"): APIAllowedMentions {
  const { User, Role, Everyone } = AllowedMentionsTypes;
  return { parse: sender === "webhook" ? [User] : [User, Role, Everyone], replied_user: true };
}

export const MENTION_ALL = PermissionFlagsBits.MentionEveryone;

function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, " ").replace(/`[^`\n]*`/g, " ");
}

function unique(matches: Iterable<RegExpMatchArray>): string[] {
  return [...new Set([...matches].map((match) => match[1] ?? ""))];
}
