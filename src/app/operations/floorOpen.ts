import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { conversationOf } from "../../domain/message.js";
import { pointlessText } from "../../domain/pointlessText.js";
import { floorAhead } from "../floorRounds.js";
import { AFTERWARDS, begin, defineOnFloor, floorHere, floorText } from "./floor.js";

export const floorOpen = defineOnFloor({
  name: "floor_open",
  description: "Open the floor of this moderated group with a topic",
  permission: "talker",
  input: z.object({ topic: floorText("topic", "What it is about, up to 1,000 characters") }),
  async run(context, { topic }) {
    const here = await floorHere(context);
    const { later } = await floorAhead(context, conversationOf(context.place));
    if (later === "open") {
      throw new UserError("conflict", pointlessText("open"));
    }
    const answer = {
      now: "The floor is opened.",
      later: `The floor will be opened ${AFTERWARDS}.`,
    };
    return begin(context, here, { do: "open" }, answer, topic);
  },
});
