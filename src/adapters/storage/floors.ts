import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { asId, type RoundId } from "../../domain/ids.js";
import type { RoundEvent } from "../../domain/round/round.js";
import type { FloorStore } from "../../ports/floors.js";
import { type Database, type Queries, type Statement, type Tables, write } from "./database.js";
import { storable, toRound } from "./rows.js";

/** Stands for the time before any floor. */
const NO_FLOOR = "";

export function createFloorStore({ queries, tables }: Database): FloorStore {
  const { floors, floorHints, rounds } = tables;
  return {
    async latest(conversationId) {
      const [row] = await queries
        .select()
        .from(floors)
        .where(eq(floors.conversationId, conversationId));
      if (row === undefined) return null;
      const { floorId, topic, openedBy, openedAtMs, closedAtMs } = row;
      return { floorId: asId(floorId), topic, openedBy, openedAtMs, closedAtMs };
    },

    async claimHint(conversationId, floorId, userId) {
      const claimed = await queries
        .insert(floorHints)
        .values({ conversationId, floorId: floorId ?? NO_FLOOR, userId })
        .onConflictDoNothing()
        .returning({ userId: floorHints.userId });
      return claimed.length > 0;
    },

    async rounds(conversationId, limit) {
      const rows = await queries
        .select()
        .from(rounds)
        .where(and(eq(rounds.conversationId, conversationId), eq(rounds.kind, "moderated")))
        .orderBy(desc(rounds.openedAtMs), desc(rounds.triggerKey))
        .limit(limit);
      return rows.map(toRound);
    },
  };
}

/** What events of a round do to the floor. */
export function floorAfter(
  tx: Queries,
  { floors, rounds }: Tables,
  roundId: RoundId,
  events: readonly RoundEvent[],
  atMs: number,
): readonly Statement[] {
  return events.flatMap((event) => {
    if (event.type === "entered" && event.opensFor !== null) {
      const { floorId, topic, opensFor } = event;
      const state = {
        floorId,
        topic: topic === null ? null : storable(topic),
        openedBy: storable(opensFor),
        openedAtMs: atMs,
        closedAtMs: null,
      };
      const conversationId = sql`(select ${rounds.conversationId} from ${rounds} where ${rounds.id} = ${roundId})`;
      return [
        write(
          tx
            .insert(floors)
            .values({ conversationId, ...state })
            .onConflictDoUpdate({ target: floors.conversationId, set: state }),
        ),
      ];
    }
    if (event.type !== "announced" || event.notice.type !== "floorClosed") return [];
    return [
      write(
        tx
          .update(floors)
          .set({ closedAtMs: atMs })
          .where(and(eq(floors.floorId, event.notice.floorId), isNull(floors.closedAtMs))),
      ),
    ];
  });
}
