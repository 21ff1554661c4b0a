import type { AgentId, ChannelId } from "../domain/ids.js";

/**
 * Tells a round that runs that somebody has left its chat, so that nobody waits for who has gone.
 * Owns nothing but who listens: after a restart the round looks for itself.
 */
export class Departures {
  readonly #listeners = new Map<ChannelId, Set<(agentId: AgentId) => void>>();

  /** From now on `onLeft` hears of everybody who leaves the chat of this channel, until the returned function is called. */
  listen(channelId: ChannelId, onLeft: (agentId: AgentId) => void): () => void {
    const listeners = this.#listeners.get(channelId) ?? new Set();
    this.#listeners.set(channelId, listeners.add(onLeft));
    return () => {
      listeners.delete(onLeft);
      if (listeners.size === 0 && this.#listeners.get(channelId) === listeners) {
        this.#listeners.delete(channelId);
      }
    };
  }

  /** To be called once it is stored that those of `before` who are not in `after` have left. */
  changed(
    channelId: ChannelId | null,
    before: readonly AgentId[],
    after: readonly AgentId[],
  ): void {
    if (channelId === null) return;
    for (const onLeft of this.#listeners.get(channelId) ?? []) {
      for (const agentId of before) if (!after.includes(agentId)) onLeft(agentId);
    }
  }
}
