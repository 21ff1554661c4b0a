import { and, asc, desc, eq, gte, inArray, isNull, or, sql } from "drizzle-orm";
import { startsTurn } from "../../domain/chain.js";
import type { Message } from "../../domain/message.js";
import type { RoundEvent } from "../../domain/round/round.js";
import { type RoundStore, StorageError } from "../../ports/storage.js";
import { type Database, mustMatch, Unmet, unlessUnmet, write } from "./database.js";
import { numbered } from "./feed.js";
import { floorAfter } from "./floors.js";
import { orderKey, toMessageRow, toRound, toRoundRow } from "./rows.js";

export function createRoundStore(database: Database): RoundStore {
  const { queries, tables } = database;
  const { messages, rounds, roundEvents } = tables;

  return {
    async open(round, opened) {
      return unlessUnmet(database, (tx) => [
        mustMatch(
          tx
            .insert(rounds)
            .values(toRoundRow(round))
            .onConflictDoNothing({ target: rounds.triggerId })
            .returning({ id: rounds.id }),
        ),
        write(
          tx
            .insert(roundEvents)
            .values({ roundId: round.id, seq: 0, atMs: round.openedAtMs, event: opened }),
        ),
        write(
          tx
            .update(messages)
            .set({ isPending: false, startedRoundId: round.id })
            .where(inArray(messages.id, [round.triggerId, ...opened.triggerIds])),
        ),
        ...numbered(tx, tables, round.openedAtMs, [
          { channelId: round.place.channelId, roundId: round.id, seq: 0 },
        ]),
      ]);
    },

    async append(roundId, seq, events, { atMs, message }) {
      const channelId = sql`(select channel_id from rounds where id = ${roundId})`;
      const isClosing = events.some((event) => event.type === "closed");
      try {
        await database.atomically((tx) => [
          // Two writers meet at this row: the second one waits for it and then finds another length.
          mustMatch(
            tx
              .update(rounds)
              .set({ length: seq + events.length, ...(isClosing && { closedAtMs: atMs }) })
              .where(and(eq(rounds.id, roundId), eq(rounds.length, seq)))
              .returning({ id: rounds.id }),
          ),
          ...events.map((event: RoundEvent, index) =>
            write(tx.insert(roundEvents).values({ roundId, seq: seq + index, atMs, event })),
          ),
          ...(message
            ? [write(tx.insert(messages).values(toMessageRow(message, isWaiting(message))))]
            : []),
          ...floorAfter(tx, tables, roundId, events, atMs),
          ...numbered(tx, tables, atMs, [
            ...events.map((_, index) => ({ channelId, roundId, seq: seq + index })),
            ...(message === undefined ? [] : [{ message }]),
          ]),
        ]);
      } catch (error) {
        if (!(error instanceof Unmet)) throw error;
        throw new StorageError(
          `The journal of round ${roundId} does not end before event ${seq}.`,
          {
            isTransient: false,
          },
        );
      }
    },

    async journal(roundId) {
      return queries
        .select({ seq: roundEvents.seq, atMs: roundEvents.atMs, event: roundEvents.event })
        .from(roundEvents)
        .where(eq(roundEvents.roundId, roundId))
        .orderBy(asc(roundEvents.seq));
    },

    async since(conversationId, triggerId) {
      const rows = await queries
        .select({ round: rounds, event: roundEvents.event })
        .from(rounds)
        .innerJoin(roundEvents, eq(roundEvents.roundId, rounds.id))
        .where(
          and(
            eq(rounds.conversationId, conversationId),
            gte(rounds.triggerKey, orderKey(triggerId)),
          ),
        )
        .orderBy(asc(rounds.triggerKey), asc(roundEvents.seq));
      const found = new Map(rows.map(({ round }) => [round.id, round]));
      return [...found.values()].map((round) => ({
        round: toRound(round),
        events: rows.filter((row) => row.round.id === round.id).map(({ event }) => event),
      }));
    },

    async get(roundId) {
      const [row] = await queries.select().from(rounds).where(eq(rounds.id, roundId));
      return row ? toRound(row) : null;
    },

    async unfinished() {
      const rows = await queries
        .select()
        .from(rounds)
        .where(isNull(rounds.closedAtMs))
        .orderBy(asc(rounds.openedAtMs), asc(rounds.triggerKey));
      return rows.map(toRound);
    },

    async latest(conversationId) {
      const [row] = await queries
        .select()
        .from(rounds)
        .where(eq(rounds.conversationId, conversationId))
        .orderBy(desc(rounds.openedAtMs), desc(rounds.triggerKey))
        .limit(1);
      return row ? toRound(row) : null;
    },

    async ofMessage(messageId) {
      const roundOfMessage = queries
        .select({ id: sql`coalesce(${messages.roundId}, ${messages.startedRoundId})` })
        .from(messages)
        .where(eq(messages.id, messageId));
      const [row] = await queries
        .select()
        .from(rounds)
        .where(or(eq(rounds.triggerId, messageId), inArray(rounds.id, roundOfMessage)))
        .orderBy(desc(rounds.openedAtMs))
        .limit(1);
      return row ? toRound(row) : null;
    },
  };
}

function isWaiting({ chain }: Message): boolean {
  return chain !== undefined && startsTurn(chain);
}
