import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import {
  AFTERWARDS,
  assertFloorBudget,
  begin,
  defineOnFloor,
  floorHere,
  floorText,
} from "./floor.js";
import { bold } from "./show.js";

/**
 * The host runs the floor, with tools that do what the other commands do. Whoever opened the floor,
 * it is closed at the end of the run, however that ends: closing it belongs to what the host is asked
 * to do, and a floor that nobody runs any more is not left open behind it.
 */
export const floorModerate = defineOnFloor({
  name: "floor_moderate",
  description: "Let the host moderate: it gives turns, holds votes and closes the floor",
  permission: "talker",
  input: z.object({ goal: floorText("goal", "What is to come out of it, up to 1,000 characters") }),
  async run(context, { goal }) {
    const here = await floorHere(context);
    const host = here.members.find((member) => member.agentId === here.group.hostId);
    if (host === undefined || host.isMuted) {
      const name = host === undefined ? "The host" : bold(host.displayName);
      throw new UserError("conflict", `${name} cannot moderate: it is muted or archived.`);
    }
    await assertFloorBudget(context, here);
    const name = bold(host.displayName);
    const answer = {
      now: `${name} moderates; \`/round_stop\` ends it.`,
      later: `${name} will moderate ${AFTERWARDS}.`,
    };
    return begin(context, here, { do: "moderate", goal }, answer);
  },
});
