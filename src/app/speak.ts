/** What an agent's model says at one point of a conversation, as it may be posted. */
import type { Agent } from "../domain/agent.js";
import type { Group } from "../domain/group.js";
import type { AgentId, MessageId, UserId } from "../domain/ids.js";
import type { Message } from "../domain/message.js";
import { toldApart } from "../domain/prompts/people.js";
import { type PromptMessage, type SeatMember, speakerPrompt } from "../domain/prompts/speaker.js";
import { readReply } from "../domain/reply.js";
import type { Round, RoundMember } from "../domain/round/round.js";
import { isShown } from "../domain/shown.js";
import { splitReply } from "../domain/split.js";
import type { ModelReply, Purpose } from "../ports/model.js";
import { Patience } from "./calls.js";
import { callWithPictures, type Unseen } from "./pictures.js";
import { Room } from "./room.js";
import type { Services } from "./services.js";

/** A model that has nothing to say is asked once more. */
export const MAX_ATTEMPTS = 2;

/** The point at which an agent speaks. */
interface Point {
  readonly round: Round;
  readonly group: Group;
  readonly agent: Agent;
  /** Of the round, the agent among them. */
  readonly members: readonly RoundMember[];
  readonly hostId: AgentId;
  /** What the round answers. */
  readonly triggerIds: readonly MessageId[];
  /** What the agent hears, oldest first. */
  readonly transcript: readonly Message[];
  readonly omitted: number;
  /** The person whom the calls count for. */
  readonly userId: UserId | null;
}

/** Why there is no text: an empty answer, or nothing but what others would say. */
export type Silence = "empty" | "foreign";

/** A text that may be posted, or why there is none. */
export type Spoken = (
  | {
      readonly text: string;
      /** The model's limit ended it. */
      readonly isCut: boolean;
    }
  | { readonly text: null; readonly silence: Silence }
) & {
  /** Files that its model did not get, or not as a whole. */
  readonly unseen: readonly Unseen[];
};

/**
 * Asks the agent's model, and once more when it has nothing to say; both share one time-out.
 * Rejects with `ModelError`, or with the signal's reason.
 */
export async function speak(
  services: Services,
  point: Point,
  signal: AbortSignal,
): Promise<Spoken> {
  const { settings } = services;
  const { round, group, agent, members, triggerIds, transcript, omitted, userId } = point;
  const seatMembers = await seatMembersOf(services, point);
  const self = seatMembers.find((member) => member.agentId === agent.id);
  if (self === undefined) throw new Error(`Agent ${agent.id} is not a member of its round.`);
  const promptFor = (tokenBudget: number) =>
    speakerPrompt({
      seat: { self, group, members: seatMembers },
      transcript,
      omitted,
      tokenBudget,
      round: { id: round.id, triggerIds },
    });
  return utter(
    services,
    {
      round,
      agent,
      userId,
      purpose: "turn",
      promptFor,
      others: namesBeside(agent.id, members, transcript),
      timeoutMs: settings.turnTimeoutMs,
    },
    signal,
  );
}

/**
 * Has an agent's model answer a prompt, and cleans what it says. An answer without a text is asked
 * for once more; both share one time-out. A model for which it is too long gets half of it. Rejects
 * as `speak` does.
 */
export async function utter(
  services: Services,
  input: {
    readonly round: Round;
    readonly agent: Agent;
    readonly userId: UserId | null;
    readonly purpose: Purpose;
    /** The prompt with so much of the conversation in it. */
    readonly promptFor: (tokenBudget: number) => readonly PromptMessage[];
    /** Names under which nothing may be said. */
    readonly others: readonly string[];
    readonly timeoutMs: number;
  },
  signal: AbortSignal,
): Promise<Spoken> {
  const { clock, settings } = services;
  const { round, agent, userId, purpose, promptFor, others, timeoutMs } = input;
  const { guildId } = round.place;
  const account = { guildId, groupId: round.groupId, roundId: round.id, agentId: agent.id, userId };
  const model = agent.model ?? settings.model;
  const deadlineMs = clock.now() + timeoutMs;
  const room = new Room(agent.tokenBudget ?? settings.seatTokenBudget, (tokenBudget) => ({
    prompt: promptFor(tokenBudget),
    after: [],
  }));
  const patience = new Patience();
  for (let attempt = 1; ; attempt += 1) {
    const { reply, unseen } = await room.ask(({ prompt }) =>
      callWithPictures(
        services,
        account,
        { purpose, model, timeoutMs: Math.max(1, deadlineMs - clock.now()), signal },
        prompt,
        { patience },
      ),
    );
    const { text, isOthers } = readReply(reply.text, {
      self: { displayName: agent.displayName, name: agent.name },
      others,
    });
    // Zero-width characters alone would be no message.
    if (splitReply(text).length > 0) return { text, isCut: reply.finish === "length", unseen };
    const silence: Silence = isOthers ? "foreign" : "empty";
    logSilence(services, { round, agent, reply }, silence);
    if (attempt >= MAX_ATTEMPTS) return { text: null, silence, unseen };
  }
}

/** Logs that nothing of an answer may be posted. One that is empty as it comes is logged by its call. */
export function logSilence(
  { log }: Pick<Services, "log">,
  of: { readonly round: Round; readonly agent: Agent; readonly reply: ModelReply },
  silence: Silence,
): void {
  const { round, agent, reply } = of;
  if (!isShown(reply.text)) return;
  const fields = { roundId: round.id, agentId: agent.id, silence, characters: reply.text.length };
  log.warn(fields, "nothing of an answer may be posted");
}

/** Every name under which somebody else could be made to speak. */
export function namesBeside(
  self: AgentId,
  members: readonly RoundMember[],
  transcript: readonly Message[],
): readonly string[] {
  const names = members
    .filter((member) => member.agentId !== self)
    .flatMap((member) => [member.displayName, member.name]);
  // As they are called, and as prompts write them.
  const people = [...transcript, ...toldApart(transcript)].flatMap(({ author }) =>
    author.kind === "person" ? [author.name] : [],
  );
  return [...new Set([...names, ...people])];
}

/** The members of the round as the prompt shows them, with what their agents are at this moment. */
export async function seatMembersOf(
  services: Pick<Services, "storage">,
  { members, hostId }: Pick<Point, "members" | "hostId">,
): Promise<readonly SeatMember[]> {
  const seatMembers: SeatMember[] = [];
  for (const { agentId } of members) {
    const agent = await services.storage.agents.get(agentId);
    if (agent === null) continue;
    seatMembers.push({
      agentId,
      displayName: agent.displayName,
      role: agent.prompt,
      isHost: agentId === hostId,
    });
  }
  return seatMembers;
}
