import { and, asc, desc, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import type { Message } from "../../domain/message.js";
import type { FeedEntry, FeedOf, FeedStore } from "../../ports/feed.js";
import { type Database, type Queries, type Statement, type Tables, write } from "./database.js";
import { toMessage, toPlace } from "./rows.js";

/** The one row of the counter. */
const COUNTER = "feed";

export function createFeedStore({ queries, tables }: Database): FeedStore {
  const { feed, messages, rounds, roundEvents } = tables;
  const isOf = (of: FeedOf) => {
    if (of === "everything") return undefined;
    if ("channelId" in of) return eq(feed.channelId, of.channelId);
    return or(eq(messages.guildId, of.guildId), eq(rounds.guildId, of.guildId));
  };
  return {
    async since(after, { of, limit }) {
      const rows = await queries
        .select({ feed, message: messages, round: rounds, entry: roundEvents })
        .from(feed)
        .leftJoin(messages, eq(messages.id, feed.messageId))
        .leftJoin(rounds, eq(rounds.id, feed.roundId))
        .leftJoin(
          roundEvents,
          and(eq(roundEvents.roundId, feed.roundId), eq(roundEvents.seq, feed.seq)),
        )
        .where(and(gt(feed.number, after), isOf(of)))
        .orderBy(asc(feed.number))
        .limit(limit);
      return rows.map(({ feed: { number, atMs }, message, round, entry }): FeedEntry => {
        if (message !== null) {
          return {
            number,
            atMs,
            place: toPlace(message),
            kind: "message",
            message: toMessage(message),
          };
        }
        if (round === null || entry === null) throw new Error(`Entry ${number} tells of nothing.`);
        return {
          number,
          atMs,
          place: toPlace(round),
          kind: "round",
          roundId: asId(round.id),
          groupKind: round.kind,
          seq: entry.seq,
          event: entry.event,
        };
      });
    },

    async newest() {
      const [row] = await queries
        .select({ number: feed.number })
        .from(feed)
        .orderBy(desc(feed.number))
        .limit(1);
      return row?.number ?? 0;
    },
  };
}

/** What gets a number. */
type Numbered =
  | { readonly message: Message }
  | { readonly channelId: string | SQL; readonly roundId: string; readonly seq: number };

/**
 * Gives numbers to what the transaction stores; they come last in it. The counter's row is locked
 * until the transaction ends, so that a number is never seen before a smaller one.
 */
export function numbered(
  tx: Queries,
  { feed, feedCounter }: Tables,
  atMs: number,
  items: readonly Numbered[],
): readonly Statement[] {
  if (items.length === 0) return [];
  const count = items.length;
  return [
    write(
      tx
        .insert(feedCounter)
        .values({ id: COUNTER, value: count })
        .onConflictDoUpdate({
          target: feedCounter.id,
          set: { value: sql`${feedCounter.value} + ${count}` },
        }),
    ),
    write(
      tx.insert(feed).values(
        items.map((item, index) => ({
          number: sql`(select value from feed_counter where id = ${COUNTER}) - ${count - 1 - index}`,
          atMs,
          ...("message" in item
            ? { channelId: item.message.place.channelId, messageId: item.message.id }
            : { channelId: item.channelId, roundId: item.roundId, seq: item.seq }),
        })),
      ),
    ),
  ];
}
