import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { conversationOf } from "../../domain/message.js";
import { begin, floorHere } from "./floor.js";
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
    const answer = summary ? "The host sums up, then the floor is closed." : "The floor is closed.";
    return begin(context, here, { do: "close", hasSummary: summary }, answer);
  },
});
