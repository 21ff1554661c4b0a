import {
  ChannelType,
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelWebhooksResult,
  type RESTGetAPIWebhookResult,
  type RESTPatchAPIWebhookResult,
  type RESTPostAPIChannelWebhookResult,
} from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { webhooksIn } from "../world/channels.js";
import { viewWebhook } from "../world/channelViews.js";
import { readDataUri } from "../world/images.js";
import { requireInChannel, requireInGuild } from "../world/permissions.js";
import type { ChannelRecord, WebhookRecord } from "../world/records.js";
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  updateWebhook,
  visibleName,
  webhookNameError,
} from "../world/webhooks.js";
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
import type { Form } from "./form.js";

/** Webhooks as objects; what is posted through them is in webhookMessages.ts. */
export function webhookRoutes(app: RestApp, world: World): void {
  app.post("/channels/:channel/webhooks", (c) => {
    const botId = requireBot(c, world);
    const channel = hookedChannel(world, c, botId);
    const form = bodyForm(c);
    form.required("name");
    const name = readName(form);
    const avatar = readAvatar(form);
    form.check();
    const webhook = createWebhook(world, channel, {
      name: name ?? "",
      userId: botId,
      applicationId: world.application.id,
      ...(avatar === undefined ? {} : { avatar }),
    });
    return answer<RESTPostAPIChannelWebhookResult>(c, viewForBot(webhook));
  });

  app.get("/channels/:channel/webhooks", (c) => {
    const botId = requireBot(c, world);
    const channel = hookedChannel(world, c, botId);
    return answer<RESTGetAPIChannelWebhooksResult>(
      c,
      webhooksIn(world, channel.id).map((webhook) => viewForBot(webhook)),
    );
  });

  app.get("/guilds/:guild/webhooks", (c) => {
    const botId = requireBot(c, world);
    const guild = world.guild(param(c, "guild"));
    requireInGuild(guild, botId, Permission.ManageWebhooks);
    const all = [...world.webhooks.values()].filter((webhook) => webhook.guildId === guild.id);
    return answer<RESTGetAPIChannelWebhooksResult>(
      c,
      all.map((webhook) => viewForBot(webhook)),
    );
  });

  app.get("/webhooks/:webhook", (c) => {
    const botId = requireBot(c, world);
    const webhook = findWebhook(world, param(c, "webhook"));
    requireRights(webhook, botId);
    return answer<RESTGetAPIWebhookResult>(c, viewForBot(webhook));
  });

  app.patch("/webhooks/:webhook", (c) => {
    const botId = requireBot(c, world);
    const webhook = findWebhook(world, param(c, "webhook"));
    requireInChannel(world, world.channel(webhook.channelId), botId, Permission.ManageWebhooks);
    const form = bodyForm(c);
    const channelId = form.id("channel_id");
    if (channelId !== undefined) {
      requireInChannel(world, world.channel(channelId), botId, Permission.ManageWebhooks);
    }
    change(webhook, form, channelId);
    return answer<RESTPatchAPIWebhookResult>(c, viewForBot(webhook));
  });

  app.delete("/webhooks/:webhook", (c) => {
    const botId = requireBot(c, world);
    const webhook = findWebhook(world, param(c, "webhook"));
    requireInChannel(world, world.channel(webhook.channelId), botId, Permission.ManageWebhooks);
    deleteWebhook(world, webhook);
    return noContent(c);
  });

  app.get("/webhooks/:webhook/:token", (c) => {
    const webhook = webhookByToken(world, c);
    return answer<RESTGetAPIWebhookResult>(
      c,
      viewWebhook(world, webhook, { token: true, user: false }),
    );
  });

  app.patch("/webhooks/:webhook/:token", (c) => {
    const webhook = webhookByToken(world, c);
    change(webhook, bodyForm(c), undefined);
    return answer<RESTPatchAPIWebhookResult>(
      c,
      viewWebhook(world, webhook, { token: true, user: false }),
    );
  });

  app.delete("/webhooks/:webhook/:token", (c) => {
    deleteWebhook(world, webhookByToken(world, c));
    return noContent(c);
  });

  function viewForBot(webhook: WebhookRecord) {
    return viewWebhook(world, webhook, {
      token: webhook.applicationId === world.application.id,
      user: true,
    });
  }

  /** One's own webhook may be read without Manage Webhooks. */
  function requireRights(webhook: WebhookRecord, botId: string): void {
    const channel = world.channel(webhook.channelId);
    const isOwn = webhook.applicationId === world.application.id;
    requireInChannel(world, channel, botId, ...(isOwn ? [] : [Permission.ManageWebhooks]));
  }

  function change(webhook: WebhookRecord, form: Form, channelId: string | undefined): void {
    const name = readName(form);
    const avatar = readAvatar(form);
    form.check();
    updateWebhook(world, webhook, {
      ...(name === undefined ? {} : { name }),
      ...(avatar === undefined ? {} : { avatar }),
      ...(channelId === undefined ? {} : { channelId }),
    });
  }
}

/** 10015 for a webhook that is gone, 50027 for a wrong token. */
export function webhookByToken(world: World, c: RestContext): WebhookRecord {
  const webhook = findWebhook(world, param(c, "webhook"));
  if (webhook.token !== param(c, "token")) throw refusal("invalidWebhookToken");
  return webhook;
}

function hookedChannel(world: World, c: RestContext, botId: string): ChannelRecord {
  const channel = world.anyChannel(param(c, "channel"));
  requireInChannel(world, channel, botId, Permission.ManageWebhooks);
  // Threads and categories have no webhooks of their own.
  if (channel.kind === "thread" || channel.type === ChannelType.GuildCategory)
    throw refusal("wrongChannelType");
  return channel;
}

function readName(form: Form): string | undefined {
  const name = form.text("name");
  if (name === undefined) return undefined;
  form.fail(webhookNameError("name", name));
  return visibleName(name);
}

function readAvatar(form: Form): string | null | undefined {
  if (form.isNull("avatar")) return null;
  const avatar = form.text("avatar");
  if (avatar === undefined) return undefined;
  if (!readDataUri(avatar)) form.wrong("avatar", "IMAGE_INVALID", "Invalid image data");
  return avatar;
}
