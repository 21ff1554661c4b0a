import {
  type APIMessage,
  type GatewayMessageCreateDispatchData,
  InteractionType,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";
import { never } from "../never.js";
import { viewThread } from "./channelViews.js";
import type { InteractionSource, MessageRecord, ThreadRecord } from "./records.js";
import { bits, isoTime, maySeeContent, viewMemberWithoutUser, viewUser } from "./views.js";
import type { World } from "./world.js";

/** A message as REST shows it to `viewerId`. */
export function viewMessage(world: World, message: MessageRecord, viewerId?: string): APIMessage {
  const full = viewWholeMessage(world, message, viewerId);
  const isOpen = maySeeContent(world) || isContentFree(world, full);
  return isOpen ? full : hideContent(full);
}

/** The same with its content, whatever the application may see: for people and what they send. */
export function viewWholeMessage(
  world: World,
  message: MessageRecord,
  viewerId?: string,
): APIMessage {
  const thread = message.threadId ? world.channels.get(message.threadId) : undefined;
  return {
    ...viewWithoutReference(world, message, viewerId),
    ...(thread?.kind === "thread" ? { thread: viewThread(thread) } : {}),
    ...referenceOf(world, message),
  };
}

/** A message as the gateway shows it: with its server and the sender's membership. */
export function viewMessageEvent(
  world: World,
  message: MessageRecord,
): GatewayMessageCreateDispatchData {
  const member = message.webhookId
    ? undefined
    : world.guilds.get(message.guildId)?.members.get(message.author.id);
  return {
    ...viewMessage(world, message),
    guild_id: message.guildId,
    mentions: message.mentionUserIds.flatMap((id) => {
      const user = world.users.get(id);
      const mentioned = world.guilds.get(message.guildId)?.members.get(id);
      if (!user) return [];
      return [
        { ...viewUser(user), ...(mentioned ? { member: viewMemberWithoutUser(mentioned) } : {}) },
      ];
    }),
    ...(member ? { member: viewMemberWithoutUser(member) } : {}),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
  };
}

function viewWithoutReference(
  world: World,
  message: MessageRecord,
  viewerId = world.application.botUserId,
): APIMessage {
  const author = world.users.get(message.author.id);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    author: author && !message.webhookId ? viewUser(author) : message.author,
    content: message.content,
    timestamp: isoTime(message.createdAtMs),
    edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
    tts: message.tts,
    mention_everyone: message.mentionEveryone,
    mentions: message.mentionUserIds.flatMap((id) => {
      const user = world.users.get(id);
      return user ? [viewUser(user)] : [];
    }),
    mention_roles: [...message.mentionRoleIds],
    attachments: [...message.attachments],
    embeds: [...message.embeds],
    components: [...message.components],
    flags: bits(message.flags),
    pinned: message.pinned,
    ...(message.webhookId ? { webhook_id: message.webhookId } : {}),
    ...(message.applicationId ? { application_id: message.applicationId } : {}),
    ...(message.source ? { interaction_metadata: viewSource(world, message.source) } : {}),
    ...(message.source?.commandName
      ? {
          interaction: {
            id: message.source.id,
            type: message.source.type,
            name: message.source.commandName,
            user: viewUser(world.user(message.source.userId)),
          },
        }
      : {}),
    ...(message.poll ? { poll: message.poll } : {}),
    ...(message.stickers.length > 0 ? { sticker_items: [...message.stickers] } : {}),
    ...(message.reactions.length > 0 ? { reactions: viewReactions(message, viewerId) } : {}),
    ...positionIn(world, message),
  };
}

function viewReactions(
  message: MessageRecord,
  viewerId: string,
): NonNullable<APIMessage["reactions"]> {
  return message.reactions.map((reaction) => ({
    emoji: reaction.emoji,
    count: reaction.userIds.size,
    count_details: { normal: reaction.userIds.size, burst: 0 },
    burst_colors: [],
    me: reaction.userIds.has(viewerId),
    me_burst: false,
  }));
}

/** Other types name their target only: https://docs.discord.com/developers/resources/message#message-object */
const LOOKED_UP: ReadonlySet<MessageType> = new Set([
  MessageType.Reply,
  MessageType.ThreadStarterMessage,
  MessageType.ContextMenuCommand,
]);

function referenceOf(
  world: World,
  message: MessageRecord,
): Pick<APIMessage, "message_reference" | "message_snapshots" | "referenced_message"> {
  if (!message.reference) return {};
  const { channelId, messageId, snapshot } = message.reference;
  const isLookedUp = LOOKED_UP.has(message.type);
  const target = world.messages.get(channelId)?.get(messageId);
  return {
    message_reference: {
      type: snapshot ? MessageReferenceType.Forward : MessageReferenceType.Default,
      channel_id: channelId,
      message_id: messageId,
      guild_id: message.guildId,
    },
    ...(snapshot ? { message_snapshots: [snapshot] } : {}),
    ...(isLookedUp
      ? { referenced_message: target ? viewWithoutReference(world, target) : null }
      : {}),
  };
}

function positionIn(world: World, message: MessageRecord): Pick<APIMessage, "position"> {
  const channel = world.channels.get(message.channelId);
  if (channel?.kind !== "thread") return {};
  return { position: countBefore(world, channel, message.id) };
}

function countBefore(world: World, thread: ThreadRecord, messageId: string): number {
  let count = 0;
  for (const id of world.messages.get(thread.id)?.keys() ?? []) {
    if (id === messageId) return count;
    count += 1;
  }
  return count;
}

function viewSource(
  world: World,
  source: InteractionSource,
): NonNullable<APIMessage["interaction_metadata"]> {
  const common = {
    id: source.id,
    user: viewUser(world.user(source.userId)),
    authorizing_integration_owners: { 0: source.guildId },
    ...(source.originalResponseId
      ? { original_response_message_id: source.originalResponseId }
      : {}),
  };
  switch (source.type) {
    case InteractionType.MessageComponent:
      return {
        ...common,
        type: InteractionType.MessageComponent,
        interacted_message_id: source.interactedMessageId ?? source.id,
      };
    case InteractionType.ModalSubmit:
      return {
        ...common,
        type: InteractionType.ModalSubmit,
        ...(source.interactedMessageId
          ? { interacted_message_id: source.interactedMessageId }
          : {}),
        triggering_interaction_metadata: {
          ...common,
          type: InteractionType.ApplicationCommand,
          ...commandType(1),
        },
      };
    case InteractionType.Ping:
    case InteractionType.ApplicationCommand:
    case InteractionType.ApplicationCommandAutocomplete:
      return {
        ...common,
        type: InteractionType.ApplicationCommand,
        ...commandType(source.targetMessageId ? 3 : 1),
        ...(source.targetMessageId ? { target_message_id: source.targetMessageId } : {}),
      };
    default:
      return never(source.type);
  }
}

/** Sent by Discord, missing in the types. */
function commandType(type: 1 | 3) {
  return { command_type: type };
}

/** Its own messages and those that mention it are shown to every application. */
export function isContentFree(world: World, message: APIMessage): boolean {
  const botId = world.application.botUserId;
  return message.author.id === botId || message.mentions.some((user) => user.id === botId);
}

/** What an application sees of others' messages without the message-content intent. */
export function hideContent<T extends APIMessage>(message: T): T {
  const { poll: _hidden, ...rest } = message;
  return { ...rest, content: "", embeds: [], attachments: [], components: [] } as unknown as T;
}
