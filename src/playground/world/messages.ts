import { GatewayDispatchEvents, MessageType } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { defaultAllowedMentions, MENTION_ALL, parseMentions } from "./mentions.js";
import { viewMessageEvent } from "./messageViews.js";
import { channelPermissions, has } from "./permissions.js";
import type { AnyChannelRecord, MessageDraft, MessageRecord } from "./records.js";
import { applicationIdOf, authorOf, type Sender, webhookIdOf } from "./senders.js";
import { snowflakeTime } from "./snowflakes.js";
import { reopenForMessage } from "./threads.js";
import { viewMemberWithoutUser, viewUser } from "./views.js";
import type { Dispatch, World } from "./world.js";

export interface PostOptions {
  readonly type?: MessageType;
  readonly nonce?: string | number | null;
  readonly reference?: MessageRecord["reference"];
  readonly poll?: MessageRecord["poll"];
  readonly stickers?: MessageRecord["stickers"];
}

export const EMPTY_DRAFT: MessageDraft = {
  content: "",
  allowedMentions: null,
  attachments: [],
  embeds: [],
  components: [],
  flags: 0,
  tts: false,
};

/** Stores a message whose draft was checked before, and tells everyone who may know. */
export function postMessage(
  world: World,
  channel: AnyChannelRecord,
  sender: Sender,
  draft: MessageDraft,
  options: PostOptions = {},
): MessageRecord {
  if (channel.kind === "thread") reopenForMessage(world, channel, sender);
  const reference = options.reference ?? null;
  const id = world.ids.next();
  const message: MessageRecord = {
    id,
    guildId: channel.guildId,
    channelId: channel.id,
    type: options.type ?? (reference ? MessageType.Reply : MessageType.Default),
    author: authorOf(world, sender),
    webhookId: webhookIdOf(world, sender),
    applicationId: applicationIdOf(world, sender),
    avatarUrl: sender.kind === "webhook" ? sender.avatarUrl : null,
    content: draft.content.trim(),
    createdAtMs: snowflakeTime(id),
    editedAtMs: null,
    tts: draft.tts,
    mentionEveryone: false,
    mentionUserIds: [],
    mentionRoleIds: [],
    attachments: draft.attachments,
    embeds: draft.embeds,
    components: draft.components,
    flags: draft.flags,
    pinned: false,
    nonce: options.nonce ?? null,
    reference,
    poll: options.poll ?? null,
    stickers: options.stickers ?? [],
    reactions: [],
    threadId: null,
    source: sender.kind === "interaction" ? sender.source : null,
    ephemeralFor: sender.kind === "interaction" ? sender.ephemeralFor : null,
  };
  setMentions(world, channel, message, draft, sender);
  messagesIn(world, channel.id).set(message.id, message);
  channel.lastMessageId = message.id;
  if (channel.kind === "thread") {
    channel.messageCount += 1;
    channel.totalMessageSent += 1;
  }
  publishMessage(world, message, GatewayDispatchEvents.MessageCreate);
  return message;
}

/** Changes what the draft carries; `edited` is false for changes that nobody wrote. */
export function editMessage(
  world: World,
  message: MessageRecord,
  change: Partial<MessageDraft>,
  edited = true,
): void {
  const channel = world.anyChannel(message.channelId);
  if (change.content !== undefined) message.content = change.content.trim();
  if (change.attachments) message.attachments = change.attachments;
  if (change.embeds) message.embeds = change.embeds;
  if (change.components) message.components = change.components;
  if (change.flags !== undefined) message.flags = change.flags;
  if (change.content !== undefined || change.allowedMentions) {
    setMentions(
      world,
      channel,
      message,
      { content: message.content, allowedMentions: change.allowedMentions ?? null },
      message.webhookId === null
        ? { kind: "user", userId: message.author.id }
        : { kind: "webhook" },
    );
  }
  if (edited) message.editedAtMs = world.clock.now();
  publishMessage(world, message, GatewayDispatchEvents.MessageUpdate);
}

export function deleteMessage(world: World, message: MessageRecord): void {
  forget(world, message);
  publishFor(world, message, {
    t: GatewayDispatchEvents.MessageDelete,
    d: { id: message.id, channel_id: message.channelId, guild_id: message.guildId },
  });
}

export function deleteMessages(
  world: World,
  channel: AnyChannelRecord,
  ids: readonly string[],
): void {
  const found = ids.flatMap((id) => messagesIn(world, channel.id).get(id) ?? []);
  for (const message of found) forget(world, message);
  world.dispatch(
    {
      t: GatewayDispatchEvents.MessageDeleteBulk,
      d: {
        ids: found.map((message) => message.id),
        channel_id: channel.id,
        guild_id: channel.guildId,
      },
    },
    channel.guildId,
    channel.id,
  );
}

export function messagesIn(world: World, channelId: string): Map<string, MessageRecord> {
  let messages = world.messages.get(channelId);
  if (!messages) {
    messages = new Map();
    world.messages.set(channelId, messages);
  }
  return messages;
}

/** The messages that everybody sees, oldest first. */
export function publicMessages(world: World, channelId: string): MessageRecord[] {
  return [...messagesIn(world, channelId).values()].filter(
    (message) => message.ephemeralFor === null,
  );
}

export function publishTyping(world: World, channel: AnyChannelRecord, userId: string): void {
  const member = world.guild(channel.guildId).members.get(userId);
  world.dispatch(
    {
      t: GatewayDispatchEvents.TypingStart,
      d: {
        channel_id: channel.id,
        guild_id: channel.guildId,
        user_id: userId,
        timestamp: Math.floor(world.clock.now() / 1000),
        ...(member
          ? { member: { ...viewMemberWithoutUser(member), user: viewUser(world.user(userId)) } }
          : {}),
      },
    },
    channel.guildId,
    channel.id,
  );
}

function setMentions(
  world: World,
  channel: AnyChannelRecord,
  message: MessageRecord,
  draft: Pick<MessageDraft, "content" | "allowedMentions">,
  sender: { readonly kind: Sender["kind"]; readonly userId?: string },
): void {
  // Webhooks of an application follow the bot's own permissions (change log of 2022-08-03).
  const permissionOf = sender.userId ?? world.application.botUserId;
  const mayMentionAll = has(channelPermissions(world, channel, permissionOf), MENTION_ALL);
  const allowed =
    draft.allowedMentions ?? defaultAllowedMentions(sender.kind === "user" ? "user" : "webhook");
  const mentions = parseMentions(world, channel, draft.content, allowed, mayMentionAll);
  message.mentionEveryone = mentions.everyone;
  message.mentionRoleIds = mentions.roleIds;
  message.mentionUserIds = withRepliedUser(world, message, mentions.userIds, allowed.replied_user);
}

function withRepliedUser(
  world: World,
  message: MessageRecord,
  userIds: readonly string[],
  repliedUser = false,
): readonly string[] {
  if (!repliedUser || message.type !== MessageType.Reply || !message.reference) return userIds;
  const { channelId, messageId } = message.reference;
  const target = world.messages.get(channelId)?.get(messageId);
  if (!target || target.webhookId || userIds.includes(target.author.id)) return userIds;
  return [...userIds, target.author.id];
}

function forget(world: World, message: MessageRecord): void {
  if (!messagesIn(world, message.channelId).delete(message.id)) throw refusal("notFound");
  const channel = world.channels.get(message.channelId);
  if (channel?.kind === "thread") channel.messageCount -= 1;
}

export function publishMessage(
  world: World,
  message: MessageRecord,
  t: GatewayDispatchEvents.MessageCreate | GatewayDispatchEvents.MessageUpdate,
): void {
  publishFor(world, message, { t, d: viewMessageEvent(world, message) });
}

function publishFor(world: World, message: MessageRecord, dispatch: Dispatch): void {
  world.publish({
    kind: "dispatch",
    dispatch,
    guildId: message.guildId,
    channelId: message.channelId,
    onlyFor: message.ephemeralFor,
  });
}
