/** What is said when a floor closes. */
import type { FloorNotice, Unclosed } from "./floor.js";
import {
  MAX_GRANTED_TURNS,
  MAX_IDLE_REPLIES,
  MAX_MODERATOR_CALLS,
  MAX_MODERATOR_POSTS,
  MAX_MODERATOR_VOTES,
} from "./limits.js";
import { failureText } from "./phrases.js";
import { plain } from "./plain.js";

export function closingText({ by, why }: Extract<FloorNotice, { type: "floorClosed" }>): string {
  const name = `**${plain(by)}**`;
  return why === undefined
    ? `**The floor is closed**, by ${name}.`
    : `**The floor is closed**, since ${reasonText(why, name)}.`;
}

/** `host`: its name as it is shown. */
function reasonText(why: Unclosed, host: string): string {
  switch (why) {
    case "turns":
      return `all ${MAX_GRANTED_TURNS} turns are used`;
    case "calls":
      return `${host} was asked ${MAX_MODERATOR_CALLS} times what comes next, and has not closed it`;
    case "silent":
      return `${host} gave no turn and did nothing else, ${MAX_IDLE_REPLIES} times in a row`;
    case "wrong":
      return `${host} wanted what cannot be done here, ${MAX_IDLE_REPLIES} times in a row`;
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
