import type { ConversationId, RoundId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf } from "../domain/message.js";
import type { Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/** Rounds of one floor that are looked at for when something has happened there. */
const ROUNDS = 50;

/**
 * Of the unfinished rounds that a start finds, those of floors that were left for too long to go on.
 * What the floor does may take long, and what waits there waits as long: that is too old when
 * nothing at all has happened there for so long.
 */
export async function leftTooLong(
  services: Pick<Services, "storage" | "clock">,
  rounds: readonly Round[],
): Promise<ReadonlySet<RoundId>> {
  const now = services.clock.now();
  const newest = new Map<ConversationId, number>();
  const found = new Set<RoundId>();
  for (const { id, kind, place } of rounds) {
    if (kind !== "moderated") continue;
    const conversationId = conversationOf(place);
    const atMs = newest.get(conversationId) ?? (await newestOnFloor(services, conversationId));
    newest.set(conversationId, atMs);
    if (now - atMs > STALE_ROUND_MS) found.add(id);
  }
  return found;
}

async function newestOnFloor(
  { storage }: Pick<Services, "storage">,
  conversationId: ConversationId,
): Promise<number> {
  const times: number[] = [];
  for (const round of await storage.floors.rounds(conversationId, ROUNDS)) {
    const { id, openedAtMs, closedAtMs } = round;
    times.push(closedAtMs ?? (await storage.rounds.journal(id)).at(-1)?.atMs ?? openedAtMs);
  }
  return Math.max(0, ...times);
}
