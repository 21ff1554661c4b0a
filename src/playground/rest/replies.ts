import { MessageReferenceType, PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { invalidField, refusal } from "../errors.js";
import { messagesIn } from "../world/messages.js";
import { channelPermissions, has } from "../world/permissions.js";
import type { AnyChannelRecord, MessageRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import type { Form } from "./form.js";

const NONCE_MEMORY_MS = 5 * 60_000;

/** What a sender marks a message with, to know it again. */
export function readNonce(form: Form): string | number | null {
  const raw = form.raw["nonce"];
  if (raw === undefined || raw === null) return null;
  if (typeof raw === "number") return raw;
  return form.text("nonce", { max: 25 }) ?? null;
}

/** The bot's own message of the last minutes with that nonce. */
export function sameNonce(
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

/** What the message replies to. */
export function readReference(
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
