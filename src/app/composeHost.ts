/** The host's one reply to the people, from what the participants have told it. Nobody is asked here. */
import { asId, type MessageId, type UserId } from "../domain/ids.js";
import { hostPrompt } from "../domain/prompts/hosted.js";
import type { HostedRound } from "../domain/round/hosted.js";
import type { Round, Step, TurnFailure } from "../domain/round/round.js";
import { splitReply } from "../domain/split.js";
import { ModelError } from "../ports/model.js";
import { leftOutIn } from "./compose.js";
import { type Failed, failedTurn, failureOf } from "./failure.js";
import { type HostedScene, hostedSceneOf } from "./hostedScene.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { namesBeside, type Spoken, utter } from "./speak.js";
import { whileTyping } from "./typing.js";

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function composeHost(
  services: Services,
  work: Work<Extract<Step, { do: "compose" }>> & { readonly state: HostedRound },
): Promise<Done> {
  const { round, state, step, signal } = work;
  const fail = (failed: TurnFailure | Failed) => failedTurn(step.agentId, failed);
  return whileTyping(services, round.place, async () => {
    const scene = await hostedSceneOf(services, round, state, signal);
    try {
      const said = await speakAsHost(services, { round, state, scene }, signal);
      if (said === null) return fail("gone");
      const { text, unseen, displayName } = said;
      if (text === null) return fail(said.silence);
      const agent = await services.storage.agents.get(step.agentId);
      if (agent === null || agent.archivedAtMs !== null) return fail("gone");
      return {
        events: [
          {
            type: "composed",
            agentId: step.agentId,
            displayName,
            parts: splitReply(text, Infinity, said.isCut),
            handoffs: [],
            seenThroughId: state.triggerIds.at(-1) ?? asId<MessageId>(round.triggerId),
            ...leftOutIn(scene.transcript, state.triggerIds, unseen),
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const host = scene.agents.get(step.agentId);
      return fail(failureOf(error, host?.model ?? services.settings.model));
    }
  });
}

/** What the host's model says at this point. Null: the host cannot speak any more. Rejects as `utter` does. */
export async function speakAsHost(
  services: Services,
  point: {
    readonly round: Round;
    readonly state: HostedRound;
    readonly scene: HostedScene;
    /** For whom the call counts; else the person who started the round. */
    readonly userId?: UserId;
  },
  signal: AbortSignal,
): Promise<(Spoken & { readonly displayName: string }) | null> {
  const { round, state, scene } = point;
  const { chatName, agents, members, transcript, omitted, episodes } = scene;
  const host = agents.get(state.hostId);
  const self = members.find((member) => member.isHost);
  if (host === undefined || self === undefined) return null;
  const { settings } = services;
  const spoken = await utter(
    services,
    {
      round,
      agent: host,
      userId: point.userId ?? state.startedBy[0] ?? null,
      purpose: "turn",
      promptFor: (tokenBudget) =>
        hostPrompt({
          seat: { self, chatName, members },
          transcript,
          omitted,
          episodes,
          tokenBudget,
        }),
      others: namesBeside(host.id, state.members, transcript),
      timeoutMs: settings.turnTimeoutMs,
    },
    signal,
  );
  return { ...spoken, displayName: host.displayName };
}
