import {
  type ChannelId,
  type ConversationId,
  compareSnowflakes,
  type MessageId,
} from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { Exclusive } from "./exclusive.js";

/**
 * Messages that are being stored or obeyed at this moment. Events come in order, but each takes its
 * time: those of one channel take effect one after another, and what happens to a message has to
 * wait until the message is there.
 */
export class Arrivals {
  readonly #arriving = new Set<Arrival>();
  readonly #channels = new Exclusive<ChannelId>();

  /** Does what storing the message takes, after all that arrived in the channel before it. */
  async inOrder<T>(message: ReceivedMessage, store: () => Promise<T>): Promise<T> {
    const stored = this.#channels.run(message.place.channelId, store);
    const arrival = { message, conversationId: conversationOf(message.place), stored };
    this.#arriving.add(arrival);
    try {
      return await stored;
    } finally {
      this.#arriving.delete(arrival);
    }
  }

  /** Resolves when none of these is on its way any more, however that ended. */
  of(ids: readonly MessageId[]): Promise<void> {
    return this.#after(({ message }) => ids.includes(message.id));
  }

  /** The same for a whole conversation. */
  in(conversationId: ConversationId): Promise<void> {
    return this.#after((arrival) => arrival.conversationId === conversationId);
  }

  /** The same for what was written in its conversation before this message. */
  before({ id, place }: ReceivedMessage): Promise<void> {
    const conversationId = conversationOf(place);
    return this.#after(
      (arrival) =>
        arrival.conversationId === conversationId && compareSnowflakes(arrival.message.id, id) < 0,
    );
  }

  async #after(isMeant: (arrival: Arrival) => boolean): Promise<void> {
    const meant = [...this.#arriving].filter(isMeant);
    await Promise.allSettled(meant.map(({ stored }) => stored));
  }
}

interface Arrival {
  readonly message: ReceivedMessage;
  readonly conversationId: ConversationId;
  readonly stored: Promise<unknown>;
}
