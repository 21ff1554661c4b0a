import { and, asc, desc, eq, inArray, isNull, lt, lte, ne, or, sql } from "drizzle-orm";
import { asId, type MessageId } from "../../domain/ids.js";
import type { MessageStore } from "../../ports/storage.js";
import { type Database, mustMatch, unlessUnmet, write } from "./database.js";
import { numbered } from "./feed.js";
import { orderKey, storable, toMessage, toMessageRow, toPlace } from "./rows.js";

export function createMessageStore(database: Database): MessageStore {
  const { queries, tables } = database;
  const { messages, formerTexts } = tables;
  // Written out rather than compared with a parameter, so that the partial indexes apply.
  const isLive = isNull(messages.deletedAtMs);
  const isWaiting = sql`${messages.isPending}`;

  const countFormer = (id: MessageId) =>
    queries.select({ count: sql`count(*)` }).from(formerTexts).where(eq(formerTexts.messageId, id));

  return {
    async record(message, { isPending }) {
      return unlessUnmet(database, (tx) => [
        mustMatch(
          tx
            .insert(messages)
            .values(toMessageRow(message, isPending))
            .onConflictDoNothing({ target: messages.id })
            .returning({ id: messages.id }),
        ),
        ...numbered(tx, tables, message.createdAtMs, [{ message }]),
      ]);
    },

    async get(id) {
      const [row] = await queries.select().from(messages).where(eq(messages.id, id));
      return row ? toMessage(row) : null;
    },

    async edit(id, text, editedAtMs) {
      const newText = storable(text);
      const edited = await queries
        .update(messages)
        .set({ text: newText, editedAtMs })
        .where(
          and(
            eq(messages.id, id),
            ne(messages.text, newText),
            or(isNull(messages.editedAtMs), lte(messages.editedAtMs, editedAtMs)),
          ),
        )
        .returning({ id: messages.id });
      return edited.length > 0;
    },

    async replaceText(id, text, atMs) {
      const [row] = await queries
        .select({ former: messages.text, count: sql`(${countFormer(id)})`.mapWith(Number) })
        .from(messages)
        .where(eq(messages.id, id));
      if (row === undefined) return false;
      await database.atomically((tx) => [
        write(
          tx
            .insert(formerTexts)
            .values({ messageId: id, seq: row.count, text: row.former, replacedAtMs: atMs }),
        ),
        write(
          tx
            .update(messages)
            .set({ text: storable(text), editedAtMs: atMs })
            .where(eq(messages.id, id)),
        ),
      ]);
      return true;
    },

    async formerTexts(id) {
      const rows = await queries
        .select({ text: formerTexts.text })
        .from(formerTexts)
        .where(eq(formerTexts.messageId, id))
        .orderBy(asc(formerTexts.seq));
      return rows.map((row) => row.text);
    },

    async setAttachments(id, attachments) {
      await queries.update(messages).set({ attachments }).where(eq(messages.id, id));
    },

    async ofTurn(roundId, turn) {
      const rows = await queries
        .select()
        .from(messages)
        .where(and(eq(messages.roundId, roundId), eq(messages.turn, turn), isLive))
        .orderBy(asc(messages.orderKey));
      return rows.map(toMessage);
    },

    async markDeleted(ids, deletedAtMs) {
      if (ids.length === 0) return [];
      const marked = await queries
        .update(messages)
        .set({ deletedAtMs, isPending: false })
        .where(and(inArray(messages.id, [...ids]), isLive))
        .returning({ id: messages.id });
      return marked.map((row) => asId(row.id));
    },

    async transcript(conversationId, limit, throughId) {
      const inConversation = and(
        eq(messages.conversationId, conversationId),
        isLive,
        throughId === undefined ? undefined : lte(messages.orderKey, orderKey(throughId)),
      );
      const total = queries.select({ count: sql`count(*)` }).from(messages).where(inConversation);
      // One query, so that the count and the messages are of the same moment.
      const newest = await queries
        .select({ message: messages, total: sql`(${total})`.mapWith(Number) })
        .from(messages)
        .where(inConversation)
        .orderBy(desc(messages.orderKey))
        .limit(limit);
      const omitted = omittedOf(newest[0]?.total ?? 0, limit);
      const kept = newest.slice(0, (newest[0]?.total ?? 0) - omitted);
      return { messages: kept.reverse().map((row) => toMessage(row.message)), omitted };
    },

    async recent(conversationId, { before, limit }) {
      const rows = await queries
        .select()
        .from(messages)
        .where(
          and(
            eq(messages.conversationId, conversationId),
            isLive,
            before === null ? undefined : lt(messages.orderKey, orderKey(before)),
          ),
        )
        .orderBy(desc(messages.orderKey))
        .limit(limit);
      return rows.reverse().map(toMessage);
    },

    async newestId(conversationId) {
      const [row] = await queries
        .select({ id: messages.id })
        .from(messages)
        .where(eq(messages.conversationId, conversationId))
        .orderBy(desc(messages.orderKey))
        .limit(1);
      return row ? asId(row.id) : null;
    },

    async pending(conversationId) {
      const rows = await queries
        .select()
        .from(messages)
        .where(and(eq(messages.conversationId, conversationId), isWaiting))
        .orderBy(asc(messages.orderKey));
      return rows.map(toMessage);
    },

    async pendingPlaces() {
      const { guildId, channelId, threadId } = messages;
      const rows = await queries
        .selectDistinct({ guildId, channelId, threadId })
        .from(messages)
        .where(isWaiting);
      return rows.map(toPlace);
    },

    async settle(ids) {
      if (ids.length === 0) return;
      await queries
        .update(messages)
        .set({ isPending: false })
        .where(inArray(messages.id, [...ids]));
    },
  };
}

/** How many of the oldest messages are left out: whole blocks of a quarter of the limit. */
function omittedOf(total: number, limit: number): number {
  const block = Math.max(1, Math.floor(limit / 4));
  return Math.ceil(Math.max(0, total - limit) / block) * block;
}
