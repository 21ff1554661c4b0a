/** What happened, in one order: the source of event streams. */
import type { ChannelId, GuildId, RoundId } from "../domain/ids.js";
import type { Message, Place } from "../domain/message.js";
import type { Round, RoundEvent } from "../domain/round/round.js";

/**
 * Every message and every event of a round gets the next number in the transaction that stores it.
 * Numbers become visible in their order, whoever writes: what is not there when a greater number is
 * read never comes. They survive restarts.
 */
export interface FeedStore {
  /** What has a greater number than `after`, by rising number. */
  since(
    after: number,
    options: { readonly of: FeedOf; readonly limit: number },
  ): Promise<readonly FeedEntry[]>;
  /** The greatest number given; 0 when there is none. */
  newest(): Promise<number>;
}

/** Of one channel, of one server, or of all. */
export type FeedOf =
  | { readonly channelId: ChannelId }
  | { readonly guildId: GuildId }
  | "everything";

export type FeedEntry = MessageEntry | JournalEntry;

interface Entry {
  readonly number: number;
  readonly atMs: number;
  readonly place: Place;
}

export interface MessageEntry extends Entry {
  readonly kind: "message";
  /** As it is now: an edit shows, and one that was deleted says so. */
  readonly message: Message;
}

export interface JournalEntry extends Entry {
  readonly kind: "round";
  readonly roundId: RoundId;
  readonly groupKind: Round["kind"];
  /** Its place in the journal of the round. */
  readonly seq: number;
  readonly event: RoundEvent;
}
