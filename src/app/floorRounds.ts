/** Begins what the floor of a moderated group is asked to do, and foresees what it will be by then. */
import { never } from "../domain/errors.js";
import type { FloorTask } from "../domain/floor.js";
import type { Group } from "../domain/group.js";
import { asId, type ConversationId, type MessageId } from "../domain/ids.js";
import { MAX_REPLIES } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import type { Round, RoundEvent, RoundMember } from "../domain/round/round.js";
import type { Asker } from "../ports/chat.js";
import { type MomentServices, momentIn } from "./moment.js";
import { runRound } from "./scheduler.js";
import type { Services } from "./services.js";

/** Rounds that can begin in one place at one moment. */
const MAX_TRIES = 16;

/**
 * Stores the round and lets it run when what is going on there has ended. It is stored before
 * anything of it is said, so that whatever is begun is also finished: the announcement is a step of
 * the round, and not its trigger. What it finds then is for the round to look at.
 */
export async function startFloorRound(
  services: Services & MomentServices,
  start: {
    readonly group: Group;
    readonly place: Place;
    readonly members: readonly RoundMember[];
    readonly asker: Asker;
    readonly task: FloorTask;
    /** Of the floor that this opens. */
    readonly topic?: string;
  },
): Promise<void> {
  const { storage, ids, clock, settings, log, mailboxes } = services;
  const { group, place, members, asker, task, topic = null } = start;
  const conversationId = conversationOf(place);
  const id = ids.round();
  const opened: Extract<RoundEvent, { type: "opened" }> = {
    type: "opened",
    members,
    hostId: group.hostId,
    named: [],
    triggerIds: [],
    startedBy: [asker.userId],
    cap: Math.min(settings.maxReplies, MAX_REPLIES),
    isAsk: false,
    floor: { floorId: id, topic, by: asker.name, task },
  };
  const openedAtMs = clock.now();
  const moment = BigInt(await momentIn(services, place));
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const round: Round = {
      id,
      groupId: group.id,
      kind: "moderated",
      place,
      // No message starts it; what is written, said and posted from now on is younger.
      triggerId: asId<MessageId>(String(moment + BigInt(attempt))),
      openedAtMs,
      closedAtMs: null,
    };
    if (!(await storage.rounds.open(round, opened))) continue;
    log.info({ roundId: id, groupId: group.id, task: task.do }, "round opened");
    mailboxes.run(conversationId, async (signal) => {
      await runRound(services, round, { isResumed: false }, signal);
    });
    return;
  }
  throw new Error("A round of the floor could not be opened.");
}

/** Whether a floor is open; "untitled": it has no topic yet, and may be given one. */
type FloorState = "open" | "untitled" | "closed";

/** What will close the floor: a command for it that runs or waits, or the end of a moderated run. */
type Closer = "close" | "moderate";

/**
 * The floor as it is now, and as it will be when everything that waits there is done. `closer`: what
 * closes it until then, last; null: nothing does.
 */
export async function floorAhead(
  { storage }: Pick<Services, "storage">,
  conversationId: ConversationId,
): Promise<{
  readonly now: FloorState;
  readonly later: FloorState;
  readonly closer: Closer | null;
}> {
  const latest = await storage.floors.latest(conversationId);
  const isOpen = latest !== null && latest.closedAtMs === null;
  const now: FloorState = !isOpen ? "closed" : latest.topic === null ? "untitled" : "open";
  let later = now;
  let closer: Closer | null = null;
  for (const round of await storage.rounds.unfinished()) {
    if (conversationOf(round.place) !== conversationId) continue;
    const events = (await storage.rounds.journal(round.id)).map(({ event }) => event);
    const [opening] = events;
    const isOver = events.some(({ type }) => type === "stopped" || type === "expired");
    if (opening?.type !== "opened" || opening.floor === undefined) continue;
    const { task } = opening.floor;
    // What has begun to close its floor, or runs it, closes it all the same when it is stopped.
    const isBegun = events.some((event) => event.type === "entered" && event.pointless === null);
    const isCloser = task.do === "moderate" || task.do === "close";
    if (isOver && !(isBegun && isCloser)) continue;
    later = floorAfter(later, task);
    closer = isCloser ? task.do : task.do === "open" ? null : closer;
  }
  return { now, later, closer };
}

function floorAfter(before: FloorState, task: FloorTask): FloorState {
  switch (task.do) {
    case "open":
      return "open";
    case "turns":
    case "vote":
      return before === "closed" ? "untitled" : before;
    case "moderate":
    case "close":
      return "closed";
    default:
      return never(task);
  }
}
