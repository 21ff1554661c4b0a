/**
 * Messages of ours that may be there although no answer said so. Discord tells of every message
 * over the gateway, of our own too: that settles most doubts, also where the bot may not read the
 * history. It may also carry out a request long after it has answered with an error. When the same
 * was posted again meanwhile, the late one is taken away.
 */
import { type Client, Events, type Message, Status } from "discord.js";
import { asId, compareSnowflakes, type MessageId } from "../../domain/ids.js";
import { STALE_ROUND_MS } from "../../domain/limits.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { keyOf, keyOfMessage, type Meant } from "./meant.js";
import { takeAway } from "./takeAway.js";

interface Doubt extends Meant {
  readonly sinceMs: number;
  /** Events of the connection come without a gap since. */
  readonly session: number;
  /** Requests for it that have no answer yet. */
  underWay: number;
  /** Of the newest of them. Once it is aborted, nobody waits for the message any more. */
  signal: AbortSignal;
  /** At least one of them came to an end that does not tell what has become of it. */
  isOpen: boolean;
  /** The message that was meant is known, or is wanted no more: any other is one too many. */
  isSettled: boolean;
  /** Messages like it that the gateway told of. */
  readonly heard: Set<MessageId>;
}

/** Far more than are under way at once. */
const MAX_DOUBTS = 1_000;
const MAX_KNOWN = 2_000;
/** What the process before this one had asked for may still come. */
const LATE_OF_BEFORE_MS = 60_000;
export class Doubts {
  readonly #client: Client<true>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #remove: (meant: Meant, messageId: MessageId) => Promise<void>;
  readonly #doubts = new Map<string, Doubt>();
  /** Messages that are accounted for. */
  readonly #known = new Set<MessageId>();
  #session = 0;
  readonly #sinceMs: number;
  #isToldOfOther = false;

  constructor(options: {
    readonly client: Client<true>;
    readonly clock: Clock;
    readonly log: Log;
    /** Rejects with `ChatError`. */
    readonly remove: (meant: Meant, messageId: MessageId) => Promise<void>;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#sinceMs = this.#clock.now();
    this.#log = options.log;
    this.#remove = options.remove;
    this.#client.on(Events.MessageCreate, (message) => this.#hear(message));
    // A session that begins anew does not tell of what happened before it.
    this.#client.on(Events.ShardReady, () => {
      this.#session += 1;
    });
  }

  /**
   * Sends it, and remembers it as long as its outcome is not known. Once the signal is aborted,
   * nobody wants it any more.
   */
  async sending(
    meant: Meant,
    signal: AbortSignal,
    send: () => Promise<MessageId>,
  ): Promise<MessageId> {
    const doubt = this.#begin(meant, signal);
    try {
      const id = await send();
      this.#settle(doubt, id);
      return id;
    } catch (error) {
      doubt.isOpen ||= !(error instanceof ChatError) || mayBeThere(error);
      throw error;
    } finally {
      doubt.underWay -= 1;
      this.#review(doubt);
    }
  }

  /**
   * The oldest message like it after `afterId` that is not accounted for: as the gateway told, else
   * as `search` finds it. Null: it is not there, also where the history may not be read and the
   * gateway would have told.
   */
  look(
    meant: Meant,
    where: { readonly afterId: string; readonly except: readonly MessageId[] },
    search: () => Promise<MessageId | null>,
  ): Promise<MessageId | null> {
    return this.#look(this.#doubts.get(keyOf(meant)), where, search);
  }

  /** The same for the bot's own message that carries this button. */
  lookForButton(
    place: Place,
    buttonId: string,
    where: { readonly afterId: string },
    search: () => Promise<MessageId | null>,
  ): Promise<MessageId | null> {
    const doubt = [...this.#doubts.values()].find(
      (one) =>
        conversationOf(one.place) === conversationOf(place) && one.buttonIds.includes(buttonId),
    );
    return this.#look(doubt, { ...where, except: [] }, search);
  }

  async #look(
    doubt: Doubt | undefined,
    where: { readonly afterId: string; readonly except: readonly MessageId[] },
    search: () => Promise<MessageId | null>,
  ): Promise<MessageId | null> {
    if (doubt === undefined) return search();
    const [heard] = [...doubt.heard]
      .filter((id) => !this.#known.has(id) && !where.except.includes(id))
      .filter((id) => compareSnowflakes(id, where.afterId) > 0)
      .sort(compareSnowflakes);
    try {
      const found = heard ?? (await search());
      if (found !== null) {
        this.#settle(doubt, found);
        this.#review(doubt);
      }
      return found;
    } catch (error) {
      const isUntold = error instanceof ChatError && error.kind === "forbidden";
      if (isUntold && this.#wouldHaveHeard(doubt)) return null;
      throw error;
    }
  }

  #begin(meant: Meant, signal: AbortSignal): Doubt {
    const key = keyOf(meant);
    this.#forgetOld();
    const doubt: Doubt = this.#doubts.get(key) ?? {
      ...meant,
      sinceMs: this.#clock.now(),
      session: this.#session,
      underWay: 0,
      signal,
      isOpen: false,
      isSettled: false,
      heard: new Set(),
    };
    doubt.underWay += 1;
    doubt.signal = signal;
    // The same text may be meant once more.
    doubt.isSettled = false;
    this.#doubts.set(key, doubt);
    return doubt;
  }

  #settle(doubt: Doubt, id: MessageId): void {
    doubt.isSettled = true;
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #hear(message: Message): void {
    const key = keyOfMessage(message);
    if (key === null) return;
    const doubt = this.#doubts.get(key);
    if (doubt === undefined) {
      if (message.webhookId !== null) this.#hearUnexpected(asId(message.id));
      return;
    }
    if (doubt.signal.aborted && doubt.underWay === 0) {
      // What stands there already stays; this one came too late.
      doubt.isSettled = true;
      doubt.heard.clear();
    }
    doubt.heard.add(asId(message.id));
    this.#review(doubt);
  }

  /** A persona has said what this process did not post, unless that is only not known yet. */
  #hearUnexpected(id: MessageId): void {
    const isNew = this.#clock.now() - this.#sinceMs < LATE_OF_BEFORE_MS;
    const isBusy = [...this.#doubts.values()].some(({ underWay }) => underWay > 0);
    if (this.#isToldOfOther || isNew || isBusy || this.#known.has(id)) return;
    this.#isToldOfOther = true;
    this.#log.warn(
      { messageId: id },
      "an agent spoke that this process did not let speak: another Parley process uses this bot's token with another database; stop one of the two",
    );
  }

  /** Decides when every request has its answer: until then any message may be the one that was meant. */
  #review(doubt: Doubt): void {
    if (doubt.underWay > 0) return;
    if (!doubt.isOpen) {
      this.#doubts.delete(keyOf(doubt));
      return;
    }
    if (!doubt.isSettled) return;
    const late = [...doubt.heard].filter((id) => !this.#known.has(id));
    doubt.heard.clear();
    for (const id of late) void this.#takeAway(doubt, id);
  }

  async #takeAway(meant: Meant, messageId: MessageId): Promise<void> {
    const what = { channelId: conversationOf(meant.place), messageId };
    await takeAway({ clock: this.#clock, log: this.#log }, what, async () => {
      await this.#remove(meant, messageId);
      return true;
    });
  }

  /** No event since then can have been missed. */
  #wouldHaveHeard({ session }: Doubt): boolean {
    const isHearing = this.#client.ws.shards.every(({ status }) => status === Status.Ready);
    return isHearing && session === this.#session;
  }

  #forgetOld(): void {
    const nowMs = this.#clock.now();
    for (const [key, { underWay, sinceMs }] of this.#doubts) {
      const isOld = nowMs - sinceMs > STALE_ROUND_MS || this.#doubts.size > MAX_DOUBTS;
      if (underWay === 0 && isOld) this.#doubts.delete(key);
    }
  }
}

/** Discord's asking for a pause means that nothing was done; it has been seen to be wrong. */
function mayBeThere({ kind }: ChatError): boolean {
  return kind === "unknown" || kind === "rate-limited";
}
