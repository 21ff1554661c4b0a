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
    return { text: isStopped(context) ? STOPPED : NOTHING_RUNS };
  },
});

/** For a button `stop:<round>`: that round and no other one, also when it is pressed late. */
export async function stopByButton(context: OperationContext, roundId: string): Promise<Answer> {
  assertMayTalk(context);
  const round = await roundOfButton(context, roundId);
  const here = conversationOf(context.place);
  if (conversationOf(round.place) === here && isStopped(context, round.id)) {
    return { text: STOPPED };
  }
  return { text: context.mailboxes.isBusy(here) ? OVER : NOTHING_RUNS };
}

const STOPPED = "Stopped.";
const OVER =
  "What this button was for is over. Something else runs here now, which `/round_stop` stops.";

function isStopped({ asker, place, mailboxes }: OperationContext, roundId?: string): boolean {
  const reason = new StopRound({ by: asker.name, userId: asker.userId });
  return mailboxes.abort(conversationOf(place), reason, roundId);
}
