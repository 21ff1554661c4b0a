import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { conversationOf } from "../../domain/message.js";
import { budgetRefusal } from "../budgets.js";
import { floorAhead } from "../floorRounds.js";
import { AFTERWARDS, begin, defineOnFloor, floorHere } from "./floor.js";
import { field } from "./operation.js";

export const floorClose = defineOnFloor({
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
    const { later, closer } = await floorAhead(context, conversationOf(context.place));
    if (later === "closed") {
      throw new UserError(
        "conflict",
        closer === null
          ? "No floor is open here; `/floor_open` opens one."
          : closer === "close"
            ? "Closing is already under way."
            : "What is running here closes the floor when it ends; `/round_stop` ends it now.",
      );
    }
    // A floor can always be closed, also when nobody may speak any more.
    const refusal = summary
      ? await budgetRefusal(context, { ...context.asker, groupId: here.group.id }, "nothing")
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
