/** One turn of an agent: what it sees, what its model says, and what of that is posted. */
import { type AgentId, asId, type MessageId } from "../domain/ids.js";
import { namedIn } from "../domain/mentions.js";
import type { Message } from "../domain/message.js";
import type { RoundEvent, Step, TurnFailure } from "../domain/round/round.js";
import { splitReply } from "../domain/split.js";
import { ModelError } from "../ports/model.js";
import { type Failed, failedTurn, failureOf } from "./failure.js";
import { hear } from "./hear.js";
import type { Done, Work } from "./perform.js";
import type { Unseen } from "./pictures.js";
import type { Services } from "./services.js";
import { speak } from "./speak.js";
import { whileTyping } from "./typing.js";

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function compose(
  services: Services,
  work: Work<Extract<Step, { do: "compose" }>>,
): Promise<Done> {
  const { round, state, step, signal } = work;
  const { storage } = services;
  const agent = await storage.agents.get(step.agentId);
  const group = round.groupId === null ? null : await storage.groups.get(round.groupId);
  const fail = (failed: TurnFailure | Failed) => failedTurn(step.agentId, failed);
  if (agent === null || agent.archivedAtMs !== null || group === null) return fail("gone");
  return whileTyping(services, round.place, async () => {
    // What came while the round runs is heard too.
    const { transcript, omitted } = await hear(services, round.place, signal);
    const { members, hostId, triggerIds } = state;
    const userId = state.startedBy[0] ?? null;
    try {
      const spoken = await speak(
        services,
        { round, group, agent, members, hostId, triggerIds, transcript, omitted, userId },
        signal,
      );
      const { text, unseen } = spoken;
      if (text === null) return fail(spoken.silence);
      if (await isArchived(services, agent.id)) return fail("gone");
      const seenThroughId = transcript.at(-1)?.id ?? asId<MessageId>(round.triggerId);
      return {
        events: [
          {
            type: "composed",
            agentId: agent.id,
            displayName: agent.displayName,
            parts: splitReply(text, Infinity, spoken.isCut),
            handoffs: namedIn(text, members)
              .map((naming) => naming.agentId)
              .filter((id) => id !== agent.id),
            seenThroughId,
            ...leftOutIn(transcript, state.triggerIds, unseen),
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return fail(failureOf(error, agent.model ?? services.settings.model));
    }
  });
}

/** While it was composing. */
async function isArchived({ storage }: Services, agentId: AgentId): Promise<boolean> {
  const agent = await storage.agents.get(agentId);
  return agent === null || agent.archivedAtMs !== null;
}

/** Of what a member could not see, the people are told what belongs to their question. */
export function leftOutIn(
  transcript: readonly Message[],
  triggerIds: readonly MessageId[],
  unseen: readonly Unseen[],
): Pick<Extract<RoundEvent, { type: "composed" }>, "leftOut"> {
  const asked = transcript
    .filter((message) => triggerIds.includes(message.id))
    .flatMap((message) => message.attachments);
  const leftOut = unseen
    .filter(({ file }) => asked.includes(file))
    .map(({ file, reason }) => ({ name: file.name, reason }));
  return leftOut.length === 0 ? {} : { leftOut };
}
