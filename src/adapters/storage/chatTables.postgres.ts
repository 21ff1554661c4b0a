/** What hosted chats, floors, the archive and messages between agents need beside the tables that they refer to. */
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
import type { Message } from "../../domain/message.js";
import { agents, groups } from "./tables.postgres.js";
/** The groups that an agent was in when it was last archived. */
export const leftGroups = pgTable(
  "left_groups",
  {
    agentId: text("agent_id")
      .notNull()
      .references(() => agents.id),
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id),
    wasHost: boolean("was_host").notNull(),
    isEnded: boolean("is_ended").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.groupId] })],
);

/** Channels of what is archived that may not be in the archive's category yet. */
export const unmovedChannels = pgTable(
  "unmoved_channels",
  {
    channelId: text("channel_id").primaryKey(),
    guildId: text("guild_id").notNull(),
  },
  (table) => [index("unmoved_channels_guild").on(table.guildId)],
);

/** Hosted chats in agents' own channels. */
export const hostedChats = pgTable(
  "hosted_chats",
  {
    channelId: text("channel_id").primaryKey(),
    guildId: text("guild_id").notNull(),
    hostId: text("host_id")
      .notNull()
      .references(() => agents.id),
    startedAtMs: bigint("started_at_ms", { mode: "number" }).notNull(),
  },
  (table) => [index("hosted_chats_guild").on(table.guildId)],
);

export const hostedParticipants = pgTable(
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
export const obeyed = pgTable("obeyed", {
  messageId: text("message_id").primaryKey(),
  atMs: bigint("at_ms", { mode: "number" }).notNull(),
});

/** What the bot has decided to say and may not have said yet, in the order of these numbers. */
export const owedWords = pgTable(
  "owed_words",
  {
    number: bigserial("number", { mode: "number" }).primaryKey(),
    nonce: text("nonce").notNull(),
    conversationId: text("conversation_id").notNull(),
    guildId: text("guild_id").notNull(),
    channelId: text("channel_id").notNull(),
    threadId: text("thread_id"),
    text: text("text").notNull(),
    isSilent: boolean("is_silent").notNull(),
    afterId: text("after_id").notNull(),
    atMs: bigint("at_ms", { mode: "number" }).notNull(),
    /** The message that it becomes, without its id. */
    trigger: json("trigger").$type<Omit<Message, "id">>(),
  },
  (table) => [
    uniqueIndex("owed_words_nonce").on(table.nonce),
    index("owed_words_conversation").on(table.conversationId),
  ],
);

/** Requests between agents, each in one of the places that its chain has. */
export const chainRequests = pgTable(
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
export const exchangeThreads = pgTable(
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
export const floors = pgTable("floors", {
  conversationId: text("conversation_id").primaryKey(),
  /** The round that opened it. */
  floorId: text("floor_id").notNull(),
  topic: text("topic"),
  openedBy: text("opened_by").notNull(),
  openedAtMs: bigint("opened_at_ms", { mode: "number" }).notNull(),
  closedAtMs: bigint("closed_at_ms", { mode: "number" }),
});

/** Who has been told how turns work, on which floor. */
export const floorHints = pgTable(
  "floor_hints",
  {
    conversationId: text("conversation_id").notNull(),
    floorId: text("floor_id").notNull(),
    userId: text("user_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.floorId, table.userId] })],
);

/** Messages and events of rounds in the one order in which they were stored. */
export const feed = pgTable(
  "feed",
  {
    number: bigint("number", { mode: "number" }).notNull(),
    atMs: bigint("at_ms", { mode: "number" }).notNull(),
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
export const feedCounter = pgTable("feed_counter", {
  id: text("id").primaryKey(),
  value: bigint("value", { mode: "number" }).notNull(),
});
