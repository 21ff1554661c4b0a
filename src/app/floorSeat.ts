/** A member of a moderated group in its seat: who it is, who the others are, what it hears. */
import type { Agent } from "../domain/agent.js";
import type { AgentId, MessageId, UserId } from "../domain/ids.js";
import type { Message } from "../domain/message.js";
import type { Seat, speakerPrompt } from "../domain/prompts/speaker.js";
import type { ModeratedRound } from "../domain/round/moderated.js";
import type { Round } from "../domain/round/round.js";
import type { CallAccount } from "./calls.js";
import { hear } from "./hear.js";
import type { Services } from "./services.js";
import { seatMembersOf } from "./speak.js";

interface FloorSeat {
  readonly agent: Agent;
  readonly seat: Seat;
  readonly account: CallAccount;
  readonly userId: UserId | null;
}

/** Null: the agent, or the group, is not there any more. */
export async function floorSeatOf(
  services: Services,
  round: Round,
  state: ModeratedRound,
  agentId: AgentId,
): Promise<FloorSeat | null> {
  const { storage } = services;
  const agent = await storage.agents.get(agentId);
  const group = round.groupId === null ? null : await storage.groups.get(round.groupId);
  const members = await seatMembersOf(services, state);
  const self = members.find((member) => member.agentId === agentId);
  if (agent === null || agent.archivedAtMs !== null || group === null || self === undefined) {
    return null;
  }
  const userId = state.startedBy[0] ?? null;
  const { guildId } = round.place;
  return {
    agent,
    seat: { self, group, members },
    account: { guildId, groupId: round.groupId, roundId: round.id, agentId, userId },
    userId,
  };
}

/** What a prompt of this seat is made of, and the whole channel in it. */
export async function seatInputOf(
  services: Services,
  round: Round,
  { agent, seat }: FloorSeat,
  signal: AbortSignal,
  range: { readonly throughId?: MessageId } = {},
): Promise<Parameters<typeof speakerPrompt>[0] & { readonly transcript: readonly Message[] }> {
  const { transcript, omitted } = await hear(services, round.place, signal, range);
  const tokenBudget = agent.tokenBudget ?? services.settings.seatTokenBudget;
  return { seat, transcript, omitted, tokenBudget };
}
