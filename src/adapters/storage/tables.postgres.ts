/**
 * The tables on PostgreSQL, with the names and JavaScript types of `tables.sqlite.ts`; change both
 * together and run `npm run db:generate`.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Chain } from "../../domain/chain.js";
import type { Attachment } from "../../domain/message.js";
import type { RoundEvent } from "../../domain/round/round.js";

export const agents = pgTable(
  "agents",
  {
    id: text("id").primaryKey(),
    guildId: text("guild_id").notNull(),
    name: text("name").notNull(),
    displayName: text("display_name").notNull(),
    displayKey: text("display_key").notNull(),
    prompt: text("prompt").notNull(),
    model: text("model"),
    pictureEmojiId: text("picture_emoji_id"),
    pictureUrl: text("picture_url"),
    category: text("category").notNull(),
    channelId: text("channel_id"),
    tokenBudget: integer("token_budget"),
    createdAtMs: bigint("created_at_ms", { mode: "number" }).notNull(),
    archivedAtMs: bigint("archived_at_ms", { mode: "number" }),
  },
  (table) => [
    index("agents_name").on(table.guildId, table.name),
    uniqueIndex("agents_live_display_key")
      .on(table.guildId, table.displayKey)
      .where(sql`archived_at_ms is null`),
    index("agents_display_key").on(table.guildId, table.displayKey),
    index("agents_channel").on(table.channelId),
    index("agents_created").on(table.guildId, table.createdAtMs),
  ],
);

export const groups = pgTable(
  "groups",
  {
    id: text("id").primaryKey(),
    guildId: text("guild_id").notNull(),
    name: text("name").notNull(),
    displayName: text("display_name").notNull(),
    displayKey: text("display_key").notNull(),
    kind: text("kind", { enum: ["open", "hosted", "moderated"] }).notNull(),
    category: text("category").notNull(),
    channelId: text("channel_id"),
    hostId: text("host_id")
      .notNull()
      .references(() => agents.id),
    createdAtMs: bigint("created_at_ms", { mode: "number" }).notNull(),
    archivedAtMs: bigint("archived_at_ms", { mode: "number" }),
  },
  (table) => [
    index("groups_name").on(table.guildId, table.name),
    uniqueIndex("groups_live_display_key")
      .on(table.guildId, table.displayKey)
      .where(sql`archived_at_ms is null`),
    index("groups_display_key").on(table.guildId, table.displayKey),
    index("groups_channel").on(table.channelId),
    index("groups_created").on(table.guildId, table.createdAtMs),
  ],
);

export const groupMembers = pgTable(
  "group_members",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agents.id),
    position: integer("position").notNull(),
    isMuted: boolean("is_muted").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.agentId] }),
    index("group_members_agent").on(table.agentId),
  ],
);

/** The one namespace of agents and groups of a server. */
export const names = pgTable(
  "names",
  {
    guildId: text("guild_id").notNull(),
    name: text("name").notNull(),
  },
  (table) => [primaryKey({ columns: [table.guildId, table.name] })],
);

export const messages = pgTable(
  "messages",
  {
    id: text("id").primaryKey(),
    /** The id padded with zeros: snowflakes of any length in their order. */
    orderKey: text("order_key").notNull(),
    guildId: text("guild_id").notNull(),
    channelId: text("channel_id").notNull(),
    threadId: text("thread_id"),
    conversationId: text("conversation_id").notNull(),
    /** Exactly one of `userId` and `agentId` is set. */
    userId: text("user_id"),
    agentId: text("agent_id"),
    authorName: text("author_name").notNull(),
    text: text("text").notNull(),
    attachments: json("attachments").$type<readonly Attachment[]>().notNull(),
    replyToId: text("reply_to_id"),
    askedId: text("asked_id"),
    debatePasses: integer("debate_passes"),
    chain: json("chain").$type<Chain>(),
    createdAtMs: bigint("created_at_ms", { mode: "number" }).notNull(),
    editedAtMs: bigint("edited_at_ms", { mode: "number" }),
    deletedAtMs: bigint("deleted_at_ms", { mode: "number" }),
    roundId: text("round_id"),
    turn: integer("turn"),
    seenThroughId: text("seen_through_id"),
    isPending: boolean("is_pending").notNull(),
    /** The round that this message started, alone or with others. */
    startedRoundId: text("started_round_id"),
  },
  (table) => [
    index("messages_order").on(table.conversationId, table.orderKey),
    index("messages_live_order")
      .on(table.conversationId, table.orderKey)
      .where(sql`deleted_at_ms is null`),
    index("messages_pending").on(table.conversationId, table.orderKey).where(sql`is_pending`),
  ],
);

export const rounds = pgTable(
  "rounds",
  {
    id: text("id").primaryKey(),
    /** Empty in an agent's own channel. */
    groupId: text("group_id").notNull(),
    kind: text("kind", { enum: ["open", "hosted", "moderated", "direct"] }).notNull(),
    guildId: text("guild_id").notNull(),
    channelId: text("channel_id").notNull(),
    threadId: text("thread_id"),
    conversationId: text("conversation_id").notNull(),
    triggerId: text("trigger_id").notNull(),
    /** The trigger's id padded with zeros: order of rounds that opened in the same millisecond. */
    triggerKey: text("trigger_key").notNull(),
    openedAtMs: bigint("opened_at_ms", { mode: "number" }).notNull(),
    closedAtMs: bigint("closed_at_ms", { mode: "number" }),
    /** Number of events in the journal: the next `seq`. */
    length: integer("length").notNull(),
  },
  (table) => [
    uniqueIndex("rounds_trigger").on(table.triggerId),
    index("rounds_conversation").on(table.conversationId, table.openedAtMs, table.triggerKey),
    index("rounds_unfinished")
      .on(table.openedAtMs, table.triggerKey)
      .where(sql`closed_at_ms is null`),
  ],
);

export const roundEvents = pgTable(
  "round_events",
  {
    roundId: text("round_id")
      .notNull()
      .references(() => rounds.id),
    seq: integer("seq").notNull(),
    atMs: bigint("at_ms", { mode: "number" }).notNull(),
    event: json("event").$type<RoundEvent>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.seq] })],
);

export const usage = pgTable(
  "usage",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    atMs: bigint("at_ms", { mode: "number" }).notNull(),
    guildId: text("guild_id").notNull(),
    groupId: text("group_id"),
    roundId: text("round_id"),
    agentId: text("agent_id"),
    userId: text("user_id"),
    purpose: text("purpose").notNull(),
    model: text("model").notNull(),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    cachedTokens: integer("cached_tokens"),
    durationMs: bigint("duration_ms", { mode: "number" }).notNull(),
    outcome: text("outcome").notNull(),
  },
  (table) => [
    index("usage_guild").on(table.guildId, table.atMs),
    index("usage_round").on(table.roundId),
  ],
);

export const webhooks = pgTable("webhooks", {
  channelId: text("channel_id").primaryKey(),
  webhookId: text("webhook_id").notNull(),
});

export const settings = pgTable("settings", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});

/** What messages said before they were replaced. */
export const formerTexts = pgTable(
  "former_texts",
  {
    messageId: text("message_id").notNull(),
    seq: integer("seq").notNull(),
    text: text("text").notNull(),
    replacedAtMs: bigint("replaced_at_ms", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.messageId, table.seq] })],
);

export const statusLines = pgTable("status_lines", {
  buttonId: text("button_id").primaryKey(),
  conversationId: text("conversation_id").notNull(),
  guildId: text("guild_id").notNull(),
  channelId: text("channel_id").notNull(),
  threadId: text("thread_id"),
  afterId: text("after_id").notNull(),
  messageId: text("message_id"),
});
