import type { Chain } from "./chain.js";
import {
  type AgentId,
  asId,
  type ChannelId,
  type ConversationId,
  type GuildId,
  type MessageId,
  type RoundId,
  type ThreadId,
  type UserId,
} from "./ids.js";

/** Where something is said: a channel, or a thread under it. */
export interface Place {
  readonly guildId: GuildId;
  readonly channelId: ChannelId;
  readonly threadId: ThreadId | null;
}

/** The conversation of a place: a thread has a transcript of its own. */
export function conversationOf(place: Place): ConversationId {
  return (place.threadId ?? place.channelId) as string as ConversationId;
}

/** Who said something. `name` is what people saw at that moment. */
export type Author =
  | { readonly kind: "person"; readonly userId: UserId; readonly name: string }
  | { readonly kind: "agent"; readonly agentId: AgentId; readonly name: string };

/**
 * As whom Parley's own notes for an agent stand in the transcript, such as what its tools have
 * changed, and the tasks of parley.yaml, which no person gives. No agent has these ids.
 */
export const PARLEY_VOICE: Voice = { agentId: asId("parley"), name: "Parley" };
export const FILE_VOICE: Voice = { agentId: asId("parley.yaml"), name: "parley.yaml" };

interface Voice {
  readonly agentId: AgentId;
  readonly name: string;
}

/** A file at a message. */
export interface Attachment {
  readonly name: string;
  /** Media type as Discord gives it, without parameters, or null. */
  readonly type: string | null;
  readonly bytes: number;
  readonly url: string;
  /** What could be made of it; absent until it has been looked at. */
  readonly content?: AttachmentContent;
}

/** What prompts hold of a file: its text, a picture to be fetched when needed, or only its name. */
export type AttachmentContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" }
  | { readonly kind: "named"; readonly reason: LeftOutReason };

/** Why nothing but the name of a file reaches a prompt. */
export type LeftOutReason = "type" | "size" | "unreadable";

/** One message of a transcript: one Discord message. A reply in parts is several. */
export interface Message {
  readonly id: MessageId;
  /** Its conversation is `conversationOf(place)`. */
  readonly place: Place;
  readonly author: Author;
  /** What was said: Discord's tokens turned into the names shown. Of a reply in parts, this part's share. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The message that this one replies to; of the topic of a debate, the command by which it was opened. */
  readonly replyToId: MessageId | null;
  /** Of a question that `/ask` put: the one member that answers it. */
  readonly askedId: AgentId | null;
  /** Of the topic of a debate: how often each participant is asked. */
  readonly debatePasses?: number;
  /** Of the message of an agent to another one: it waits for a round like a person's message. */
  readonly chain?: Chain;
  readonly createdAtMs: number;
  readonly editedAtMs: number | null;
  readonly deletedAtMs: number | null;
  /** Of an agent's message: the round and the turn in it (0-based). */
  readonly roundId: RoundId | null;
  readonly turn: number | null;
  /** Of an agent's message: the newest message that the agent had seen when it composed this. */
  readonly seenThroughId: MessageId | null;
}

/** What a message is unless it is said otherwise. */
const PLAIN = {
  attachments: [],
  replyToId: null,
  askedId: null,
  editedAtMs: null,
  deletedAtMs: null,
  roundId: null,
  turn: null,
  seenThroughId: null,
} satisfies Partial<Message>;

type Words = Omit<Message, "id" | keyof typeof PLAIN> & Partial<Message>;

/** The record of what was said; without an id as long as it is not posted. */
export function said(words: Words & Pick<Message, "id">): Message;
export function said(words: Words): Omit<Message, "id">;
export function said(words: Words): Omit<Message, "id"> {
  return { ...PLAIN, ...words };
}

/**
 * The id of what its author wrote, which tells when that was: the topic of a debate has the id of
 * the bot's own line, and was written with the command before it.
 */
export function writtenId({
  id,
  debatePasses,
  replyToId,
}: Pick<Message, "id" | "debatePasses" | "replyToId">): MessageId {
  return debatePasses === undefined ? id : (replyToId ?? id);
}
