import type { AgentId, ChannelId, GuildId } from "./ids.js";

/** The name of the agent that is the place to begin, and host where nobody was named. */
export const COORDINATOR = "coordinator";

/** Where an agent's picture is, once it has been uploaded. */
export interface Picture {
  /** The application emoji that holds it. */
  readonly emojiId: string;
  /** Public address that Discord fetches. */
  readonly url: string;
}

/** A persistent persona of one server. */
export interface Agent {
  readonly id: AgentId;
  readonly guildId: GuildId;
  /** Permanent, unique in the server among agents and groups, archived ones included. */
  readonly name: string;
  /** What people see; unique among agents that are not archived. */
  readonly displayName: string;
  /** The role, 1-4,000 characters. */
  readonly prompt: string;
  /** A model of its own, or null for the default. */
  readonly model: string | null;
  /** Null until uploaded, and when the upload was not possible. */
  readonly picture: Picture | null;
  /** `Agents` or `Agents-<suffix>`. */
  readonly category: string;
  /** The agent's own channel; null when it is gone. */
  readonly channelId: ChannelId | null;
  /** Tokens of transcript in its prompts, or null for the default. */
  readonly tokenBudget: number | null;
  readonly createdAtMs: number;
  readonly archivedAtMs: number | null;
}
