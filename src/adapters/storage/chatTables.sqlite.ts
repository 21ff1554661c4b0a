/** What hosted chats, floors, the archive and messages between agents need beside the tables that they refer to. */
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { Message } from "../../domain/message.js";
import { agents, groups } from "./tables.sqlite.js";
/** The groups that an agent was in when it was last archived. */
export const leftGroups = sqliteTable(
  "left_groups",
  {
    agentId: text("agent_id")
      .notNull()
      .references(() => agents.id),
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id),
    wasHost: integer("was_host", { mode: "boolean" }).notNull(),
    isEnded: integer("is_ended", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.groupId] })],
);

/** Channels of what is archived that may not be in the archive's category yet. */
export const unmovedChannels = sqliteTable(
  "unmoved_channels",
  {
    channelId: text("channel_id").primaryKey(),
    guildId: text("guild_id").notNull(),
  },
  (table) => [index("unmoved_channels_guild").on(table.guildId)],
);

/** Hosted chats in agents' own channels. */
export const hostedChats = sqliteTable(
  "hosted_chats",
  {
    channelId: text("channel_id").primaryKey(),
    guildId: text("guild_id").notNull(),
    hostId: text("host_id")
      .notNull()
      .references(() => agents.id),
    startedAtMs: integer("started_at_ms").notNull(),
  },
  (table) => [index("hosted_chats_guild").on(table.guildId)],
);

export const hostedParticipants = sqliteTable(
  "hosted_participants",
  {
    channelId: text("channel_id")
      .notNull()
      .references(() => hostedChats.channelId),
    agentId: text("agent_id")
      .notNull()
      .references(() => agents.id),
    position: integer("position").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.agentId] }),
    index("hosted_participants_agent").on(table.agentId),
  ],
);

/** Messages that were commands and have been obeyed. */
export const obeyed = sqliteTable("obeyed", {
  messageId: text("message_id").primaryKey(),
  atMs: integer("at_ms").notNull(),
});

/** What the bot has decided to say and may not have said yet, in the order of these numbers. */
export const owedWords = sqliteTable(
  "owed_words",
  {
    number: integer("number").primaryKey({ autoIncrement: true }),
    nonce: text("nonce").notNull(),
    conversationId: text("conversation_id").notNull(),
    guildId: text("guild_id").notNull(),
    channelId: text("channel_id").notNull(),
    threadId: text("thread_id"),
    text: text("text").notNull(),
    isSilent: integer("is_silent", { mode: "boolean" }).notNull(),
    afterId: text("after_id").notNull(),
    atMs: integer("at_ms").notNull(),
    /** The message that it becomes, without its id. */
    trigger: text("trigger", { mode: "json" }).$type<Omit<Message, "id">>(),
  },
  (table) => [
    uniqueIndex("owed_words_nonce").on(table.nonce),
    index("owed_words_conversation").on(table.conversationId),
  ],
);

/** Requests between agents, each in one of the places that its chain has. */
export const chainRequests = sqliteTable(
  "chain_requests",
  {
    chainId: text("chain_id").notNull(),
    place: integer("place").notNull(),
    /** The call that took the place. */
    key: text("key").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.place] })],
);

/** Threads in which people see what two agents write to each other. */
export const exchangeThreads = sqliteTable(
  "exchange_threads",
  {
    agentId: text("agent_id").notNull(),
    otherId: text("other_id").notNull(),
    channelId: text("channel_id").notNull(),
    threadId: text("thread_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.otherId, table.channelId] }),
    index("exchange_threads_thread").on(table.threadId),
  ],
);

/** The newest floor of each moderated conversation. */
export const floors = sqliteTable("floors", {
  conversationId: text("conversation_id").primaryKey(),
  /** The round that opened it. */
  floorId: text("floor_id").notNull(),
  topic: text("topic"),
  openedBy: text("opened_by").notNull(),
  openedAtMs: integer("opened_at_ms").notNull(),
  closedAtMs: integer("closed_at_ms"),
});

/** Who has been told how turns work, on which floor. */
export const floorHints = sqliteTable(
  "floor_hints",
  {
    conversationId: text("conversation_id").notNull(),
    floorId: text("floor_id").notNull(),
    userId: text("user_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.floorId, table.userId] })],
);

/** Messages and events of rounds in the one order in which they were stored. */
export const feed = sqliteTable(
  "feed",
  {
    number: integer("number").notNull(),
    atMs: integer("at_ms").notNull(),
    channelId: text("channel_id").notNull(),
    /** Of a message; else `roundId` and `seq` are set. */
    messageId: text("message_id"),
    roundId: text("round_id"),
    seq: integer("seq"),
  },
  (table) => [
    uniqueIndex("feed_number").on(table.number),
    index("feed_channel").on(table.channelId, table.number),
  ],
);

/** One row: the last number of the feed. Writers wait for each other at it, so that numbers appear in order. */
export const feedCounter = sqliteTable("feed_counter", {
  id: text("id").primaryKey(),
  value: integer("value").notNull(),
});
