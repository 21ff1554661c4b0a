import type { AgentId, ChannelId, RoundId, ThreadId } from "../domain/ids.js";

/** What agents write to each other outside groups. */
export interface ExchangeStore {
  /**
   * Takes one of the places that a chain has for requests. False when all are taken; a key that has
   * taken one before keeps it.
   */
  claim(chainId: RoundId, key: string, places: number): Promise<boolean>;
  /** The thread of two agents under a channel, or null. */
  thread(between: Exchange): Promise<ThreadId | null>;
  setThread(between: Exchange, threadId: ThreadId): Promise<void>;
  /** Whose messages a thread shows; null: it is no such thread. */
  ofThread(threadId: ThreadId): Promise<Exchange | null>;
}

export interface Exchange {
  /** Who asks: the thread is under its channel. */
  readonly agentId: AgentId;
  readonly otherId: AgentId;
  readonly channelId: ChannelId;
}
