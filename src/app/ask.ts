/**
 * Asks the participants of a hosted round, all at the same time, and writes down each answer as
 * soon as it is there: after a crash only those are asked again who had not answered.
 */
import type { Agent } from "../domain/agent.js";
import type { AgentId } from "../domain/ids.js";
import { PARTICIPANT_REPLY_CHARACTERS } from "../domain/limits.js";
import { participantPrompt } from "../domain/prompts/hosted.js";
import { cut } from "../domain/prompts/labels.js";
import type { HostedRound } from "../domain/round/hosted.js";
import { hasDeparted, receive } from "../domain/round/hostedReplies.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent, Step } from "../domain/round/round.js";
import { ModelError } from "../ports/model.js";
import { type Failed, failureOf } from "./failure.js";
import { agentsOfChat, hostedChatIn } from "./hostedChats.js";
import { type HostedScene, hostedSceneOf } from "./hostedScene.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { namesBeside, type Spoken, utter } from "./speak.js";
import { whileTyping } from "./typing.js";

type Asking = Work<Extract<Step, { do: "ask" }>> & { readonly state: HostedRound };

/** What came of one call. */
type Outcome = { readonly agentId: AgentId } & (
  | { readonly text: string }
  | ({ readonly text: null } & Failed)
);

/**
 * One pass. When the wait is over, the calls that still run are ended, and so is that of somebody
 * who leaves. Rejects when the signal is aborted, and when the storage fails.
 */
export async function ask(services: Services, work: Asking): Promise<Done> {
  const { round, step } = work;
  const leaving = new Map(work.state.participantIds.map((id) => [id, new AbortController()]));
  const stopListening = services.departures.listen(round.place.channelId, (agentId) =>
    leaving.get(agentId)?.abort(),
  );
  try {
    const isHere = await presenceIn(services, round);
    for (const agentId of step.agentIds) if (!isHere(agentId)) leaving.get(agentId)?.abort();
    await askAll(services, work, leaving);
    return { events: departuresIn(work, leaving) };
  } finally {
    stopListening();
  }
}

/** Aborted once its agent has left. */
type Leaving = ReadonlyMap<AgentId, AbortController>;

async function askAll(services: Services, work: Asking, leaving: Leaving): Promise<void> {
  const { round, state, step, signal } = work;
  const { clock, settings } = services;
  const scene = await hostedSceneOf(services, round, state, signal);
  const waitMs = settings.collectTimeoutMs;
  const { pass } = step;
  const agentIds = step.agentIds.filter((id) => leaving.get(id)?.signal.aborted !== true);
  await work.write(departuresIn(work, leaving));
  if (agentIds.length === 0) return;
  await work.write([{ type: "dispatched", pass, agentIds }]);

  const over = new AbortController();
  // One for each call: sixteen that listen to the same signal look like a leak to Node.
  const eitherSignal = () => AbortSignal.any([signal, over.signal]);
  const waiting = new Map(
    agentIds.map((agentId) => {
      const left = leaving.get(agentId)?.signal;
      const ending = left === undefined ? eitherSignal() : AbortSignal.any([eitherSignal(), left]);
      const call = { round, state, scene, agentId, pass, waitMs };
      return [agentId, outcomeUnlessLeft(services, call, ending, left)];
    }),
  );
  const calls = [...waiting.values()];
  const timeUp = clock.sleep(waitMs, eitherSignal()).then(() => null);
  // Rejects when the calls do, which are waited for below.
  timeUp.catch(() => undefined);
  await whileTyping(services, round.place, async () => {
    try {
      while (waiting.size > 0) {
        const outcome = await Promise.race([timeUp, ...waiting.values()]);
        if (outcome === null) break;
        waiting.delete(outcome.agentId);
        await work.write(await eventsOf(services, work, leaving, outcome));
      }
      for (const agentId of waiting.keys()) {
        await work.write([{ type: "missed", agentId, pass, failure: "timeout" }]);
      }
    } finally {
      over.abort();
      await Promise.allSettled(calls);
    }
    for (const late of waiting.values()) {
      const outcome = await late.catch(() => null);
      if (outcome?.text == null) continue;
      await work.write(await eventsOf(services, work, leaving, outcome));
    }
  });
}

/** Of those who have left by now, unless it is written down. */
function departuresIn(
  { current, step: { pass } }: Asking,
  leaving: Leaving,
): readonly RoundEvent[] {
  const state = hostedState(current());
  return [...leaving].flatMap(([agentId, { signal }]): readonly RoundEvent[] =>
    signal.aborted && !hasDeparted(state, agentId) ? [{ type: "departed", agentId, pass }] : [],
  );
}

/** Whether somebody takes part in the chat now. One that has been made host meanwhile has not left. */
async function presenceIn(
  services: Services,
  round: Round,
): Promise<(agentId: AgentId) => boolean> {
  const chat = await hostedChatIn(services, round.place.channelId);
  const agents = chat === null ? [] : await agentsOfChat(services, chat);
  return (agentId) => agents.some(({ id }) => id === agentId);
}

/** Somebody may have left at the very moment at which its call ended. */
async function eventsOf(
  services: Services,
  work: Asking,
  leaving: Leaving,
  outcome: Outcome,
): Promise<readonly RoundEvent[]> {
  const { pass } = work.step;
  const { agentId, text } = outcome;
  const isHere = await presenceIn(services, work.round);
  if (!isHere(agentId)) leaving.get(agentId)?.abort();
  const departures = departuresIn(work, leaving);
  const hasLeft = leaving.get(agentId)?.signal.aborted === true;
  if (text !== null) {
    const state = hostedState(work.current());
    const event = receive(state, { agentId, pass, text }, { isParticipant: !hasLeft });
    return [...departures, event];
  }
  if (hasLeft) return departures;
  const { failure, about } = outcome;
  const why = about === undefined ? { failure } : { failure, about };
  return [...departures, { type: "missed", agentId, pass, ...why }];
}

function hostedState(state: RoundState): HostedRound {
  if (state.kind !== "hosted") throw new Error("Only hosted rounds have participants.");
  return state;
}

type Call = {
  readonly round: Round;
  readonly state: HostedRound;
  readonly scene: HostedScene;
  readonly agentId: AgentId;
  readonly pass: number;
  readonly waitMs: number;
};

/** The same, where `left` ends the call by itself: then nothing has come of it. */
async function outcomeUnlessLeft(
  services: Services,
  call: Call,
  signal: AbortSignal,
  left: AbortSignal | undefined,
): Promise<Outcome> {
  try {
    return await outcomeOf(services, call, signal);
  } catch (error) {
    if (left?.aborted !== true) throw error;
    return { agentId: call.agentId, text: null, failure: "gone" };
  }
}

/** Rejects when the signal is aborted. */
async function outcomeOf(services: Services, call: Call, signal: AbortSignal): Promise<Outcome> {
  const { agentId, scene } = call;
  const agent = scene.agents.get(agentId);
  if (agent === undefined) return { agentId, text: null, failure: "gone" };
  try {
    const spoken = await answerOf(services, { ...call, agent }, signal);
    if (spoken.text === null) return { agentId, text: null, failure: spoken.silence };
    return { agentId, text: cut(spoken.text, PARTICIPANT_REPLY_CHARACTERS) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const model = agent.model ?? services.settings.model;
    return { agentId, text: null, ...failureOf(error, model) };
  }
}

/** What it says to what it is given in this pass; asked for once more when that is nothing, in the same wait. */
async function answerOf(
  services: Services,
  call: Call & { readonly agent: Agent },
  signal: AbortSignal,
): Promise<Spoken> {
  const { round, state, scene, agent, pass, waitMs } = call;
  const { settings } = services;
  const { chatName, members, ofChat: transcript, omitted, episodes } = scene;
  const self = members.find((member) => member.agentId === agent.id);
  if (self === undefined) throw new Error(`Agent ${agent.id} is not a member of its round.`);
  return utter(
    services,
    {
      round,
      agent,
      userId: state.startedBy[0] ?? null,
      purpose: "participant",
      promptFor: (tokenBudget) =>
        participantPrompt({
          seat: { self, chatName, members },
          transcript,
          omitted,
          episodes,
          pass,
          tokenBudget,
        }),
      others: namesBeside(agent.id, state.members, transcript),
      timeoutMs: Math.min(waitMs, settings.turnTimeoutMs),
    },
    signal,
  );
}
