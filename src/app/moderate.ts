/** The host runs the floor: what its model wants done next, and what it is given to read. */
import type { ModeratorCall } from "../domain/floor.js";
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS_AT_ONCE } from "../domain/limits.js";
import { conversationOf } from "../domain/message.js";
import { moderatorTools } from "../domain/moderatorCall.js";
import { historyText, moderatorPrompt } from "../domain/prompts/moderator.js";
import type { ModeratedRound } from "../domain/round/moderated.js";
import type { Step, TurnFailure } from "../domain/round/round.js";
import { shorten } from "../domain/shorten.js";
import { ModelError } from "../ports/model.js";
import { callPatiently } from "./calls.js";
import { failureOf } from "./failure.js";
import { floorSeatOf } from "./floorSeat.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { topicStillSaid } from "./stillSaid.js";

type On<Name extends Step["do"]> = Work<Extract<Step, { do: Name }>> & {
  readonly state: ModeratedRound;
};

/** Messages that a moderating host sees of what was said before. */
const HISTORY_MESSAGES = 20;
/** Calls of one reply that are kept, so that each has its answer. Nobody means to make so many. */
const MAX_CALLS = 128;
/** What is kept of the arguments of calls that are not carried out; else nothing of them is. */
const UNUSED_CHARACTERS = 500;
/** What is kept of words beside the calls. */
const KEPT_CHARACTERS = 12_000;

/** Rejects only when the signal is aborted or the storage fails. */
export async function moderate(services: Services, work: On<"moderate">): Promise<Done> {
  const { round, state, step, signal } = work;
  const { storage, settings } = services;
  const done = (
    text: string,
    calls: readonly ModeratorCall[],
    failure: TurnFailure | null,
  ): Done => ({ events: [{ type: "moderated", text, calls, failure }] });
  const { moderation } = state;
  if (moderation === null) throw new Error("Nobody moderates.");
  const host = await floorSeatOf(services, round, state, state.hostId);
  if (host === null) return done("", [], "gone");
  // What was said before it began, so that the beginning of its prompts stays the same.
  const history = await storage.messages.recent(conversationOf(round.place), {
    before: moderation.sinceId ?? round.triggerId,
    limit: HISTORY_MESSAGES,
  });
  const topic = await topicStillSaid(services, state);
  try {
    const reply = await callPatiently(services, host.account, {
      purpose: "moderate",
      model: host.agent.model ?? settings.model,
      messages: moderatorPrompt({
        seat: host.seat,
        topic,
        moderation,
        history,
        mustClose: step.mustClose,
      }),
      tools: moderatorTools(state.members, step.mustClose),
      timeoutMs: settings.turnTimeoutMs,
      signal,
    });
    const calls = reply.toolCalls.slice(0, MAX_CALLS).map(({ id, name, argumentsJson }, index) => ({
      id,
      name,
      argumentsJson: keptOf(argumentsJson, index < MAX_CALLS_AT_ONCE),
    }));
    return done(shorten(reply.text, KEPT_CHARACTERS), calls, null);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return done("", [], failureOf(error, host.agent.model ?? settings.model).failure);
  }
}

function keptOf(argumentsJson: string, isUsed: boolean): string {
  // One more than there may be, so that they are refused for their length.
  if (isUsed) return argumentsJson.slice(0, MAX_ARGUMENT_CHARACTERS + 1);
  return argumentsJson.length <= UNUSED_CHARACTERS ? argumentsJson : "{}";
}

/** The newest messages, for a moderating host. */
export async function readHistory(services: Services, work: On<"readHistory">): Promise<Done> {
  const { round, state, step } = work;
  const host = await floorSeatOf(services, round, state, state.hostId);
  const messages = await services.storage.messages.recent(conversationOf(round.place), {
    before: null,
    limit: step.limit,
  });
  const text = host === null ? "" : historyText(messages, host.seat);
  return { events: [{ type: "historyRead", text }] };
}
