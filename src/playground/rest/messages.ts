import {
  ChannelType,
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelMessageResult,
  type RESTGetAPIChannelMessagesResult,
  type RESTPatchAPIChannelMessageResult,
  type RESTPostAPIChannelMessageResult,
} from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import {
  deleteMessage,
  deleteMessages,
  EMPTY_DRAFT,
  editMessage,
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
import { pageOf } from "./messagePages.js";
import { readNonce, readReference, sameNonce } from "./replies.js";

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

function requireExtras(
  world: World,
  channel: AnyChannelRecord,
  userId: string,
  draft: Partial<MessageDraft>,
): void {
  if (draft.attachments?.length) requireInChannel(world, channel, userId, Permission.AttachFiles);
  if (draft.embeds?.length) requireInChannel(world, channel, userId, Permission.EmbedLinks);
}
