import type { Group } from "./group.js";
import type { AgentId, ChannelId, GroupId, GuildId } from "./ids.js";

/**
 * A conversation in which one agent, the host, speaks for several: a hosted group, or a chat that
 * somebody has started in an agent's own channel.
 */
export interface HostedChat {
  /** Null: in an agent's own channel. */
  readonly groupId: GroupId | null;
  readonly guildId: GuildId;
  readonly channelId: ChannelId;
  readonly hostId: AgentId;
  /** In the order in which they came; never the host. */
  readonly participants: readonly AgentId[];
  /** What was said in the channel before belongs to the host alone. */
  readonly startedAtMs: number;
}

/** A hosted group as a chat: its members beside the host are the participants. */
export function chatOfGroup(group: Group): HostedChat | null {
  if (group.kind !== "hosted" || group.channelId === null || group.archivedAtMs !== null) {
    return null;
  }
  const { id: groupId, guildId, channelId, hostId, members, createdAtMs: startedAtMs } = group;
  const participants = members.filter((agentId) => agentId !== hostId);
  return { groupId, guildId, channelId, hostId, participants, startedAtMs };
}
