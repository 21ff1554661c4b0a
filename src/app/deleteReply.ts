import { UserError } from "../domain/errors.js";
import type { MessageId } from "../domain/ids.js";
import type { Answer, OperationContext } from "./operations/operation.js";
import { changeableReply } from "./reply.js";

/** Takes a whole reply of an agent out of the channel and out of every later prompt. */
export async function deleteReply(
  context: OperationContext,
  messageId: MessageId,
): Promise<Answer> {
  const { storage, chat, clock } = context;
  const { round, turn, place, isUnfinished } = await changeableReply(context, messageId);
  if (isUnfinished) {
    throw new UserError(
      "conflict",
      "This reply is still being posted; try again in a moment, or stop it with `/round_stop`.",
    );
  }
  // One after the other, so that the transcript is what stands in the channel whatever happens.
  for (const { id } of await storage.messages.ofTurn(round.id, turn)) {
    await chat.remove(place, id);
    await storage.messages.markDeleted([id], clock.now());
  }
  return { text: "Deleted, here and in what the agents see from now on." };
}
