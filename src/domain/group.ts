import type { AgentId, ChannelId, GroupId, GuildId } from "./ids.js";

export const GROUP_KINDS = ["open", "hosted", "moderated"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/**
 * A channel with 2 to 6 member agents, one of them the host. In a hosted group the members are the
 * host and its participants, who come and go: none to 16 of them.
 */
export interface Group {
  readonly id: GroupId;
  readonly guildId: GuildId;
  readonly name: string;
  readonly displayName: string;
  readonly kind: GroupKind;
  /** `Groups` or `Groups-<suffix>`. */
  readonly category: string;
  readonly channelId: ChannelId | null;
  /** In the order in which they were given; always contains `hostId`. */
  readonly members: readonly AgentId[];
  readonly hostId: AgentId;
  /** Members that are neither judged nor handed to. */
  readonly muted: readonly AgentId[];
  readonly createdAtMs: number;
  readonly archivedAtMs: number | null;
}
