/**
 * The chat service, as the application needs it. Every method may wait for the network, and for its
 * turn; those that take a signal stop waiting as soon as it is aborted and reject with its reason.
 * A post or an announcement that is under way is let finish all the same, so that its outcome is known.
 * All reject with `ChatError` when the service did not do it.
 */
import type { Picture } from "../domain/agent.js";
import type { ChannelId, GuildId, MessageId, RoleId, ThreadId, UserId } from "../domain/ids.js";
import type { Attachment, Place } from "../domain/message.js";

export interface Chat {
  /**
   * Posts one message under a persona, once: no retries. Nothing in it pings anybody.
   * `outcome: "unknown"` in the error means that the message may exist: look with `findPost`.
   */
  post(post: PersonaPost, signal: AbortSignal): Promise<MessageId>;
  /** Looks for a persona's message that may have been posted. Null: it was not. */
  findPost(wanted: WantedPost, signal: AbortSignal): Promise<MessageId | null>;

  /**
   * Says something as the bot itself. Calling it again with the same `nonce` within some minutes
   * gives the first message; after that it is looked for in the channel first when `isDoubtful`.
   */
  announce(announcement: Announcement, signal: AbortSignal): Promise<MessageId>;
  /** Changes an announcement. A message that is gone is `ChatError` kind "gone". */
  editAnnouncement(
    place: Place,
    messageId: MessageId,
    change: Pick<Announcement, "text" | "buttons">,
  ): Promise<void>;
  /** Finds the bot's own message that carries the button with this id, younger than `afterId`. */
  findOwn(
    wanted: { readonly place: Place; readonly buttonId: string; readonly afterId: MessageId },
    signal: AbortSignal,
  ): Promise<MessageId | null>;
  /** Changes what a persona's message says; name and picture stay. A message that is gone is kind "gone". */
  editPost(
    place: Place,
    messageId: MessageId,
    change: Pick<PersonaPost, "text" | "file">,
  ): Promise<void>;
  /** Deletes a message of the bot or of a persona. One that is gone already is fine. */
  remove(place: Place, messageId: MessageId): Promise<void>;
  /** Shows "is typing" for about ten seconds. Failures are of no consequence and are not reported. */
  showTyping(place: Place): Promise<void>;

  /** Makes a text channel under the category of this name, which is made too when missing. */
  createChannel(channel: NewChannel): Promise<ChannelId>;
  /**
   * Text channels with this name and topic, whatever category they are in, that were made since.
   * Asks the service anew.
   */
  findChannels(wanted: NewChannel, sinceMs: number): Promise<readonly FoundChannel[]>;
  /** Deletes a channel that was made in the same command: nothing half-made stays behind. */
  discardChannel(channelId: ChannelId): Promise<void>;
  /**
   * Moves a channel under the category of this name, which is made when missing. When there is no
   * room: "refuse" rejects with kind "full", "another" makes one more category of the same name.
   */
  moveChannel(
    channelId: ChannelId,
    category: string,
    whenFull: "refuse" | "another",
  ): Promise<void>;
  /**
   * What the bot lacks for agents to speak in a channel or thread, as Discord's settings call it, as known
   * now. Empty where nothing is missing, or where it is not known.
   */
  lacking(channelId: ChannelId | ThreadId): readonly string[];
  /**
   * Where the bot may speak to everybody in a server, as known now: the channel for the server's
   * own messages, else the first in which it may write. Null: nowhere.
   */
  lobby(guildId: GuildId): ChannelId | null;
  /** Asks whether a channel exists; one that the bot may not see does. Rejects when that is not known. */
  hasChannel(channelId: ChannelId): Promise<boolean>;
  /** Sets the topic. Discord allows two changes in ten minutes; waits for its turn, so never await it in a command. */
  setTopic(channelId: ChannelId, topic: string): Promise<void>;
  /** The topic as known now, or null when there is no such channel. */
  topic(channelId: ChannelId): string | null;

  /** Uploads a picture and gives its permanent address. `name`: 2-32 letters, digits, underscores. */
  uploadPicture(name: string, image: Uint8Array): Promise<Picture>;
  /** Deletes a picture; one that is gone already is fine. */
  discardPicture(picture: Picture): Promise<void>;

  /**
   * A thread with this name under a channel: the one that is known, as long as it exists, which is
   * renamed when it has another name (and keeps that while this cannot be done); else an open one of
   * the bot's own with this name; else a new one.
   */
  openThread(wanted: WantedThread): Promise<ThreadId>;

  /** A person with what this server lets them do now, at a place. Null: they are not in the server. */
  asker(userId: UserId, place: Place): Promise<Asker | null>;
  /** Whether a person can see a channel or thread now. False too where there is none. */
  sees(userId: UserId, place: Place): Promise<boolean>;
  /**
   * Messages of a channel or thread, oldest first, as this person could read them there. Null:
   * there is none of this name, or the person may not read it; which of the two stays untold. Of
   * several channels of one name none is guessed: kind "refused", and the detail names them.
   */
  read(reading: Reading): Promise<readonly SeenMessage[] | null>;

  /** The address of a message, for people. */
  link(place: Place, messageId: MessageId): string;
}

export interface Persona {
  readonly name: string;
  readonly pictureUrl: string | null;
}

export interface PersonaPost {
  readonly place: Place;
  readonly persona: Persona;
  /** 1-2,000 characters. */
  readonly text: string;
  readonly file: { readonly name: string; readonly text: string } | null;
  /** Shown under it. */
  readonly buttons?: readonly Button[];
}

export interface WantedPost {
  readonly place: Place;
  readonly personaName: string;
  readonly text: string;
  /** Only messages younger than this. */
  readonly afterId: MessageId;
  /** Messages that are accounted for already. */
  readonly except: readonly MessageId[];
}

export interface Button {
  /** 1-100 characters; comes back with the press. */
  readonly id: string;
  readonly label: string;
  readonly style: "plain" | "danger";
}

export interface Announcement {
  readonly place: Place;
  readonly text: string;
  readonly buttons: readonly Button[];
  /** Shown without a notification. */
  readonly isSilent: boolean;
  /** 1-25 characters, the same for the same announcement. */
  readonly nonce: string;
  /** It may have been said before: look first (for the bot's own message with this text after `afterId`). */
  readonly isDoubtful: boolean;
  readonly afterId: MessageId | null;
}

export interface NewChannel {
  readonly guildId: GuildId;
  readonly name: string;
  readonly category: string;
  readonly topic: string;
}

export interface FoundChannel {
  readonly channelId: ChannelId;
  /** Nothing was ever written there. */
  readonly isUnused: boolean;
}

export interface WantedThread {
  readonly guildId: GuildId;
  readonly channelId: ChannelId;
  /** 1-100 characters. */
  readonly name: string;
  readonly known: ThreadId | null;
}

export interface Reading {
  readonly guildId: GuildId;
  readonly userId: UserId;
  /** A name, an id, or as people mention it. */
  readonly channel: string;
  /** Messages on both sides of this one; null: the newest. */
  readonly around: MessageId | null;
  /** 1-50. */
  readonly limit: number;
}

/** A message that is read somewhere else: of people, bots and personas alike. */
export interface SeenMessage {
  readonly id: MessageId;
  readonly authorName: string;
  /** Who wrote it; null: no person did. */
  readonly userId: UserId | null;
  readonly text: string;
  readonly files: readonly string[];
  readonly createdAtMs: number;
}

/** A message of a person as it arrives. Bots, webhooks and system messages never get here. */
export interface ReceivedMessage {
  readonly id: MessageId;
  readonly place: Place;
  readonly author: Asker;
  /** Discord's own tokens turned back into the names shown. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly replyToId: MessageId | null;
  readonly createdAtMs: number;
  /** When it got the text that it has here; null: with that it was sent. */
  readonly editedAtMs: number | null;
}

/** A person who wants something, with what this server lets them do. */
export interface Asker {
  readonly userId: UserId;
  /** As shown in this server. */
  readonly name: string;
  readonly guildId: GuildId;
  readonly roleIds: readonly RoleId[];
  /** Manage Channels, or administrator, in this server. */
  readonly canManageChannels: boolean;
  /** May write messages in the channel or thread where it is asked. */
  readonly canWriteHere: boolean;
}

export type ChatErrorKind =
  | "unknown" // the outcome is not known: it may have happened
  | "unavailable" // it did not happen; the service is in trouble, later may help
  | "rate-limited" // it did not happen; see retryAfterMs
  | "forbidden" // the bot lacks a permission
  | "gone" // channel, thread, message or server is not there, or closed to the bot for good
  | "full" // no room: channels, category, webhooks, emojis
  | "blocked" // refused for its content (AutoMod, link filter)
  | "refused" // invalid in another way
  | "logged-out"; // the bot's token is no longer valid

/** The chat service did not do it, or may have (kind "unknown"). `detail` is one sentence for people. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly kind: ChatErrorKind;
  /** One sentence without jargon: what stands in the way, and the remedy where there is one. */
  readonly detail: string;
  readonly retryAfterMs: number | null;
  /** Of kind "rate-limited": the service does nothing at all for the bot until then. */
  readonly holdsAll: boolean;
  /** Of kind "forbidden", where it is known: the permissions, as Discord's settings call them. */
  readonly needs: string | null;
  constructor(
    kind: ChatErrorKind,
    detail: string,
    options: {
      readonly retryAfterMs?: number | null;
      readonly holdsAll?: boolean;
      readonly needs?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`${kind}: ${detail}`, { cause: options.cause });
    this.kind = kind;
    this.detail = detail;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.holdsAll = options.holdsAll ?? false;
    this.needs = options.needs ?? null;
  }

  /** Whether the same may work later. */
  get mayPass(): boolean {
    return ["unknown", "unavailable", "rate-limited"].includes(this.kind);
  }
}
