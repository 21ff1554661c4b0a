import type { ConversationId, MessageId } from "../domain/ids.js";
import type { Message, Place } from "../domain/message.js";

/**
 * Something that the bot has decided to say under its own name. It is stored before it is said, so
 * that it is said once, whatever happens in between.
 */
export interface OwedWords {
  /** 1-25 characters, of these words alone. */
  readonly nonce: string;
  readonly place: Place;
  readonly text: string;
  /** Shown without a notification. */
  readonly isSilent: boolean;
  /** What says it is younger than this. */
  readonly afterId: MessageId;
  readonly atMs: number;
  /** What the message that says it is in the conversation: it waits for a round. Null: no part of it. */
  readonly trigger: Omit<Message, "id"> | null;
}

/** Words that are owed from now on, and the command that is obeyed by that. */
export interface Owed {
  readonly words: readonly OwedWords[];
  /** A command that was written as a message; null: it came in another way. */
  readonly obeyed: MessageId | null;
  readonly atMs: number;
}

export interface WordsStore {
  /** Words that are stored already, by their nonce, stay as they are. */
  owe(owed: Owed): Promise<void>;
  /** All that may not have been said yet, in the order in which they were stored. */
  list(): Promise<readonly OwedWords[]>;
  /** Whether something may not have been said yet in this conversation. */
  owes(conversationId: ConversationId): Promise<boolean>;
  /**
   * They are said, or never will be: nothing is owed any more. With `message` that is stored in the
   * same transaction, unless it is known, and waits for a round. False when nothing was owed any
   * more, such as what was called off meanwhile: nothing is stored then.
   */
  settle(nonce: string, message: Message | null): Promise<boolean>;
}
