import type { HostedChat } from "../domain/hostedChat.js";
import type { AgentId, ChannelId, GuildId, MessageId } from "../domain/ids.js";
import type { Owed } from "./words.js";

/**
 * Hosted chats in agents' own channels. Those of hosted groups are groups. What is `owed` is stored
 * together with the change: what is said of it, and the command that made it.
 */
export interface HostedChatStore {
  byChannel(channelId: ChannelId): Promise<HostedChat | null>;
  /** All of a server, oldest first. */
  list(guildId: GuildId): Promise<readonly HostedChat[]>;
  /** Starts one; false when there is one in this channel: nothing is stored then. */
  start(chat: HostedChat, owed?: Owed): Promise<boolean>;
  /** The whole new list. False when there is no chat in this channel. */
  setParticipants(
    channelId: ChannelId,
    participants: readonly AgentId[],
    owed?: Owed,
  ): Promise<boolean>;
  /** Forgets the chat. False when there is none. */
  end(channelId: ChannelId, owed?: Owed): Promise<boolean>;
}

/**
 * Commands that were written as messages and have been obeyed: events may arrive twice. They are
 * stored with what is owed for them, see `Owed`.
 */
export interface ObeyedStore {
  has(messageId: MessageId): Promise<boolean>;
}
