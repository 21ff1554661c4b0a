import type { ChannelId, GuildId } from "../domain/ids.js";
import type { NewChannel } from "./chat.js";

/**
 * A channel that is about to be made. It is stored before the chat service is asked for it, so that
 * one that was made just before the process died is found again.
 */
export interface PlannedChannel {
  readonly id: string;
  readonly wanted: NewChannel;
  readonly atMs: number;
  /** Of one that was left over, with messages in it: where it is. Null: that is not known. */
  readonly channelId: ChannelId | null;
}

export interface NewChannelStore {
  /** Gives the plan an id. */
  plan(wanted: NewChannel, atMs: number): Promise<string>;
  /** Notes where a channel is that was left over and cannot be taken away. */
  keep(planned: PlannedChannel, channelId: ChannelId): Promise<void>;
  /** All plans of a server; null: of every server. */
  list(guildId: GuildId | null): Promise<readonly PlannedChannel[]>;
  /** Its channel belongs to somebody, or there is none. False: that was settled already. */
  settle(id: string): Promise<boolean>;
}
