/** A storage that tells what is stored, after it was stored: for counters, and for those who wait for news. */
import type { RoundId } from "../domain/ids.js";
import type { Message } from "../domain/message.js";
import type { RoundEvent } from "../domain/round/round.js";
import type { Storage, UsageRow } from "../ports/storage.js";

export interface Observer {
  /** A message of a person is new. */
  recorded(message: Message): void;
  /** A round has gone on. */
  appended(events: readonly RoundEvent[], roundId: RoundId): void;
  /** A model was called. */
  used(row: UsageRow): void;
}

export function observed(storage: Storage, observer: Observer): Storage {
  const { messages, rounds, usage, words } = storage;
  return {
    ...storage,
    messages: {
      ...messages,
      async record(message, options) {
        const isNew = await messages.record(message, options);
        if (isNew) observer.recorded(message);
        return isNew;
      },
    },
    words: {
      ...words,
      async settle(nonce, message) {
        const wasOwed = await words.settle(nonce, message);
        if (wasOwed && message !== null) observer.recorded(message);
        return wasOwed;
      },
    },
    rounds: {
      ...rounds,
      async open(round, opened) {
        const isOpen = await rounds.open(round, opened);
        if (isOpen) observer.appended([opened], round.id);
        return isOpen;
      },
      async append(roundId, seq, events, options) {
        await rounds.append(roundId, seq, events, options);
        observer.appended(events, roundId);
      },
    },
    usage: {
      ...usage,
      async add(row) {
        await usage.add(row);
        observer.used(row);
      },
    },
  };
}
