import {
  type APIWebhook,
  type REST,
  RESTJSONErrorCodes,
  type RESTPostAPIChannelWebhookJSONBody,
  Routes,
  WebhookType,
} from "discord.js";
import { asId, type ChannelId, type MessageId, type WebhookId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";
import type { WebhookStore } from "../../ports/storage.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, jsonOf, listOf, madeOf } from "./attempt.js";
import { hasCode } from "./errors.js";
import { takeAway } from "./takeAway.js";

/** A webhook of our own. The token is a secret: whoever has it can write as any persona. */
export interface Hook {
  readonly id: WebhookId;
  readonly token: string;
}

const LOOKING = { hasEffect: false, needs: "Manage Webhooks" };
const MAKING = { hasEffect: true, needs: "Manage Webhooks" };
const TAKING_BACK = { hasEffect: false, needs: "Manage Webhooks", isByWebhook: true };
/** Never seen by people: every message brings the name of its persona. */
const WEBHOOK_NAME = "Parley";

/**
 * The one webhook of ours in each channel: remembered by id, found by the application that made
 * it, or made. Its token is read from Discord and kept in memory only.
 */
export class Webhooks {
  readonly #options: {
    readonly sender: REST;
    readonly store: WebhookStore;
    readonly applicationId: string;
    readonly clock: Clock;
    readonly log: Log;
  };
  /** A promise per channel, so that uses at the same moment make one webhook. */
  readonly #hooks = new Map<ChannelId, Promise<Hook>>();
  /** Channels whose promise is settled. */
  readonly #known = new Set<ChannelId>();
  /** Every webhook that was used by this process, and the channel that it was used for last. */
  readonly #used = new Map<WebhookId, { readonly hook: Hook; readonly channelId: ChannelId }>();
  /** How many of ours Discord may still make there: their requests had no answer that tells. */
  readonly #doubtful = new Map<ChannelId, number>();

  constructor(options: {
    readonly sender: REST;
    readonly store: WebhookStore;
    readonly applicationId: string;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#options = options;
  }

  /** Rejects with `ChatError`. */
  of(channelId: ChannelId): Promise<Hook> {
    const known = this.#hooks.get(channelId);
    if (known !== undefined) return known;
    const hook = this.#find(channelId);
    this.#hooks.set(channelId, hook);
    hook.then(
      (hook) => {
        this.#known.add(channelId);
        this.#used.set(hook.id, { hook, channelId });
      },
      // A failed attempt is not remembered: the next use tries again.
      () => this.#hooks.delete(channelId),
    );
    return hook;
  }

  /** Something about the channel's webhooks changed: look at ours again before its next use. */
  changed(channelId: ChannelId): void {
    // A search that is under way goes on: a second one beside it might make a second webhook.
    if (this.#known.delete(channelId)) this.#hooks.delete(channelId);
    if (this.#doubtful.has(channelId)) void this.#tidy(channelId);
  }

  /** This webhook is gone, or is in another channel now: never use it again here. */
  async forget(channelId: ChannelId, hook: Hook): Promise<void> {
    const known = this.#known.has(channelId) ? await this.#hooks.get(channelId) : undefined;
    if (known?.id !== hook.id) return;
    this.changed(channelId);
    await this.#options.store.remove(channelId);
  }

  /**
   * A message of a webhook has come up in a channel. One of ours that somebody has moved writes
   * where nobody expects it: what it wrote there is taken back. Never rejects.
   */
  async heard(webhookId: WebhookId, channelId: ChannelId, messageId: MessageId): Promise<void> {
    const used = this.#used.get(webhookId);
    if (used === undefined || used.channelId === channelId) return;
    await takeAway(this.#options, { channelId, messageId }, async () => {
      await this.takeBack(used.hook, messageId);
      return true;
    });
  }

  /** Deletes what this webhook has written, wherever it is now. Rejects with `ChatError`. */
  async takeBack(hook: Hook, messageId: MessageId): Promise<void> {
    await attempt(TAKING_BACK, undefined, async () => {
      try {
        const route = Routes.webhookMessage(hook.id, hook.token, messageId);
        await this.#options.sender.delete(route, { auth: false });
      } catch (error) {
        if (!hasCode(error, RESTJSONErrorCodes.UnknownMessage)) throw error;
      }
    });
  }

  async #find(channelId: ChannelId): Promise<Hook> {
    const { store } = this.#options;
    const rememberedId = await store.get(channelId);
    const remembered = rememberedId === null ? null : await this.#read(channelId, rememberedId);
    if (remembered !== null) return remembered;
    const found = await this.#search(channelId);
    if (found !== null) this.#doubt(channelId, -1);
    const hook = found ?? (await this.#make(channelId));
    await store.set(channelId, hook.id);
    return hook;
  }

  #doubt(channelId: ChannelId, change: 1 | -1): void {
    const count = (this.#doubtful.get(channelId) ?? 0) + change;
    if (count > 0) this.#doubtful.set(channelId, count);
    else this.#doubtful.delete(channelId);
  }

  /**
   * Takes away webhooks that Discord made late, when another one was made meanwhile. Ours only, and
   * only where such a request is in doubt: another process with this token may have its own.
   */
  async #tidy(channelId: ChannelId): Promise<void> {
    await takeAway(this.#options, { channelId, what: "webhook" }, async () => {
      const { id } = await this.of(channelId);
      let isAny = false;
      for (const hook of await this.#list(channelId)) {
        if (hook.id === id || !this.#doubtful.has(channelId)) continue;
        await attempt(LOOKING, undefined, async () => {
          try {
            await this.#options.sender.delete(Routes.webhook(hook.id));
          } catch (error) {
            if (!hasCode(error, RESTJSONErrorCodes.UnknownWebhook)) throw error;
          }
        });
        this.#doubt(channelId, -1);
        isAny = true;
      }
      return isAny;
    });
  }

  async #read(channelId: ChannelId, id: WebhookId): Promise<Hook | null> {
    const webhook = await attempt(LOOKING, undefined, async () => {
      try {
        return await jsonOf<APIWebhook>(this.#options.sender.get(Routes.webhook(id)));
      } catch (error) {
        if (hasCode(error, RESTJSONErrorCodes.UnknownWebhook)) return null;
        throw error;
      }
    });
    return webhook === null ? null : this.#ours(channelId, webhook);
  }

  async #search(channelId: ChannelId): Promise<Hook | null> {
    const [first] = await this.#list(channelId);
    return first ?? null;
  }

  async #list(channelId: ChannelId): Promise<readonly Hook[]> {
    const webhooks = await attempt(LOOKING, undefined, () =>
      listOf<APIWebhook>(this.#options.sender.get(Routes.channelWebhooks(channelId))),
    );
    return webhooks.flatMap((webhook) => this.#ours(channelId, webhook) ?? []);
  }

  async #make(channelId: ChannelId): Promise<Hook> {
    const body: RESTPostAPIChannelWebhookJSONBody = { name: WEBHOOK_NAME };
    const webhook = await attempt(MAKING, undefined, () =>
      madeOf<APIWebhook>(
        this.#options.sender.post(Routes.channelWebhooks(channelId), {
          body,
          reason: "Agents speak through it.",
        }),
      ),
    ).catch((error: unknown) => {
      if (error instanceof ChatError && error.kind === "unknown") this.#doubt(channelId, 1);
      throw error;
    });
    const hook = this.#ours(channelId, webhook);
    if (hook === null) throw new Error("Discord made a webhook without a token.");
    return hook;
  }

  /** Only webhooks that this application made come with their token. */
  #ours(channelId: ChannelId, webhook: APIWebhook): Hook | null {
    const { id, type, token, application_id, channel_id } = webhook;
    const isOurs = type === WebhookType.Incoming && application_id === this.#options.applicationId;
    if (!isOurs || token === undefined || channel_id !== channelId) return null;
    return { id: asId(id), token };
  }
}
