/** One turn that the floor gives: the member reads the channel and says exactly one message. */
import { asId, type MessageId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import { floorPrompt } from "../domain/prompts/moderator.js";
import { cleanReply } from "../domain/reply.js";
import type { ModeratedRound } from "../domain/round/moderated.js";
import type { Step, TurnFailure } from "../domain/round/round.js";
import { splitReply } from "../domain/split.js";
import { ModelError } from "../ports/model.js";
import { failureOf } from "./compose.js";
import { floorSeatOf, seatInputOf } from "./floorSeat.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { MAX_ATTEMPTS, namesBeside, utter } from "./speak.js";
import { whileTyping } from "./typing.js";

type On<Name extends Step["do"]> = Work<Extract<Step, { do: Name }>> & {
  readonly state: ModeratedRound;
};

/** A turn is one message: what does not fit is attached to it. */
const MESSAGES_PER_TURN = 1;

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function composeOnFloor(services: Services, work: On<"compose">): Promise<Done> {
  const { round, state, step, signal } = work;
  const fail = (failure: TurnFailure): Done => ({
    events: [{ type: "turnFailed", agentId: step.agentId, failure }],
  });
  const [offer] = state.waiting;
  const seat = await floorSeatOf(services, round, state, step.agentId);
  if (seat === null || offer === undefined) return fail("gone");
  const { agent, userId } = seat;
  return whileTyping(services, round.place, async () => {
    const input = await seatInputOf(services, round, seat, signal);
    try {
      const { text } = await utter(
        services,
        {
          round,
          agent,
          userId,
          purpose: "turn",
          promptFor: (tokenBudget) =>
            floorPrompt({ ...input, tokenBudget }, { topic: state.floor.topic, ...offer }),
          others: namesBeside(agent.id, state.members, input.transcript),
          timeoutMs: services.settings.turnTimeoutMs,
          attempts: MAX_ATTEMPTS,
        },
        signal,
      );
      if (text === null) return fail("empty");
      // It may have been archived while it was composing.
      if ((await floorSeatOf(services, round, state, agent.id)) === null) return fail("gone");
      const seenThroughId = input.transcript.at(-1)?.id ?? asId<MessageId>(round.triggerId);
      return composed(agent, text, seenThroughId);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return fail(failureOf(error));
    }
  });
}

/** The moderating host posts what it has written. */
export async function sayOnFloor(services: Services, work: On<"say">): Promise<Done> {
  const { round, state, step } = work;
  const seat = await floorSeatOf(services, round, state, step.agentId);
  if (seat === null) {
    return { events: [{ type: "turnFailed", agentId: step.agentId, failure: "gone" }] };
  }
  const { displayName, name } = seat.agent;
  const others = namesBeside(step.agentId, state.members, []);
  const text = cleanReply(step.text, { self: { displayName, name }, others });
  if (splitReply(text).length === 0) {
    return { events: [{ type: "turnFailed", agentId: step.agentId, failure: "empty" }] };
  }
  const newest = await services.storage.messages.newestId(conversationOf(round.place));
  return composed(seat.agent, text, newest ?? round.triggerId);
}

function composed(
  agent: { readonly id: ModeratedRound["hostId"]; readonly displayName: string },
  text: string,
  seenThroughId: MessageId,
): Done {
  return {
    events: [
      {
        type: "composed",
        agentId: agent.id,
        displayName: agent.displayName,
        parts: splitReply(text, MESSAGES_PER_TURN),
        handoffs: [],
        seenThroughId,
      },
    ],
  };
}
