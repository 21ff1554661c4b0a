import { z } from "zod";
import { conversationOf } from "../../domain/message.js";
import { NOTHING_RUNS } from "../../domain/phrases.js";
import { StopRound } from "../stopping.js";
import { type Answer, assertMayTalk, defineOperation, type OperationContext } from "./operation.js";
import { roundOfButton } from "./whyView.js";

export const roundStop = defineOperation({
  name: "round_stop",
  description: "Stop what the agents are doing here, at once",
  permission: "talker",
  input: z.object({}),
  async run(context) {
    return stop(context);
  },
});

/** For a button `stop:<round>`: that round and no other one, also when it is pressed late. */
export async function stopByButton(context: OperationContext, roundId: string): Promise<Answer> {
  assertMayTalk(context);
  const round = await roundOfButton(context, roundId);
  const isHere = conversationOf(round.place) === conversationOf(context.place);
  return isHere ? stop(context, round.id) : { text: NOTHING_RUNS };
}

function stop({ asker, place, mailboxes }: OperationContext, roundId?: string): Answer {
  const { name: by, userId } = asker;
  const reason = new StopRound({ by, userId });
  return {
    text: mailboxes.abort(conversationOf(place), reason, roundId) ? "Stopped." : NOTHING_RUNS,
  };
}
