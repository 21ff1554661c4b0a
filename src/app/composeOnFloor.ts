/** One turn that the floor gives: the member reads the channel and says exactly one message. */
import type { Agent } from "../domain/agent.js";
import { type AgentId, asId, type MessageId, type UserId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import { floorPrompt } from "../domain/prompts/moderator.js";
import { readReply } from "../domain/reply.js";
import type { Grant, ModeratedRound } from "../domain/round/moderated.js";
import type { Round, Step, TurnFailure } from "../domain/round/round.js";
import { splitReply } from "../domain/split.js";
import { ModelError } from "../ports/model.js";
import { type Failed, failedTurn, failureOf } from "./failure.js";
import { floorSeatOf, seatInputOf } from "./floorSeat.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { namesBeside, type Spoken, utter } from "./speak.js";
import { instructionStillSaid, topicStillSaid } from "./stillSaid.js";
import { whileTyping } from "./typing.js";

type On<Name extends Step["do"]> = Work<Extract<Step, { do: Name }>> & {
  readonly state: ModeratedRound;
};

/** A turn is one message: what does not fit is attached to it. */
const MESSAGES_PER_TURN = 1;

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function composeOnFloor(services: Services, work: On<"compose">): Promise<Done> {
  const { round, state, step, signal } = work;
  const { agentId } = step;
  const fail = (failed: TurnFailure | Failed) => failedTurn(agentId, failed);
  const [offer] = state.waiting;
  if (offer === undefined) return fail("gone");
  const userId = state.startedBy[0] ?? null;
  return whileTyping(services, round.place, async () => {
    try {
      const said = await speakOnFloor(services, { round, state, agentId, offer, userId }, signal);
      if (said === null) return fail("gone");
      if (said.text === null) return fail(said.silence);
      // It may have been archived while it was composing.
      if ((await floorSeatOf(services, round, state, agentId)) === null) return fail("gone");
      return composed(said.agent, said, said.heardId ?? asId<MessageId>(round.triggerId));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const agent = await services.storage.agents.get(agentId);
      return fail(failureOf(error, agent?.model ?? services.settings.model));
    }
  });
}

type SpokenOnFloor = Spoken & {
  readonly agent: Agent;
  /** The newest message that it has heard. */
  readonly heardId: MessageId | null;
};

/** What a member's model says in its turn. Null: it is not there any more. Rejects as `utter` does. */
export async function speakOnFloor(
  services: Services,
  point: {
    readonly round: Round;
    readonly state: ModeratedRound;
    readonly agentId: AgentId;
    readonly offer: Pick<Grant, "instruction" | "isSummary">;
    readonly userId: UserId | null;
    /** It hears what was said up to there; absent: everything. */
    readonly throughId?: MessageId;
  },
  signal: AbortSignal,
): Promise<SpokenOnFloor | null> {
  const { round, state, agentId, offer, userId, throughId } = point;
  const seat = await floorSeatOf(services, round, state, agentId);
  if (seat === null) return null;
  const { agent } = seat;
  const range = throughId === undefined ? {} : { throughId };
  const input = await seatInputOf(services, round, seat, signal, range);
  const topic = await topicStillSaid(services, state);
  const instruction = await instructionStillSaid(services, round, offer);
  const spoken = await utter(
    services,
    {
      round,
      agent,
      userId,
      purpose: "turn",
      promptFor: (tokenBudget) =>
        floorPrompt({ ...input, tokenBudget }, { ...offer, topic, instruction }),
      others: namesBeside(agentId, state.members, input.transcript),
      timeoutMs: services.settings.turnTimeoutMs,
    },
    signal,
  );
  return { ...spoken, agent, heardId: input.transcript.at(-1)?.id ?? null };
}

/** What the turns of a round were given for, when it is over. */
export function offerOf({ floor: { task } }: ModeratedRound): Omit<Grant, "agentId"> {
  return {
    instruction: task.do === "turns" ? task.instruction : null,
    isSummary: task.do === "close",
  };
}

/** The moderating host posts what it has written. */
export async function sayOnFloor(services: Services, work: On<"say">): Promise<Done> {
  const { round, state, step } = work;
  const seat = await floorSeatOf(services, round, state, step.agentId);
  if (seat === null) {
    return failedTurn(step.agentId, "gone");
  }
  const { displayName, name } = seat.agent;
  const others = namesBeside(step.agentId, state.members, []);
  const { text, isOthers } = readReply(step.text, { self: { displayName, name }, others });
  if (splitReply(text).length === 0) {
    return failedTurn(step.agentId, isOthers ? "foreign-post" : "empty-post");
  }
  const newest = await services.storage.messages.newestId(conversationOf(round.place));
  return composed(seat.agent, { text, isCut: false }, newest ?? round.triggerId);
}

function composed(
  agent: { readonly id: ModeratedRound["hostId"]; readonly displayName: string },
  { text, isCut }: { readonly text: string; readonly isCut: boolean },
  seenThroughId: MessageId,
): Done {
  return {
    events: [
      {
        type: "composed",
        agentId: agent.id,
        displayName: agent.displayName,
        parts: splitReply(text, MESSAGES_PER_TURN, isCut),
        handoffs: [],
        seenThroughId,
      },
    ],
  };
}
