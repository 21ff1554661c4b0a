import { never } from "./errors.js";
import type { Pointless } from "./floor.js";

/** Why a command of the floor did nothing when its turn came. */
export function pointlessText(why: Pointless): string {
  switch (why) {
    case "open":
      return "A floor is open here already; `/floor_close` closes it.";
    case "closed":
      return "The floor was closed already, so there was nothing to close.";
    case "nobody":
      return "Nothing was started: none of the agents that were asked for can speak here any more.";
    case "secret":
      return "Nothing was started: too few of the agents that were asked for are left for a secret vote.";
    case "host":
      return "Nothing was started: the host cannot moderate any more.";
    default:
      return never(why);
  }
}
