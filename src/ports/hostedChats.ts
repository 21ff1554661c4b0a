import type { HostedChat } from "../domain/hostedChat.js";
import type { AgentId, ChannelId, GuildId, MessageId } from "../domain/ids.js";

/** Hosted chats in agents' own channels. Those of hosted groups are groups. */
export interface HostedChatStore {
  byChannel(channelId: ChannelId): Promise<HostedChat | null>;
  /** All of a server, oldest first. */
  list(guildId: GuildId): Promise<readonly HostedChat[]>;
  /** Starts one; false when there is one in this channel: nothing is stored then. */
  start(chat: HostedChat): Promise<boolean>;
  /** The whole new list. False when there is no chat in this channel. */
  setParticipants(channelId: ChannelId, participants: readonly AgentId[]): Promise<boolean>;
  /** Forgets the chat. False when there is none. */
  end(channelId: ChannelId): Promise<boolean>;
}

/** Commands that were written as messages and have been obeyed: events may arrive twice. */
export interface ObeyedStore {
  /** False when the message was claimed before. */
  claim(messageId: MessageId, atMs: number): Promise<boolean>;
}
