import type { ConversationId, MessageId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import type { ReceivedMessage } from "../ports/chat.js";

/**
 * Messages that are being stored at this moment. Events come in order, but each takes its time:
 * what happens to a message has to wait until the message is there.
 */
export class Arrivals {
  readonly #arriving = new Set<Arrival>();

  /** Does what storing the message takes. */
  async during<T>(message: ReceivedMessage, store: () => Promise<T>): Promise<T> {
    const stored = store();
    const arrival = { id: message.id, conversationId: conversationOf(message.place), stored };
    this.#arriving.add(arrival);
    try {
      return await stored;
    } finally {
      this.#arriving.delete(arrival);
    }
  }

  /** Resolves when none of these is on its way any more, however that ended. */
  of(ids: readonly MessageId[]): Promise<void> {
    return this.#after(({ id }) => ids.includes(id));
  }

  /** The same for a whole conversation. */
  in(conversationId: ConversationId): Promise<void> {
    return this.#after((arrival) => arrival.conversationId === conversationId);
  }

  async #after(isMeant: (arrival: Arrival) => boolean): Promise<void> {
    const meant = [...this.#arriving].filter(isMeant);
    await Promise.allSettled(meant.map(({ stored }) => stored));
  }
}

interface Arrival {
  readonly id: MessageId;
  readonly conversationId: ConversationId;
  readonly stored: Promise<unknown>;
}
