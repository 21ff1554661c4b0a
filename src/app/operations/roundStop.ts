import { z } from "zod";
import { conversationOf } from "../../domain/message.js";
import { StopRound } from "../stopping.js";
import { defineOperation } from "./operation.js";

export const roundStop = defineOperation({
  name: "round_stop",
  description: "Stop what the agents are doing here, at once.",
  permission: "talker",
  input: z.object({}),
  async run({ asker, place, mailboxes }) {
    const { name: by, userId } = asker;
    const isStopping = mailboxes.abort(conversationOf(place), new StopRound({ by, userId }));
    return { text: isStopping ? "Stopped." : "Nothing is running here." };
  },
});
