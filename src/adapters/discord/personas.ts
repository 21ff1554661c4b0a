import {
  type APIMessage,
  type Client,
  Events,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
  type RESTPostAPIWebhookWithTokenJSONBody,
  Routes,
} from "discord.js";
import { asId, type MessageId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { type Chat, ChatError, type PersonaPost } from "../../ports/chat.js";
import type { WebhookStore } from "../../ports/storage.js";
import type { Clock, Log } from "../../ports/system.js";
import { rowsOf } from "./announcements.js";
import { attempt, madeOf } from "./attempt.js";
import type { Doubts } from "./doubts.js";
import { chatErrorOf, forbidden, hasCode, isHookUseless, namesField } from "./errors.js";
import type { Meant } from "./meant.js";
import { findMessage, isSameText } from "./search.js";
import { type Hook, Webhooks } from "./webhooks.js";

const POSTING = { hasEffect: true, needs: "Manage Webhooks", isByWebhook: true };
const REMOVING = { hasEffect: false, needs: "Manage Messages", isByWebhook: true };

export interface Personas extends Pick<Chat, "post" | "findPost" | "editPost"> {
  /** Deletes a persona's message through the webhook that posted it, which takes no permission. */
  readonly removePost: (place: Place, messageId: MessageId) => Promise<void>;
}

/** Messages under the names and pictures of agents. */
export function createPersonas(options: {
  readonly client: Client<true>;
  readonly sender: REST;
  readonly store: WebhookStore;
  readonly doubts: Doubts;
  readonly clock: Clock;
  readonly log: Log;
}): Personas {
  const { client, sender, store, doubts, clock, log } = options;
  const applicationId = client.application.id;
  const webhooks = new Webhooks({ sender, store, applicationId, clock, log });
  client.on(Events.WebhooksUpdate, (channel) => webhooks.changed(asId(channel.id)));
  client.on(Events.MessageCreate, ({ webhookId, channel, id }) => {
    const channelId = channel.isThread() ? channel.parentId : channel.id;
    if (webhookId === null || channelId === null) return;
    void webhooks.heard(asId(webhookId), asId(channelId), asId(id));
  });

  /** A picture that Discord does not take never stops a message: it is posted without. */
  async function executeWithOrWithoutPicture(
    hook: Hook,
    post: PersonaPost,
    signal: AbortSignal,
  ): Promise<APIMessage> {
    const { persona } = post;
    try {
      return await execute(sender, hook, post, signal);
    } catch (error) {
      if (persona.pictureUrl === null || !namesField(error, "avatar_url")) throw error;
      log.warn({ err: error, pictureUrl: persona.pictureUrl }, "posting without the picture");
      const bare = { ...post, persona: { ...persona, pictureUrl: null } };
      return execute(sender, hook, bare, signal);
    }
  }

  /** A `ChatError` that is returned, not thrown: nothing was posted, another webhook may do it. */
  async function postOnce(post: PersonaPost, signal: AbortSignal): Promise<MessageId | ChatError> {
    const { channelId } = post.place;
    const hook = await attempt(POSTING, signal, () => webhooks.of(channelId));
    const posted = await attempt(POSTING, signal, async (signal) => {
      try {
        return await executeWithOrWithoutPicture(hook, post, signal);
      } catch (error) {
        if (isHookUseless(error)) return chatErrorOf(error, POSTING);
        throw error;
      }
    });
    if (!(posted instanceof ChatError) && posted.channel_id === conversationOf(post.place)) {
      return asId(posted.id);
    }
    await webhooks.forget(channelId, hook);
    if (posted instanceof ChatError) return posted;
    log.warn({ channelId }, "the webhook was in another channel; the message is taken back");
    await webhooks.takeBack(hook, asId(posted.id));
    return new ChatError("gone", "The webhook of this channel was moved away.");
  }

  async function postByOneOrAnother(post: PersonaPost, signal: AbortSignal): Promise<MessageId> {
    const first = await postOnce(post, signal);
    if (!(first instanceof ChatError)) return first;
    log.info({ channelId: post.place.channelId, kind: first.kind }, "posting by another webhook");
    const second = await postOnce(post, signal);
    if (!(second instanceof ChatError)) return second;
    if (hasCode(second.cause, RESTJSONErrorCodes.UnknownChannel)) {
      const what = post.place.threadId === null ? "channel" : "thread";
      throw new ChatError("gone", `The ${what} is not there any more.`, { cause: second });
    }
    // Once is an accident; more than once is somebody's doing, where Discord says that it is gone.
    const isTakenAway = hasCode(
      second.cause,
      RESTJSONErrorCodes.UnknownWebhook,
      RESTJSONErrorCodes.InvalidWebhookToken,
    );
    throw new ChatError(
      "refused",
      isTakenAway || second.cause === undefined
        ? "The webhook of this channel is taken away again and again: look at the channel's settings under Integrations."
        : "Discord does not take the webhook of this channel: write again later, or delete the webhook in the channel's settings under Integrations.",
      { cause: second },
    );
  }

  return {
    post: (post, signal) =>
      doubts.sending(meantBy(post), signal, () => postByOneOrAnother(post, signal)),

    async findPost(wanted, signal) {
      const ownId = await store.get(wanted.place.channelId);
      const search = () =>
        findMessage(
          { client, sender },
          wanted,
          (message) =>
            message.webhook_id !== undefined &&
            // An answer to a command carries the application as its webhook.
            message.webhook_id !== applicationId &&
            (message.webhook_id === ownId || message.application_id === applicationId) &&
            isSameText(message.author.username, wanted.personaName) &&
            isSameText(message.content, wanted.text) &&
            !wanted.except.includes(asId(message.id)),
          signal,
        );
      return doubts.look({ ...wanted, buttonIds: [] }, wanted, search);
    },

    async editPost(place, messageId, { text, file }) {
      const hook = await attempt(POSTING, undefined, () => webhooks.of(place.channelId));
      const body: RESTPatchAPIWebhookWithTokenMessageJSONBody = {
        content: text,
        // An edit is searched for mentions anew, and keeps the files that it names.
        allowed_mentions: { parse: [] },
        attachments: file === null ? [] : [{ id: "0", filename: file.name }],
      };
      await attempt(POSTING, undefined, async () => {
        try {
          await sender.patch(Routes.webhookMessage(hook.id, hook.token, messageId), {
            auth: false,
            body,
            query: threadQuery(place),
            ...(file === null ? {} : { files: [fileOf(file)] }),
          });
        } catch (error) {
          if (!isHookUseless(error)) throw error;
          // Only the webhook that posted a message can change it.
          throw new ChatError(
            "gone",
            "The webhook that posted this message is not there any more.",
            {
              cause: error,
            },
          );
        }
      });
    },

    async removePost(place, messageId) {
      const hook = await webhooks.of(place.channelId);
      await attempt(REMOVING, undefined, async () => {
        try {
          await sender.delete(Routes.webhookMessage(hook.id, hook.token, messageId), {
            auth: false,
            query: threadQuery(place),
          });
        } catch (error) {
          if (!hasCode(error, RESTJSONErrorCodes.UnknownMessage) && !isHookUseless(error))
            throw error;
          // It is there, but another webhook posted it: only the bot's own permission helps.
          throw forbidden("Manage Messages", error);
        }
      });
    },
  };
}

function meantBy({ place, persona, text, buttons = [] }: PersonaPost): Meant {
  return { place, personaName: persona.name, text, buttonIds: buttons.map(({ id }) => id) };
}

async function execute(
  sender: REST,
  hook: Hook,
  { place, persona, text, file, buttons = [] }: PersonaPost,
  signal: AbortSignal,
): Promise<APIMessage> {
  const body: RESTPostAPIWebhookWithTokenJSONBody = {
    content: text,
    username: persona.name,
    ...(persona.pictureUrl === null ? {} : { avatar_url: persona.pictureUrl }),
    allowed_mentions: { parse: [] },
    // Only webhooks that an application made may carry buttons, and ours did.
    ...(buttons.length === 0 ? {} : { components: rowsOf(buttons) }),
  };
  const query = threadQuery(place);
  // Without it Discord neither gives the message back nor says that it was not stored.
  query.set("wait", "true");
  const message = await madeOf<APIMessage>(
    sender.post(Routes.webhook(hook.id, hook.token), {
      // With the bot's token a refusal here would make the REST instance forget that token.
      auth: false,
      body,
      query,
      signal,
      ...(file === null ? {} : { files: [fileOf(file)] }),
    }),
  );
  if (typeof message.channel_id !== "string") {
    throw new SyntaxError("The answer does not say where the message is.");
  }
  return message;
}

function fileOf(file: { readonly name: string; readonly text: string }): RawFile {
  return { name: file.name, data: Buffer.from(file.text), contentType: "text/plain" };
}

/** A thread has no webhooks: its parent's is used, and the thread is named in every request. */
function threadQuery({ threadId }: Place): URLSearchParams {
  return new URLSearchParams(threadId === null ? {} : { thread_id: threadId });
}
