import type {
  RESTGetAPIWebhookWithTokenMessageResult,
  RESTPatchAPIWebhookWithTokenMessageResult,
  RESTPostAPIWebhookWithTokenWaitResult,
} from "discord-api-types/v10";
import { invalidField, refusal, unknown } from "../errors.js";
import { deleteMessage, EMPTY_DRAFT, editMessage, postMessage } from "../world/messages.js";
import { viewMessage } from "../world/messageViews.js";
import type { AnyChannelRecord, MessageRecord, WebhookRecord } from "../world/records.js";
import { hashOf, visibleName, webhookNameError } from "../world/webhooks.js";
import type { World } from "../world/world.js";
import { answer, bodyForm, noContent, param, type RestApp, type RestContext } from "./context.js";
import { readDraft, requireSomething, SENDABLE_FLAGS } from "./draft.js";
import type { Form } from "./form.js";
import { interactionOf } from "./interactionToken.js";
import { checkUrl } from "./urls.js";
import { webhookByToken } from "./webhooks.js";

/** Posting through a webhook. Paths that carry an interaction's token belong to interactions.ts. */
export function webhookMessageRoutes(app: RestApp, world: World): void {
  app.post("/webhooks/:webhook/:token", async (c, next) => {
    if (interactionOf(world, c)) return next();
    const webhook = webhookByToken(world, c);
    const channel = targetChannel(world, webhook, c);
    const form = bodyForm(c);
    const username = readUsername(form);
    const avatarUrl = checkUrl(form, "avatar_url", 2048) ?? null;
    refuseForumFields(form);
    const draft = readDraft(world, dropIgnoredComponents(form, webhook, c), {
      flags: SENDABLE_FLAGS,
      files: c.get("files"),
      channelId: channel.id,
    });
    requireSomething(draft);
    const message = postMessage(
      world,
      channel,
      {
        kind: "webhook",
        webhook,
        name: username ?? webhook.name,
        avatarHash: avatarUrl ? hashOf(avatarUrl) : webhook.avatar,
        avatarUrl,
      },
      { ...EMPTY_DRAFT, ...draft },
    );
    return c.req.query("wait") === "true"
      ? answer<RESTPostAPIWebhookWithTokenWaitResult>(c, viewMessage(world, message))
      : noContent(c);
  });

  app.get("/webhooks/:webhook/:token/messages/:message", async (c, next) => {
    if (interactionOf(world, c)) return next();
    const message = ownMessage(world, c);
    return answer<RESTGetAPIWebhookWithTokenMessageResult>(c, viewMessage(world, message));
  });

  app.patch("/webhooks/:webhook/:token/messages/:message", async (c, next) => {
    if (interactionOf(world, c)) return next();
    const webhook = webhookByToken(world, c);
    const message = ownMessage(world, c);
    const draft = readDraft(world, dropIgnoredComponents(bodyForm(c), webhook, c), {
      flags: SENDABLE_FLAGS,
      files: c.get("files"),
      channelId: message.channelId,
      kept: message.attachments,
    });
    requireSomething({ ...message, ...draft });
    editMessage(world, message, draft);
    return answer<RESTPatchAPIWebhookWithTokenMessageResult>(c, viewMessage(world, message));
  });

  app.delete("/webhooks/:webhook/:token/messages/:message", async (c, next) => {
    if (interactionOf(world, c)) return next();
    deleteMessage(world, ownMessage(world, c));
    return noContent(c);
  });
}

/** The channel, or the thread that `thread_id` names: it must hang under that channel. */
function targetChannel(world: World, webhook: WebhookRecord, c: RestContext): AnyChannelRecord {
  const threadId = c.req.query("thread_id");
  if (threadId === undefined) return world.channel(webhook.channelId);
  const thread = world.channels.get(threadId);
  if (thread?.kind !== "thread" || thread.parentId !== webhook.channelId) throw unknown("channel");
  return thread;
}

/** Only this webhook's messages, and those in a thread only with `thread_id`. */
function ownMessage(world: World, c: RestContext): MessageRecord {
  const webhook = webhookByToken(world, c);
  const channel = targetChannel(world, webhook, c);
  const message = world.message(channel.id, param(c, "message"));
  if (message.webhookId !== webhook.id) throw unknown("message");
  return message;
}

function readUsername(form: Form): string | undefined {
  const username = form.text("username");
  if (username === undefined) return undefined;
  form.fail(webhookNameError("username", username));
  return visibleName(username);
}

function refuseForumFields(form: Form): void {
  if (form.has("thread_name") && !form.isNull("thread_name")) {
    throw invalidField(
      "thread_name",
      "BASE_TYPE_CHOICES",
      "Webhooks can only create threads in forum channels",
    );
  }
  if (form.has("poll") && !form.isNull("poll")) throw refusal("wrongChannelType");
}

/** A webhook that no application made drops components, unless `with_components` asks for them. */
function dropIgnoredComponents(form: Form, webhook: WebhookRecord, c: RestContext): Form {
  if (webhook.applicationId !== null || c.req.query("with_components") === "true") return form;
  return form.without("components");
}
