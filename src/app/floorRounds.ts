/** Begins what the floor of a moderated group is asked to do. */
import type { FloorTask } from "../domain/floor.js";
import type { Group } from "../domain/group.js";
import { asId, type MessageId, snowflakeAt } from "../domain/ids.js";
import { MAX_REPLIES } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import type { Round, RoundEvent, RoundMember } from "../domain/round/round.js";
import type { Asker } from "../ports/chat.js";
import { runRound } from "./scheduler.js";
import type { Services } from "./services.js";

/** Clocks of Discord and of this machine differ by less. */
const CLOCKS_MS = 3_000;
/** Rounds that can begin in one place at one moment. */
const MAX_TRIES = 16;

/**
 * Stores the round and lets it run when what is going on there has ended. It is stored before
 * anything of it is said, so that whatever is begun is also finished: the announcement is the first
 * step of the round, and not its trigger. False: a floor is open there already.
 */
export async function startFloorRound(
  services: Services,
  start: {
    readonly group: Group;
    readonly place: Place;
    readonly members: readonly RoundMember[];
    readonly asker: Asker;
    readonly task: FloorTask;
    /** Of the floor that this opens; else it is that of the open floor. */
    readonly topic?: string;
  },
): Promise<boolean> {
  const { storage, ids, clock, settings, log, mailboxes } = services;
  const { group, place, members, asker, task } = start;
  const conversationId = conversationOf(place);
  const id = ids.round();
  const latest = await storage.floors.latest(conversationId);
  const open = latest === null || latest.closedAtMs !== null ? null : latest;
  const isOpening = task.do === "open";
  const opened: Extract<RoundEvent, { type: "opened" }> = {
    type: "opened",
    members,
    hostId: group.hostId,
    named: [],
    triggerIds: [],
    startedBy: [asker.userId],
    cap: Math.min(settings.maxReplies, MAX_REPLIES),
    isAsk: false,
    floor: {
      floorId: isOpening ? id : (open?.floorId ?? id),
      topic: isOpening ? (start.topic ?? null) : (open?.topic ?? null),
      by: asker.name,
      task,
    },
  };
  const openedAtMs = clock.now();
  const earliest = BigInt(snowflakeAt(openedAtMs - CLOCKS_MS));
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const round: Round = {
      id,
      groupId: group.id,
      kind: "moderated",
      place,
      // No message starts it; what it says and posts is younger than this moment.
      triggerId: asId<MessageId>(String(earliest + BigInt(attempt))),
      openedAtMs,
      closedAtMs: null,
    };
    if (await storage.rounds.open(round, opened)) {
      log.info({ roundId: id, groupId: group.id, task: task.do }, "round opened");
      mailboxes.run(conversationId, async (signal) => {
        await runRound(services, round, { isResumed: false }, signal);
      });
      return true;
    }
    const now = await storage.floors.latest(conversationId);
    if (isOpening && now !== null && now.closedAtMs === null && now.topic !== null) return false;
  }
  throw new Error("A round of the floor could not be opened.");
}
