import { GatewayDispatchEvents, ReactionType } from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import type { MessageRecord, ReactionRecord } from "./records.js";
import { viewMember } from "./views.js";
import type { World } from "./world.js";

const MAX_KINDS = 20;

/** Reads `👍`, `name:id` as the routes carry them. */
export function readEmoji(world: World, text: string): ReactionRecord["emoji"] {
  const custom = /^(?:a:)?([\w~]{1,32}):(\d{17,20})$/.exec(text);
  if (custom?.[1] && custom[2]) {
    const emoji = world.emojis.get(custom[2]);
    if (!emoji) throw unknown("emoji");
    return { id: emoji.id, name: emoji.name };
  }
  if (!/^[\p{Extended_Pictographic}\p{Regional_Indicator}\d#*]/u.test(text)) {
    throw refusal("invalidEmoji");
  }
  return { id: null, name: text };
}

export function findReaction(
  message: MessageRecord,
  emoji: ReactionRecord["emoji"],
): ReactionRecord | undefined {
  return message.reactions.find((other) =>
    emoji.id === null ? other.emoji.name === emoji.name : other.emoji.id === emoji.id,
  );
}

export function addReaction(
  world: World,
  message: MessageRecord,
  userId: string,
  emoji: ReactionRecord["emoji"],
): void {
  const existing = findReaction(message, emoji);
  if (existing?.userIds.has(userId)) return;
  if (existing) {
    existing.userIds.add(userId);
  } else {
    if (message.reactions.length >= MAX_KINDS) throw refusal("tooManyReactions");
    message.reactions.push({ emoji, userIds: new Set([userId]) });
  }
  world.dispatch(
    {
      t: GatewayDispatchEvents.MessageReactionAdd,
      d: {
        ...placeOf(message),
        user_id: userId,
        emoji,
        member: viewMember(world, world.member(message.guildId, userId)),
        message_author_id: message.author.id,
        burst: false,
        type: ReactionType.Normal,
      },
    },
    message.guildId,
    message.channelId,
  );
}

export function removeReaction(
  world: World,
  message: MessageRecord,
  userId: string,
  emoji: ReactionRecord["emoji"],
): void {
  const existing = findReaction(message, emoji);
  if (!existing?.userIds.delete(userId)) throw unknown("emoji");
  if (existing.userIds.size === 0) forget(message, existing);
  world.dispatch(
    {
      t: GatewayDispatchEvents.MessageReactionRemove,
      d: { ...placeOf(message), user_id: userId, emoji, burst: false, type: ReactionType.Normal },
    },
    message.guildId,
    message.channelId,
  );
}

/** All reactions, or all of one emoji. */
export function clearReactions(
  world: World,
  message: MessageRecord,
  emoji?: ReactionRecord["emoji"],
): void {
  if (emoji === undefined) {
    message.reactions.splice(0);
  } else {
    const existing = findReaction(message, emoji);
    if (!existing) throw unknown("emoji");
    forget(message, existing);
  }
  world.dispatch(
    emoji === undefined
      ? { t: GatewayDispatchEvents.MessageReactionRemoveAll, d: placeOf(message) }
      : {
          t: GatewayDispatchEvents.MessageReactionRemoveEmoji,
          d: { ...placeOf(message), emoji },
        },
    message.guildId,
    message.channelId,
  );
}

function forget(message: MessageRecord, reaction: ReactionRecord): void {
  message.reactions.splice(message.reactions.indexOf(reaction), 1);
}

function placeOf(message: MessageRecord) {
  return { message_id: message.id, channel_id: message.channelId, guild_id: message.guildId };
}
