/**
 * What comes up from the chat service. The functions are called in the order of the events, for
 * one event possibly several times or never, and never before the one before has returned its
 * promise; the adapter does not wait for that promise, but logs its rejection. Events themselves may
 * come in any order: a message may have been edited or deleted before it is told of.
 */
import type { ChannelId, ConversationId, GuildId, MessageId, ThreadId } from "../domain/ids.js";
import type { Attachment, Place } from "../domain/message.js";
import type { ReceivedMessage } from "./chat.js";

export interface Listener {
  /** A person wrote. Bots, webhooks and system messages never get here. */
  received(message: ReceivedMessage): Promise<void>;
  /**
   * A person has edited a message, which has this text now; told again with every later change of it.
   * It may be one that was never received.
   */
  edited(id: MessageId, text: string, editedAtMs: number): Promise<void>;
  /**
   * A person's message was changed in some way and has these files now: its author may have taken
   * some away. It may be one that was never received.
   */
  filesLeft(id: MessageId, left: readonly Attachment[]): Promise<void>;
  /**
   * A message of the bot itself that carries buttons is there. It may be one that Discord had
   * refused to say anything about, and shows late.
   */
  ownShown(message: OwnShown): Promise<void>;
  /** Messages are gone, of whomever: also the bot's and the personas' own. */
  deleted(conversationId: ConversationId, ids: readonly MessageId[]): Promise<void>;
  /** A channel is gone for good. */
  channelDeleted(guildId: GuildId, channelId: ChannelId): Promise<void>;
  threadDeleted(guildId: GuildId, threadId: ThreadId): Promise<void>;
  /**
   * A server is there: at the start, when the bot joins it, after an outage, and after a
   * connection that could not be resumed. Events may have been missed: see `History`.
   */
  serverReady(guildId: GuildId): Promise<void>;
  /** What the bot may do in a server has changed, or may have. */
  rightsChanged(guildId: GuildId): Promise<void>;
  /** The bot was removed from a server, or the server was deleted. An outage is neither. */
  serverLeft(guildId: GuildId): Promise<void>;
}

export interface OwnShown {
  readonly place: Place;
  readonly messageId: MessageId;
  readonly buttonIds: readonly string[];
}

/** What stands in a conversation now. */
export interface Seen {
  /** Oldest first, of whomever. */
  readonly ids: readonly MessageId[];
  /** There is nothing older. */
  readonly isWhole: boolean;
  /** The messages of people among them that were edited after they were sent. */
  readonly edited: readonly { readonly message: ReceivedMessage; readonly editedAtMs: number }[];
}

/** A message of a persona, as it stands there. */
export interface SpokenPost {
  readonly id: MessageId;
  readonly personaName: string;
  readonly text: string;
}

/** What the bot has said in a conversation, under agents' names and its own. */
export interface Spoken {
  /** Oldest first. */
  readonly posts: readonly SpokenPost[];
  /** The newest of all; null: there is nothing. */
  readonly newestId: MessageId | null;
}

/** Reads what was written while nobody listened. Rejects with `ChatError`. */
export interface History {
  /** Every server the bot is in and that is available now. */
  servers(): readonly GuildId[];
  /** Text channels of a server and the active threads under them, as known now. */
  places(guildId: GuildId): readonly Place[];
  /**
   * Messages of people after `afterId` (null: of any age), oldest first. `limit` bounds how many
   * messages are looked at, those of bots included; where there are more, the newest are taken.
   * Rejects with "forbidden" where something was written and the bot may not read the history.
   */
  since(
    place: Place,
    afterId: MessageId | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ReceivedMessage[]>;
  /**
   * What the bot has said after `afterId`, among the newest `limit` messages. Rejects as `since`
   * does.
   */
  spoken(place: Place, afterId: MessageId, limit: number, signal?: AbortSignal): Promise<Spoken>;
  /**
   * The newest messages of a conversation, of whomever, at most `limit`. Null where the bot may not
   * read the history: an empty list would look as if everything had been deleted.
   */
  newest(place: Place, limit: number, signal?: AbortSignal): Promise<Seen | null>;
  /** The newest message of a conversation, of whomever, as the service named it. Null: not known, or none. */
  newestId(place: Place): MessageId | null;
  /** Whether the bot may read the history there; true where that is not known. */
  mayRead(place: Place): boolean;
  /** The same by its roles in a server; a channel may decide otherwise. */
  mayReadServer(guildId: GuildId): boolean;
}
