import {
  MessageType,
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelMessagesPinsResult,
  type RESTGetAPIChannelPinsResult,
} from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { publishPins } from "../world/channels.js";
import { EMPTY_DRAFT, editMessage, postMessage, publicMessages } from "../world/messages.js";
import { viewMessage } from "../world/messageViews.js";
import { requireInChannel } from "../world/permissions.js";
import type { AnyChannelRecord, MessageRecord } from "../world/records.js";
import { isoTime } from "../world/views.js";
import type { World } from "../world/world.js";
import { answer, noContent, param, type RestApp, type RestContext, requireBot } from "./context.js";
import { publicMessage, readableChannel } from "./messages.js";

const MAX_PINS = 250;

export function pinRoutes(app: RestApp, world: World): void {
  app.get("/channels/:channel/messages/pins", (c) => {
    const { channel } = target(c);
    return answer<RESTGetAPIChannelMessagesPinsResult>(c, {
      items: pinned(channel).map((message) => ({
        pinned_at: isoTime(message.createdAtMs),
        message: viewMessage(world, message),
      })),
      has_more: false,
    });
  });

  app.get("/channels/:channel/pins", (c) => {
    const { channel } = target(c);
    return answer<RESTGetAPIChannelPinsResult>(
      c,
      pinned(channel).map((message) => viewMessage(world, message)),
    );
  });

  for (const path of [
    "/channels/:channel/messages/pins/:message",
    "/channels/:channel/pins/:message",
  ]) {
    app.put(path, (c) => {
      const { channel, botId, message } = targetMessage(c);
      if (message.pinned) return noContent(c);
      if (pinned(channel).length >= MAX_PINS) throw refusal("tooManyPins");
      setPinned(channel, message, true);
      const reference = { channelId: channel.id, messageId: message.id };
      postMessage(world, channel, { kind: "user", userId: botId }, EMPTY_DRAFT, {
        type: MessageType.ChannelPinnedMessage,
        reference,
      });
      return noContent(c);
    });

    app.delete(path, (c) => {
      const { channel, message } = targetMessage(c);
      if (message.pinned) setPinned(channel, message, false);
      return noContent(c);
    });
  }

  function target(c: RestContext) {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    return { botId, channel };
  }

  function targetMessage(c: RestContext) {
    const { botId, channel } = target(c);
    // A permission of its own since 2026-02-23.
    requireInChannel(world, channel, botId, Permission.PinMessages);
    return { botId, channel, message: publicMessage(world, channel.id, param(c, "message")) };
  }

  function pinned(channel: AnyChannelRecord): MessageRecord[] {
    return publicMessages(world, channel.id)
      .filter((message) => message.pinned)
      .reverse();
  }

  function setPinned(channel: AnyChannelRecord, message: MessageRecord, isPinned: boolean): void {
    message.pinned = isPinned;
    // An update that nobody wrote: the time of the last edit stays.
    editMessage(world, message, {}, false);
    publishPins(world, channel);
  }
}
