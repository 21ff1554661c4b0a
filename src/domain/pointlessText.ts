import { never } from "./errors.js";
import type { Pointless } from "./floor.js";

/** Why a command of the floor did nothing when its turn came. */
export function pointlessText(why: Pointless): string {
  switch (why) {
    case "open":
      return "A floor is open here already, so no other one is opened; `/floor_close` closes it.";
    case "closed":
      return "The floor was closed already, so there was nothing to close.";
    case "nobody":
      return "Nothing was begun: by now nobody who was asked for can speak here.";
    case "secret":
      return "Nothing was begun: by now too few of those who were asked for can vote in secret here.";
    case "host":
      return "Nothing was begun: by now the host cannot moderate, being muted or archived.";
    default:
      return never(why);
  }
}
