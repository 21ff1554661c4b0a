import { z } from "zod";
import { conversationOf } from "../../domain/message.js";
import { AFTERWARDS, begin, floorHere, floorIsOpen, floorText } from "./floor.js";
import { defineOperation } from "./operation.js";

export const floorOpen = defineOperation({
  name: "floor_open",
  description: "Open the floor of this moderated group with a topic",
  permission: "talker",
  input: z.object({ topic: floorText("topic", "What it is about, up to 1,000 characters") }),
  async run(context, { topic }) {
    const here = await floorHere(context);
    const floor = await context.storage.floors.latest(conversationOf(context.place));
    if (floor !== null && floor.closedAtMs === null && floor.topic !== null) throw floorIsOpen();
    const answer = {
      now: "The floor is opened.",
      later: `The floor will be opened ${AFTERWARDS}.`,
    };
    return begin(context, here, { do: "open" }, answer, topic);
  },
});
