/** One turn of an agent: what it sees, what its model says, and what of that is posted. */
import type { Agent } from "../domain/agent.js";
import { never } from "../domain/errors.js";
import type { Group } from "../domain/group.js";
import { type AgentId, asId, type MessageId } from "../domain/ids.js";
import { namedIn } from "../domain/mentions.js";
import { conversationOf, type Message } from "../domain/message.js";
import { type SeatMember, speakerPrompt } from "../domain/prompts/speaker.js";
import { cleanReply } from "../domain/reply.js";
import type { RoundMember, Step, TurnFailure } from "../domain/round/round.js";
import { splitReply } from "../domain/split.js";
import { ModelError } from "../ports/model.js";
import { callPatiently } from "./calls.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";
import { whileTyping } from "./typing.js";

/** Messages of a conversation that a prompt is built from; more than any budget holds. */
const TRANSCRIPT_MESSAGES = 4_000;
/** A model that has nothing to say is asked once more. */
const MAX_ATTEMPTS = 2;

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function compose(
  services: Services,
  work: Work<Extract<Step, { do: "compose" }>>,
): Promise<Done> {
  const { round, step } = work;
  const { storage } = services;
  const agent = await storage.agents.get(step.agentId);
  const group = await storage.groups.get(round.groupId);
  const fail = (failure: TurnFailure): Done => ({
    events: [{ type: "turnFailed", agentId: step.agentId, failure }],
  });
  if (agent === null || agent.archivedAtMs !== null || group === null) return fail("gone");
  return whileTyping(services, round.place, async () => {
    const { messages: transcript, omitted } = await storage.messages.transcript(
      conversationOf(round.place),
      TRANSCRIPT_MESSAGES,
    );
    const seatMembers = await seatMembersOf(services, work);
    try {
      const text = await say(services, work, { agent, group, seatMembers, transcript, omitted });
      if (text === null) return fail("empty");
      const seenThroughId = transcript.at(-1)?.id ?? asId<MessageId>(round.triggerId);
      return {
        events: [
          {
            type: "composed",
            agentId: agent.id,
            displayName: agent.displayName,
            parts: splitReply(text),
            handoffs: namedIn(text, work.state.members)
              .map((naming) => naming.agentId)
              .filter((id) => id !== agent.id),
            seenThroughId,
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return fail(failureOf(error));
    }
  });
}

async function say(
  services: Services,
  { round, state, signal }: Work,
  input: {
    readonly agent: Agent;
    readonly group: Group;
    readonly seatMembers: readonly SeatMember[];
    readonly transcript: readonly Message[];
    readonly omitted: number;
  },
): Promise<string | null> {
  const { settings, clock } = services;
  const { agent, seatMembers, transcript } = input;
  const self = seatMembers.find((member) => member.agentId === agent.id);
  if (self === undefined) throw new Error(`Agent ${agent.id} is not a member of its round.`);
  const prompt = speakerPrompt({
    seat: { self, group: input.group, members: seatMembers },
    transcript,
    omitted: input.omitted,
    tokenBudget: agent.tokenBudget ?? settings.seatTokenBudget,
  });
  const deadlineMs = clock.now() + settings.turnTimeoutMs;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const reply = await callPatiently(
      services,
      {
        guildId: round.place.guildId,
        groupId: round.groupId,
        roundId: round.id,
        agentId: agent.id,
        userId: state.startedBy[0] ?? null,
      },
      {
        purpose: "turn",
        model: agent.model ?? settings.model,
        messages: prompt,
        timeoutMs: Math.max(1, deadlineMs - clock.now()),
        signal,
      },
    );
    const text = cleanReply(reply.text, {
      self: { displayName: agent.displayName, name: agent.name },
      others: speakersBeside(agent.id, state.members, transcript),
    });
    if (text !== "") return text;
  }
  return null;
}

/** Every name under which somebody else could be made to speak. */
function speakersBeside(
  self: AgentId,
  members: readonly RoundMember[],
  transcript: readonly Message[],
): readonly string[] {
  const names = members
    .filter((member) => member.agentId !== self)
    .flatMap((member) => [member.displayName, member.name]);
  const people = transcript.flatMap(({ author }) =>
    author.kind === "person" ? [author.name] : [],
  );
  return [...new Set([...names, ...people])];
}

/** The members of the round as the prompt shows them, with what their agents are at this moment. */
async function seatMembersOf(services: Services, { state }: Work): Promise<readonly SeatMember[]> {
  const members: SeatMember[] = [];
  for (const { agentId } of state.members) {
    const agent = await services.storage.agents.get(agentId);
    if (agent === null) continue;
    members.push({
      agentId,
      displayName: agent.displayName,
      role: agent.prompt,
      isHost: agentId === state.hostId,
    });
  }
  return members;
}

function failureOf(error: ModelError): TurnFailure {
  switch (error.kind) {
    case "timeout":
    case "refused":
    case "too-long":
      return error.kind;
    case "rate-limited":
    case "unauthorized":
    case "unknown-model":
    case "no-images":
    case "unavailable":
    case "bad-answer":
      return "error";
    default:
      return never(error.kind);
  }
}
