/**
 * Identifiers as distinct types. Discord's ids are snowflakes (decimal strings of 17-20 digits,
 * rising with time); ours are made by the `Ids` port.
 */
declare const scope: unique symbol;
type Id<Scope extends string> = string & { readonly [scope]: Scope };

/** A Discord server. */
export type GuildId = Id<"guild">;
/** A Discord text channel, never a thread. */
export type ChannelId = Id<"channel">;
/** A thread under a text channel. */
export type ThreadId = Id<"thread">;
/** A conversation with one transcript of its own: the id of a channel or of a thread. */
export type ConversationId = Id<"conversation">;
/** A Discord message. */
export type MessageId = Id<"message">;
/** A person (a Discord user). */
export type UserId = Id<"user">;
/** A Discord role. */
export type RoleId = Id<"role">;
/** A Discord webhook. */
export type WebhookId = Id<"webhook">;
/** An agent of one server; ours. */
export type AgentId = Id<"agent">;
/** A group of one server; ours. */
export type GroupId = Id<"group">;
/** A round of one conversation; ours. */
export type RoundId = Id<"round">;

/** Mark a string that is known to be such an id; the only place where strings become ids. */
export function asId<T extends Id<string>>(value: string): T {
  return value as T;
}

const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** Milliseconds since 1970 at which Discord made this snowflake (Discord API reference, "Snowflakes"). */
export function snowflakeTimeMs(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}

/** The smallest snowflake that can have been made at this moment. */
export function snowflakeAt(timeMs: number): string {
  const sinceEpoch = BigInt(Math.trunc(timeMs)) - DISCORD_EPOCH_MS;
  return ((sinceEpoch > 0n ? sinceEpoch : 0n) << 22n).toString();
}

/** Order of two snowflakes: negative when `a` is older. Ids may differ in length, so never as text. */
export function compareSnowflakes(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}
