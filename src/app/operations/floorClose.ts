import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { conversationOf } from "../../domain/message.js";
import { budgetRefusal } from "../budgets.js";
import { AFTERWARDS, begin, floorHere } from "./floor.js";
import { defineOperation, field } from "./operation.js";

export const floorClose = defineOperation({
  name: "floor_close",
  description: "Close the floor of this moderated group",
  permission: "talker",
  input: z.object({
    summary: field(z.boolean({ error: "Say yes or no" }), {
      description: "Have the host sum up first",
    }).optional(),
  }),
  async run(context, { summary = false }) {
    const here = await floorHere(context);
    const floor = await context.storage.floors.latest(conversationOf(context.place));
    if (floor === null || floor.closedAtMs !== null) {
      throw new UserError("conflict", "No floor is open here; `/floor_open` opens one.");
    }
    // A floor can always be closed, also when nobody may speak any more.
    const refusal = summary
      ? await budgetRefusal(context, { ...context.asker, groupId: here.group.id })
      : null;
    const hasSummary = summary && refusal === null;
    const answer = hasSummary
      ? {
          now: "The host sums up, then the floor is closed.",
          later: `The host will sum up ${AFTERWARDS}, then the floor is closed.`,
        }
      : refusal === null
        ? { now: "The floor is closed.", later: `The floor will be closed ${AFTERWARDS}.` }
        : {
            now: `The floor is closed without a summary. ${refusal}`,
            later: `The floor will be closed without a summary ${AFTERWARDS}. ${refusal}`,
          };
    return begin(context, here, { do: "close", hasSummary }, answer);
  },
});
