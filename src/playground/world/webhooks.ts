import { createHash, randomBytes } from "node:crypto";
import { GatewayDispatchEvents } from "discord-api-types/v10";
import { type FieldError, unknown } from "../errors.js";
import { checkWebhookRoom } from "./channels.js";
import type { ChannelRecord, WebhookRecord } from "./records.js";
import type { World } from "./world.js";

/** `applicationId` is null for a webhook that a person makes in the channel's settings. */
export function createWebhook(
  world: World,
  channel: ChannelRecord,
  wanted: {
    readonly name: string;
    readonly avatar?: string | null;
    readonly userId: string;
    readonly applicationId: string | null;
  },
): WebhookRecord {
  checkWebhookRoom(world, channel.id);
  const webhook: WebhookRecord = {
    id: world.ids.next(),
    guildId: channel.guildId,
    channelId: channel.id,
    name: wanted.name,
    avatar: wanted.avatar ? hashOf(wanted.avatar) : null,
    token: randomBytes(51).toString("base64url"),
    applicationId: wanted.applicationId,
    userId: wanted.userId,
  };
  world.webhooks.set(webhook.id, webhook);
  publishChange(world, channel.guildId, channel.id);
  return webhook;
}

export function updateWebhook(
  world: World,
  webhook: WebhookRecord,
  change: {
    readonly name?: string;
    readonly avatar?: string | null;
    readonly channelId?: string;
  },
): void {
  if (change.name !== undefined) webhook.name = change.name;
  if (change.avatar !== undefined) webhook.avatar = change.avatar ? hashOf(change.avatar) : null;
  const before = webhook.channelId;
  if (change.channelId !== undefined && change.channelId !== before) {
    checkWebhookRoom(world, change.channelId);
    webhook.channelId = change.channelId;
    publishChange(world, webhook.guildId, before);
  }
  publishChange(world, webhook.guildId, webhook.channelId);
}

export function deleteWebhook(world: World, webhook: WebhookRecord): void {
  world.webhooks.delete(webhook.id);
  publishChange(world, webhook.guildId, webhook.channelId);
}

export function findWebhook(world: World, id: string): WebhookRecord {
  const webhook = world.webhooks.get(id);
  if (!webhook) throw unknown("webhook");
  return webhook;
}

/**
 * What Discord refuses as a name. `everyone` and `here` are whole names, the others parts of one.
 * https://docs.discord.com/developers/resources/webhook#create-webhook
 */
export function webhookNameError(path: "name" | "username", name: string): FieldError | undefined {
  const shown = visibleName(name);
  if (shown.length < 1 || shown.length > 80) {
    return {
      path,
      code: "BASE_TYPE_BAD_LENGTH",
      message: "Must be between 1 and 80 in length.",
    };
  }
  const lower = shown.toLowerCase();
  const banned = ["clyde", "discord"].find((word) => lower.includes(word));
  if (banned) {
    return {
      path,
      code: "USERNAME_INVALID_CONTAINS",
      message: `Username cannot contain "${banned}"`,
    };
  }
  const reserved = ["everyone", "here"].find((word) => lower === word);
  if (reserved) {
    return { path, code: "USERNAME_INVALID", message: `Username cannot be "${reserved}"` };
  }
  return undefined;
}

/** Outer white space goes, inner runs shrink to one. */
export function visibleName(name: string): string {
  return name.trim().replace(/\s+/gu, " ");
}

export function hashOf(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

function publishChange(world: World, guildId: string, channelId: string): void {
  world.dispatch(
    {
      t: GatewayDispatchEvents.WebhooksUpdate,
      d: { guild_id: guildId, channel_id: channelId },
    },
    guildId,
    channelId,
  );
}
