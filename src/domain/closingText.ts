/** What is said when a floor closes. */
import { never } from "./errors.js";
import type { FloorEnd, FloorNotice, Unclosed } from "./floor.js";
import {
  MAX_GRANTED_TURNS,
  MAX_IDLE_REPLIES,
  MAX_MODERATOR_CALLS,
  MAX_MODERATOR_POSTS,
  MAX_MODERATOR_VOTES,
  STALE_ROUND_MS,
} from "./limits.js";
import { failureText } from "./phrases.js";
import { bold } from "./plain.js";

export function closingText(notice: Extract<FloorNotice, { type: "floorClosed" }>): string {
  const { by, why, end, isUnsummed = false } = notice;
  const name = bold(by);
  const closed = `**The floor is closed**${isUnsummed ? " without a summary" : ""}`;
  if (why === undefined) return `${closed}, by ${name}.`;
  if (why !== "ended" || end === undefined) return `${closed}, since ${reasonText(why, name)}.`;
  return `${closed}, since ${endText(end, isUnsummed ? "it" : "the run")}.`;
}

/** `what`: that which was ended. */
function endText(end: FloorEnd, what: string): string {
  switch (end.because) {
    case "stopped":
      return end.by === null ? `${what} was stopped` : `${bold(end.by)} stopped ${what}`;
    case "archived":
      return "this channel was archived";
    case "budget":
      return "today's tokens are used up";
    case "left":
      return "the bot was removed from this server";
    case "fault":
      return "something went wrong in the bot";
    case "away":
      return AWAY;
    case "failed":
      return "nobody could go on";
    default:
      return never(end);
  }
}

/** Why what the floor does is not taken up after a restart, as the end of a sentence. */
export const AWAY = `I was away for more than ${STALE_ROUND_MS / 60_000} minutes`;

/** `host`: its name as it is shown. */
function reasonText(why: Unclosed, host: string): string {
  switch (why) {
    case "turns":
      return `all ${MAX_GRANTED_TURNS} turns are used`;
    case "calls":
      return `${host} did not close it within ${MAX_MODERATOR_CALLS} steps`;
    case "silent":
      return `${host} did nothing ${MAX_IDLE_REPLIES} times in a row`;
    case "wrong":
      return `${host} asked ${MAX_IDLE_REPLIES} times in a row for something it cannot do here`;
    case "votes":
      return `${host} wanted further votes after all ${MAX_MODERATOR_VOTES} that it may hold`;
    case "posts":
      return `${host} wanted to post further messages after all ${MAX_MODERATOR_POSTS} that it may post`;
    case "idle":
      return `${host} did nothing that can be done here, ${MAX_IDLE_REPLIES} times in a row`;
    case "ended":
      return "the moderated run is over";
    default:
      return `${host} cannot go on moderating: ${failureText(why)}`;
  }
}
