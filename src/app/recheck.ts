import { isShownElsewhere } from "../domain/chain.js";
import {
  type ConversationId,
  compareSnowflakes,
  type GuildId,
  type MessageId,
} from "../domain/ids.js";
import { conversationOf, type Message, type Place, writtenId } from "../domain/message.js";
import { isGroupChatCommand } from "../domain/textCommand.js";
import { ChatError } from "../ports/chat.js";
import type { History, Seen } from "../ports/listener.js";
import type { Storage } from "../ports/storage.js";
import { storageAt } from "./patientStorage.js";
import type { Services } from "./services.js";

/** Messages of a conversation that are compared: what prompts hold is among the newest. */
const MAX_MESSAGES = 200;
/** Far more than what may lag behind. */
const MAX_HEARD = 1_000;
/** People wait for an answer meanwhile. */
const PATIENCE_MS = 5_000;

/**
 * Deletions and edits that happened while nobody listened: Discord tells of them only as they
 * happen. Before the first round of a conversation in this session, what is stored is compared with
 * what stands there, so that what is gone is gone from prompts too. Further back than the newest
 * 200 messages nothing is compared.
 */
export class Recheck {
  readonly #history: Pick<History, "newest">;
  readonly #services: Pick<Services, "storage" | "clock" | "log">;
  /** Conversations that need no more of it, with their servers. */
  readonly #done = new Map<ConversationId, GuildId>();

  /** Messages that came by themselves, newest last: what happens to them comes by itself too. */
  readonly #heard = new Map<MessageId, GuildId>();

  constructor(
    history: Pick<History, "newest">,
    services: Pick<Services, "storage" | "clock" | "log">,
  ) {
    this.#history = history;
    this.#services = services;
  }

  /** Compares, unless it was done already. Where Discord cannot be asked, what is stored stands. */
  async of(place: Place, signal: AbortSignal): Promise<void> {
    const conversationId = conversationOf(place);
    if (this.#done.has(conversationId)) return;
    const { clock, log } = this.#services;
    const storage = storageAt(this.#services.storage, place);
    // Read first: whatever is stored by now must be in what Discord says afterwards.
    const stored = await storage.messages.recent(conversationId, {
      before: null,
      limit: MAX_MESSAGES,
    });
    const bounded = clock.timeout(PATIENCE_MS, signal);
    try {
      const found =
        stored.length === 0 ? null : await this.#history.newest(place, MAX_MESSAGES, bounded);
      if (found !== null) await this.#compare(storage, stored, found);
      this.#done.set(conversationId, place.guildId);
    } catch (error) {
      signal.throwIfAborted();
      if (!bounded.aborted && !(error instanceof ChatError)) throw error;
      // The next round here asks again.
      log.warn({ err: error, conversationId }, "what was changed meanwhile could not be read");
    }
  }

  /** A message came live. A history that lags behind does not make it a deleted one. */
  heard({ id, place }: Pick<Message, "id" | "place">): void {
    this.#heard.set(id, place.guildId);
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MAX_HEARD && oldest !== undefined) this.#heard.delete(oldest);
  }

  /** Events of this server may have been missed: compare anew. */
  forget(guildId: GuildId): void {
    for (const [id, server] of this.#heard) {
      if (server === guildId) this.#heard.delete(id);
    }
    for (const [conversationId, server] of this.#done) {
      if (server === guildId) this.#done.delete(conversationId);
    }
  }

  async #compare(storage: Storage, stored: readonly Message[], found: Seen): Promise<void> {
    const { clock, log } = this.#services;
    const there = new Set<MessageId>(found.ids);
    const [oldest] = found.ids;
    const isInReach = (id: MessageId) =>
      found.isWhole || (oldest !== undefined && compareSnowflakes(id, oldest) >= 0);
    const gone = stored
      .filter((message) => !isShownElsewhere(message) && !this.#heard.has(message.id))
      .filter((message) =>
        [message.id, writtenId(message)].some((id) => isInReach(id) && !there.has(id)),
      )
      .map(({ id }) => id);
    // What has been made a command is no part of the conversation any more.
    const isCommand = ({ message }: Seen["edited"][number]) => isGroupChatCommand(message.text);
    const taken = found.edited.filter(isCommand).map(({ message }) => message.id);
    const marked = await storage.messages.markDeleted([...gone, ...taken], clock.now());
    let edits = 0;
    for (const { message, editedAtMs } of found.edited) {
      if (taken.includes(message.id)) continue;
      const isNew = await storage.messages.edit(message.id, message.text, editedAtMs);
      if (isNew) edits += 1;
    }
    if (marked.length + edits > 0) {
      log.info({ deleted: marked.length, edited: edits }, "changes of meanwhile were taken over");
    }
  }
}
