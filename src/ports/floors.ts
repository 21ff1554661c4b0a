/** The floors of moderated groups, as they follow from their rounds. */
import type { ConversationId, RoundId, UserId } from "../domain/ids.js";
import type { Round } from "../domain/round/round.js";

/**
 * A floor opens and closes with what is written of its rounds, in the same transactions: an `entered`
 * event with `opensFor` opens it, or takes the place of one; an `announced` event with `floorClosed`
 * closes it.
 */
export interface FloorStore {
  /** The newest floor of a conversation, open or closed; null when there never was one. */
  latest(conversationId: ConversationId): Promise<Floor | null>;
  /** True the first time that it is called for this person and floor (null: before any). */
  claimHint(
    conversationId: ConversationId,
    floorId: RoundId | null,
    userId: UserId,
  ): Promise<boolean>;
  /** The newest `limit` rounds of the moderated kind in a conversation, newest first. */
  rounds(conversationId: ConversationId, limit: number): Promise<readonly Round[]>;
}

export interface Floor {
  /** The round that opened it. */
  readonly floorId: RoundId;
  /** Null: it was opened by giving a turn or the like. */
  readonly topic: string | null;
  /** As shown. */
  readonly openedBy: string;
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
}
