/**
 * How a run ends that the host moderates. The floor that it ran is closed at its end, whoever opened
 * it: by the host, or for the host, with the reason. That holds also when the run is stopped, or when
 * the host or its model is not there any more; nobody is left to close it then.
 */
import type { FloorEnd, Unclosed } from "../floor.js";
import { MAX_GRANTED_TURNS } from "../limits.js";
import { stopNotice, withEnd } from "./common.js";
import { closing, nameOf, say } from "./floorActs.js";
import type { ModeratedRound } from "./moderated.js";
import { actOf, idleEnd, mustClose, withReply } from "./moderation.js";
import type { Notice, RoundEvent, RoundOutcome } from "./round.js";

/** The model of a moderating host may fail once in a row. */
const MAX_FAILURES = 2;

/** Nothing is begun any more. */
export const IDLE = {
  waiting: [],
  poll: null,
  saying: null,
  reading: null,
  moderation: null,
} as const;

/** The moderating host's model has replied, or failed. */
export function afterReply(
  round: ModeratedRound,
  { text, calls, failure }: Extract<RoundEvent, { type: "moderated" }>,
): ModeratedRound {
  const { moderation, members } = round;
  if (moderation === null) throw new Error("Nobody moderates.");
  if (failure !== null) {
    const failures = moderation.failures + 1;
    if (failures < MAX_FAILURES) {
      return { ...round, moderation: { ...moderation, failures } };
    }
    return { ...endRun(round, failure), ending: "failed" };
  }
  const replied = withReply(moderation, { text, calls }, members);
  const next = { ...round, moderation: replied };
  const isClosing = calls.some(
    (call, index) => actOf(replied, { call, index }, members).do === "close",
  );
  if (isClosing) return next;
  if (mustClose(moderation)) {
    return endRun(next, moderation.turns >= MAX_GRANTED_TURNS ? "turns" : "calls");
  }
  const why = idleEnd(replied);
  return why === null ? next : endRun(next, why);
}

/** The floor is closed for a host that does not. */
export function endRun(round: ModeratedRound, why: Unclosed, end?: FloorEnd): ModeratedRound {
  const how = { why, ...(end === undefined ? {} : { end }) };
  return say({ ...round, moderation: null }, closing(round, nameOf(round, round.hostId), how));
}

/**
 * The round ends at once, whatever it does. What ended it is said, and of a run, or of a closing that
 * has begun, also that its floor is closed: that was promised, and nobody is left to do it.
 */
export function endTask(
  round: ModeratedRound,
  outcome: RoundOutcome,
  how: { readonly notice: Notice; readonly end: FloorEnd },
): ModeratedRound {
  const { notice, end } = how;
  const ended = withEnd({ ...round, ...IDLE }, outcome, notice);
  const { floor, hasEntered, pointless, isFloorClosed, waiting } = round;
  if (!hasEntered || pointless !== null || isFloorClosed) return ended;
  if (floor.task.do === "moderate") return endRun(ended, "ended", end);
  if (floor.task.do !== "close") return ended;
  const isUnsummed = waiting[0]?.isSummary === true;
  return say(ended, closing(round, floor.by, isUnsummed ? { why: "ended", end, isUnsummed } : {}));
}

/** Stopped, by whomever or whatever. */
export function stopTask(
  round: ModeratedRound,
  event: Extract<RoundEvent, { type: "stopped" }>,
): ModeratedRound {
  const { by, why, budget } = event;
  const { floor, hasEntered } = round;
  // Whatever runs there says that the channel was archived; what waits, that it does not begin.
  const notice: Notice =
    why === "archived" && !hasEntered
      ? { type: "floorUndone", why, by: floor.by, task: floor.task.do }
      : stopNotice(event);
  const end: FloorEnd =
    budget !== undefined
      ? { because: "budget" }
      : why === "archived" || why === "left" || why === "fault"
        ? { because: why }
        : { because: "stopped", by };
  return endTask(round, "stopped", { notice, end });
}

/** Left for too long to go on. */
export function expireTask(round: ModeratedRound): ModeratedRound {
  const { by, task } = round.floor;
  return endTask(round, "stale", {
    notice: { type: "floorUndone", why: "away", by, task: task.do },
    end: { because: "away" },
  });
}
