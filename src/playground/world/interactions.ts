import { randomBytes } from "node:crypto";
import {
  type APIInteraction,
  GatewayDispatchEvents,
  InteractionType,
  MessageFlags,
  MessageType,
} from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { viewChannel } from "./channelViews.js";
import { deleteMessage, EMPTY_DRAFT, editMessage, postMessage } from "./messages.js";
import { channelPermissions } from "./permissions.js";
import type {
  InteractionRecord,
  InteractionSource,
  MessageDraft,
  MessageRecord,
} from "./records.js";
import { viewMember } from "./views.js";
import type { World } from "./world.js";

/** The first response must come within this time: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback */
const RESPONSE_WINDOW_MS = 3000;
const MEMORY_MS = 86_400_000;

export interface NewInteraction {
  readonly type: InteractionType;
  readonly userId: string;
  readonly channelId: string;
  readonly data: unknown;
  readonly message?: { readonly id: string; readonly view: unknown };
  readonly commandName?: string;
  readonly commandType?: number;
  readonly targetMessageId?: string;
}

/** Sends an interaction to the application and lets it fail when no answer comes in time. */
export function startInteraction(world: World, wanted: NewInteraction): InteractionRecord {
  const channel = world.anyChannel(wanted.channelId);
  const guild = world.guild(channel.guildId);
  const record: InteractionRecord = {
    id: world.ids.next(),
    token: randomBytes(80).toString("base64url"),
    type: wanted.type,
    userId: wanted.userId,
    guildId: guild.id,
    channelId: channel.id,
    createdAtMs: world.clock.now(),
    commandName: wanted.commandName ?? null,
    commandType: wanted.commandType ?? null,
    messageId: wanted.message?.id ?? null,
    targetMessageId: wanted.targetMessageId ?? null,
    state: "pending",
    ephemeral: false,
    updatesMessage: false,
    originalMessageId: null,
    followUpIds: [],
    modal: null,
    choices: null,
  };
  forgetOld(world);
  world.interactions.set(record.id, record);
  world.clock.after(RESPONSE_WINDOW_MS, () => {
    if (record.state === "pending") setState(world, record, "failed");
  });
  const memberPermissions = channelPermissions(world, channel, wanted.userId);
  const botPermissions = channelPermissions(world, channel, world.application.botUserId);
  const payload = {
    id: record.id,
    application_id: world.application.id,
    type: wanted.type,
    data: wanted.data,
    guild_id: guild.id,
    guild: { id: guild.id, locale: "en-US", features: [] },
    channel_id: channel.id,
    channel: { ...viewChannel(channel), permissions: String(memberPermissions) },
    member: {
      ...viewMember(world, world.member(guild.id, wanted.userId)),
      permissions: String(memberPermissions),
    },
    token: record.token,
    version: 1,
    app_permissions: String(botPermissions),
    locale: "en-US",
    guild_locale: "en-US",
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: 10 * 1024 * 1024,
    ...(wanted.message ? { message: wanted.message.view } : {}),
  };
  // `data` depends on the type of interaction; the caller builds it for that type.
  world.dispatch(
    { t: GatewayDispatchEvents.InteractionCreate, d: payload as unknown as APIInteraction },
    guild.id,
  );
  return record;
}

/** Long after their tokens are void. */
function forgetOld(world: World): void {
  for (const [id, { createdAtMs }] of world.interactions) {
    if (world.clock.now() - createdAtMs <= MEMORY_MS) return;
    world.interactions.delete(id);
  }
}

export function setState(
  world: World,
  record: InteractionRecord,
  state: InteractionRecord["state"],
): void {
  record.state = state;
  world.publish({ kind: "interaction", interaction: record });
}

/** 10062 after three seconds, 40060 for a second response. */
export function requireUnanswered(world: World, record: InteractionRecord): void {
  if (record.state === "deferred" || record.state === "answered") {
    throw refusal("alreadyAcknowledged");
  }
  const isLate = world.clock.now() - record.createdAtMs > RESPONSE_WINDOW_MS;
  if (record.state === "failed" || isLate) throw refusal("unknownInteraction");
}

/** The first visible response, or the "thinking" message of a deferral. */
export function respondWithMessage(
  world: World,
  record: InteractionRecord,
  draft: Partial<MessageDraft>,
  isDeferral: boolean,
): MessageRecord {
  record.ephemeral = ((draft.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const flags = (draft.flags ?? 0) | (isDeferral ? MessageFlags.Loading : 0);
  const message = post(world, record, { ...draft, flags }, firstType(record));
  record.originalMessageId = message.id;
  setState(world, record, isDeferral ? "deferred" : "answered");
  return message;
}

/** The edit of the first response; it ends the "thinking" of a deferral. */
export function editOriginal(
  world: World,
  record: InteractionRecord,
  message: MessageRecord,
  draft: Partial<MessageDraft>,
): void {
  const wasLoading = (message.flags & MessageFlags.Loading) !== 0;
  const flags =
    ((draft.flags ?? message.flags) & ~MessageFlags.Loading) |
    (message.flags & MessageFlags.Ephemeral);
  editMessage(world, message, { ...draft, flags }, !wasLoading);
  setState(world, record, "answered");
}

export function followUp(
  world: World,
  record: InteractionRecord,
  draft: Partial<MessageDraft>,
): MessageRecord {
  const original = record.originalMessageId
    ? world.messages.get(record.channelId)?.get(record.originalMessageId)
    : undefined;
  // The first follow-up after a deferral takes the place of the "thinking" message.
  if (original && (original.flags & MessageFlags.Loading) !== 0) {
    editOriginal(world, record, original, draft);
    return original;
  }
  const message = post(world, record, draft, MessageType.Reply, original);
  record.followUpIds.push(message.id);
  setState(world, record, "answered");
  return message;
}

export function deleteResponse(
  world: World,
  record: InteractionRecord,
  message: MessageRecord,
): void {
  deleteMessage(world, message);
  setState(world, record, "answered");
}

function post(
  world: World,
  record: InteractionRecord,
  draft: Partial<MessageDraft>,
  type: MessageType,
  original?: MessageRecord,
): MessageRecord {
  const isEphemeral = ((draft.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const target = original?.id ?? record.targetMessageId ?? record.messageId;
  return postMessage(
    world,
    world.anyChannel(record.channelId),
    {
      kind: "interaction",
      source: sourceOf(record, original),
      ephemeralFor: isEphemeral ? record.userId : null,
    },
    { ...EMPTY_DRAFT, ...draft },
    {
      type,
      reference: target ? { messageId: target, channelId: record.channelId } : null,
    },
  );
}

function firstType(record: InteractionRecord): MessageType {
  if (record.type === InteractionType.MessageComponent) return MessageType.Reply;
  if (record.targetMessageId) return MessageType.ContextMenuCommand;
  return record.commandName ? MessageType.ChatInputCommand : MessageType.Default;
}

function sourceOf(record: InteractionRecord, original?: MessageRecord): InteractionSource {
  return {
    id: record.id,
    type: record.type,
    guildId: record.guildId,
    userId: record.userId,
    commandName: record.commandName,
    originalResponseId: original?.id ?? null,
    interactedMessageId: record.messageId,
    targetMessageId: record.targetMessageId,
  };
}
