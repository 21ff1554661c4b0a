import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import { conversationOf } from "../../domain/message.js";
import type { Round, RoundEvent } from "../../domain/round/round.js";
import type { FloorStore } from "../../ports/floors.js";
import {
  type Database,
  mustMatch,
  type Queries,
  type Statement,
  type Tables,
  write,
} from "./database.js";
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

/**
 * What the opening of a round does to the floor. To open one is refused (the whole transaction is)
 * while one with a topic is open; anything else opens one without a topic where none is.
 */
export function floorAfterOpening(
  tx: Queries,
  { floors }: Tables,
  round: Round,
  { floor }: Extract<RoundEvent, { type: "opened" }>,
): readonly Statement[] {
  if (floor === undefined) return [];
  const isOpening = floor.task.do === "open";
  const state = {
    floorId: floor.floorId,
    topic: isOpening && floor.topic !== null ? storable(floor.topic) : null,
    openedBy: storable(floor.by),
    openedAtMs: round.openedAtMs,
    closedAtMs: null,
  };
  const conversationId = conversationOf(round.place);
  const isClosed = isNotNull(floors.closedAtMs);
  const opening = tx
    .insert(floors)
    .values({ conversationId, ...state })
    .onConflictDoUpdate({
      target: floors.conversationId,
      set: state,
      setWhere: isOpening ? sql`(${isClosed} or ${isNull(floors.topic)})` : isClosed,
    })
    .returning({ floorId: floors.floorId });
  return [isOpening ? mustMatch(opening) : write(opening)];
}

/** What events of a round do to the floor. */
export function floorAfter(
  tx: Queries,
  { floors }: Tables,
  events: readonly RoundEvent[],
  atMs: number,
): readonly Statement[] {
  return events.flatMap((event) => {
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
