/**
 * Asks the participants of a hosted round, all at the same time, and writes down each answer as
 * soon as it is there: after a crash only those are asked again who had not answered.
 */
import type { Agent } from "../domain/agent.js";
import type { AgentId } from "../domain/ids.js";
import { PARTICIPANT_REPLY_CHARACTERS } from "../domain/limits.js";
import { participantPrompt } from "../domain/prompts/hosted.js";
import { cut } from "../domain/prompts/labels.js";
import { type HostedRound, receive } from "../domain/round/hosted.js";
import type { Round, RoundEvent, Step } from "../domain/round/round.js";
import { ModelError } from "../ports/model.js";
import { type Failed, failureOf } from "./failure.js";
import { hostedChatIn } from "./hostedChats.js";
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
 * One pass. When the wait is over, the calls that still run are ended. Rejects when the signal is
 * aborted, and when the storage fails.
 */
export async function ask(services: Services, work: Asking): Promise<Done> {
  const { round, state, step, signal } = work;
  const { clock, settings } = services;
  const scene = await hostedSceneOf(services, round, state, signal);
  const waitMs = settings.collectTimeoutMs;
  const { pass, agentIds } = step;
  const deadlineAtMs = clock.now() + waitMs;
  await work.write([{ type: "dispatched", pass, agentIds, deadlineAtMs }]);

  const over = new AbortController();
  // One for each call: sixteen that listen to the same signal look like a leak to Node.
  const eitherSignal = () => AbortSignal.any([signal, over.signal]);
  const waiting = new Map(
    agentIds.map((agentId) => [
      agentId,
      outcomeOf(services, { round, state, scene, agentId, pass, waitMs }, eitherSignal()),
    ]),
  );
  const calls = [...waiting.values()];
  const timeUp = clock.sleep(waitMs, eitherSignal()).then(() => null);
  // Rejects when the calls do, which are waited for below.
  timeUp.catch(() => undefined);
  return whileTyping(services, round.place, async () => {
    try {
      while (waiting.size > 0) {
        const outcome = await Promise.race([timeUp, ...waiting.values()]);
        if (outcome === null) break;
        waiting.delete(outcome.agentId);
        await work.write([await eventOf(services, work, outcome)]);
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
      if (outcome?.text != null) await work.write([await eventOf(services, work, outcome)]);
    }
    return { events: [] };
  });
}

/** A reply counts only of somebody who is a participant when it comes. */
async function eventOf(
  services: Services,
  { round, step, current }: Asking,
  outcome: Outcome,
): Promise<RoundEvent> {
  const { pass } = step;
  const { agentId, text } = outcome;
  if (text === null) {
    const { failure, about } = outcome;
    return {
      type: "missed",
      agentId,
      pass,
      failure,
      ...(about === undefined ? {} : { about }),
    };
  }
  const chat = await hostedChatIn(services, round.place.channelId);
  const agent = await services.storage.agents.get(agentId);
  // One that has been made host meanwhile has not left.
  const isThere = chat !== null && (chat.hostId === agentId || chat.participants.includes(agentId));
  const isParticipant = isThere && agent !== null && agent.archivedAtMs === null;
  const state = current();
  if (state.kind !== "hosted") throw new Error("Only hosted rounds have participants.");
  return receive(state, { agentId, pass, text }, { isParticipant });
}

/** Rejects when the signal is aborted. */
async function outcomeOf(
  services: Services,
  call: {
    readonly round: Round;
    readonly state: HostedRound;
    readonly scene: HostedScene;
    readonly agentId: AgentId;
    readonly pass: number;
    readonly waitMs: number;
  },
  signal: AbortSignal,
): Promise<Outcome> {
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

/** It is asked once, so that a round costs one call for each participant. */
async function answerOf(
  services: Services,
  call: Parameters<typeof outcomeOf>[1] & { readonly agent: Agent },
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
      attempts: 1,
    },
    signal,
  );
}
