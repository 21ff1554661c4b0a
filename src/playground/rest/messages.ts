import {
  ChannelType,
  MessageReferenceType,
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelMessageResult,
  type RESTGetAPIChannelMessagesResult,
  type RESTPatchAPIChannelMessageResult,
  type RESTPostAPIChannelMessageResult,
} from "discord-api-types/v10";
import { invalidField, refusal, unknown } from "../errors.js";
import {
  deleteMessage,
  deleteMessages,
  EMPTY_DRAFT,
  editMessage,
  messagesIn,
  postMessage,
  publicMessages,
  publishTyping,
} from "../world/messages.js";
import { viewMessage } from "../world/messageViews.js";
import { channelPermissions, has, requireInChannel } from "../world/permissions.js";
import type { AnyChannelRecord, MessageDraft, MessageRecord } from "../world/records.js";
import { isSnowflake, snowflakeTime } from "../world/snowflakes.js";
import type { World } from "../world/world.js";
import {
  answer,
  bodyForm,
  noContent,
  param,
  type RestApp,
  type RestContext,
  requireBot,
} from "./context.js";
import { readDraft, requireSomething, SENDABLE_FLAGS } from "./draft.js";
import type { Form } from "./form.js";

const NONCE_MEMORY_MS = 5 * 60_000;
const BULK_MAX_AGE_MS = 14 * 86_400_000;

export function messageRoutes(app: RestApp, world: World): void {
  app.get("/channels/:channel/messages", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    const messages = has(channelPermissions(world, channel, botId), Permission.ReadMessageHistory)
      ? pageOf(publicMessages(world, channel.id), c)
      : [];
    return answer<RESTGetAPIChannelMessagesResult>(
      c,
      messages.map((message) => viewMessage(world, message)),
    );
  });

  app.get("/channels/:channel/messages/:message", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    requireInChannel(world, channel, botId, Permission.ReadMessageHistory);
    const message = publicMessage(world, channel.id, param(c, "message"));
    return answer<RESTGetAPIChannelMessageResult>(c, viewMessage(world, message));
  });

  app.post("/channels/:channel/messages", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    requireInChannel(world, channel, botId, sendPermission(channel));
    const form = bodyForm(c);
    const nonce = readNonce(form);
    const draft = readDraft(world, form, {
      flags: SENDABLE_FLAGS,
      files: c.get("files"),
      channelId: channel.id,
    });
    requireSomething(draft);
    requireExtras(world, channel, botId, draft);
    const reference = readReference(world, channel, botId, form);
    const earlier =
      form.raw["enforce_nonce"] === true ? sameNonce(world, channel, nonce) : undefined;
    const message =
      earlier ??
      postMessage(
        world,
        channel,
        { kind: "user", userId: botId },
        { ...EMPTY_DRAFT, ...draft },
        { reference, nonce },
      );
    return answer<RESTPostAPIChannelMessageResult>(c, {
      ...viewMessage(world, message),
      ...(nonce === null ? {} : { nonce }),
    });
  });

  app.patch("/channels/:channel/messages/:message", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    const message = publicMessage(world, channel.id, param(c, "message"));
    const form = bodyForm(c);
    const draft = readDraft(world, form, {
      flags: SENDABLE_FLAGS,
      files: c.get("files"),
      channelId: channel.id,
      kept: message.attachments,
    });
    if (message.author.id !== botId) {
      const onlyFlags = Object.keys(form.raw).every((key) => key === "flags");
      if (!onlyFlags) throw refusal("notTheAuthor");
      requireInChannel(world, channel, botId, Permission.ManageMessages);
    }
    requireSomething({ ...message, ...draft });
    editMessage(world, message, draft);
    return answer<RESTPatchAPIChannelMessageResult>(c, viewMessage(world, message));
  });

  app.post("/channels/:channel/messages/bulk-delete", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    requireInChannel(world, channel, botId, Permission.ManageMessages);
    const ids = (bodyForm(c).list("messages", 10_000) ?? []).map(String);
    if (ids.length < 2 || ids.length > 100) throw refusal("bulkDeleteCount");
    const oldestMs = world.clock.now() - BULK_MAX_AGE_MS;
    if (ids.some((id) => isSnowflake(id) && snowflakeTime(id) < oldestMs)) {
      throw refusal("bulkDeleteTooOld");
    }
    deleteMessages(world, channel, ids);
    return noContent(c);
  });

  app.delete("/channels/:channel/messages/:message", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    const message = publicMessage(world, channel.id, param(c, "message"));
    if (message.author.id !== botId) {
      requireInChannel(world, channel, botId, Permission.ManageMessages);
    }
    deleteMessage(world, message);
    return noContent(c);
  });

  app.post("/channels/:channel/typing", (c) => {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    requireInChannel(world, channel, botId, sendPermission(channel));
    publishTyping(world, channel, botId);
    return noContent(c);
  });
}

export function sendPermission(channel: AnyChannelRecord): bigint {
  return channel.kind === "thread" ? Permission.SendMessagesInThreads : Permission.SendMessages;
}

/** The channel of the path, when it holds messages and the bot sees it. */
export function readableChannel(world: World, c: RestContext, userId: string): AnyChannelRecord {
  const channel = world.anyChannel(param(c, "channel"));
  requireInChannel(world, channel, userId);
  if (channel.type === ChannelType.GuildCategory) throw refusal("wrongChannelType");
  return channel;
}

/** Ephemeral messages do not exist for the ordinary routes. */
export function publicMessage(world: World, channelId: string, messageId: string): MessageRecord {
  const message = world.message(channelId, messageId);
  if (message.ephemeralFor !== null) throw unknown("message");
  return message;
}

/** `before`, `after`, `around` and `limit`; newest first. */
export function pageOf(messages: readonly MessageRecord[], c: RestContext): MessageRecord[] {
  const text = c.req.query("limit");
  const limit = text === undefined ? 50 : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidField(
      "limit",
      limit > 100 ? "NUMBER_TYPE_MAX" : "NUMBER_TYPE_MIN",
      "int value should be between 1 and 100.",
    );
  }
  const { before, after, around } = c.req.query();
  for (const [name, id] of Object.entries({ before, after, around })) {
    if (id !== undefined && !/^\d+$/.test(id)) {
      throw invalidField(name, "NUMBER_TYPE_COERCE", `Value "${id}" is not snowflake.`);
    }
  }
  return chosen().reverse();

  function chosen(): MessageRecord[] {
    if (around !== undefined) {
      const half = Math.floor(limit / 2);
      const older = messages.filter((message) => BigInt(message.id) < BigInt(around));
      const rest = messages.slice(older.length);
      return [
        ...(half === 0 ? [] : older.slice(-half)),
        ...rest.slice(0, Math.max(1, limit - half)),
      ];
    }
    if (after !== undefined) {
      return messages.filter((message) => BigInt(message.id) > BigInt(after)).slice(0, limit);
    }
    const older =
      before === undefined
        ? messages
        : messages.filter((message) => BigInt(message.id) < BigInt(before));
    return older.slice(-limit);
  }
}

function requireExtras(
  world: World,
  channel: AnyChannelRecord,
  userId: string,
  draft: Partial<MessageDraft>,
): void {
  if (draft.attachments?.length) requireInChannel(world, channel, userId, Permission.AttachFiles);
  if (draft.embeds?.length) requireInChannel(world, channel, userId, Permission.EmbedLinks);
}

function readNonce(form: Form): string | number | null {
  const raw = form.raw["nonce"];
  if (raw === undefined || raw === null) return null;
  if (typeof raw === "number") return raw;
  return form.text("nonce", { max: 25 }) ?? null;
}

function sameNonce(
  world: World,
  channel: AnyChannelRecord,
  nonce: string | number | null,
): MessageRecord | undefined {
  if (nonce === null) return undefined;
  const sinceMs = world.clock.now() - NONCE_MEMORY_MS;
  return [...messagesIn(world, channel.id).values()].find(
    (message) =>
      message.nonce === nonce &&
      message.createdAtMs >= sinceMs &&
      message.author.id === world.application.botUserId,
  );
}

function readReference(
  world: World,
  channel: AnyChannelRecord,
  userId: string,
  form: Form,
): MessageRecord["reference"] {
  const reference = form.object("message_reference");
  if (!reference) return null;
  const messageId = reference.id("message_id");
  reference.required("message_id");
  const channelId = reference.id("channel_id") ?? channel.id;
  form.check();
  if (messageId === undefined) return null;
  if (!has(channelPermissions(world, channel, userId), Permission.ReadMessageHistory)) {
    throw refusal("noHistoryForReply");
  }
  const target = world.messages.get(channelId)?.get(messageId);
  const isReachable = target && target.ephemeralFor === null && channelId === channel.id;
  if (isReachable) {
    if (![0, 19, 20, 23].includes(target.type)) {
      throw invalidField(
        "message_reference",
        "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE",
        "Cannot reply to a system message",
      );
    }
    return { messageId, channelId };
  }
  if (reference.raw["fail_if_not_exists"] === false) return null;
  if (reference.raw["type"] === MessageReferenceType.Forward) throw refusal("wrongChannelType");
  throw invalidField("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
}
