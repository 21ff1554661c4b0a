import type { AgentId, GroupId } from "../domain/ids.js";

/**
 * Keeps the topics of channels true, in the background: Discord allows two changes in ten minutes
 * for a channel, so changes are merged, unchanged ones are skipped, and nothing waits for them.
 */
export interface Topics {
  /** The group's name, members or host changed. Returns at once. */
  groupChanged(groupId: GroupId): void;
  /** The agent's name changed: its own channel and its groups. Returns at once. */
  agentChanged(agentId: AgentId): void;
  /** Resolves when every change asked for so far was made or given up. */
  onIdle(): Promise<void>;
}
