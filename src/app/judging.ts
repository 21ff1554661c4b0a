import type { AgentId, MessageId } from "../domain/ids.js";
import { JUDGE_HISTORY_MESSAGES } from "../domain/limits.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import type { JudgedMember } from "../domain/prompts/judge.js";
import type { Services } from "./services.js";
import { starterOf } from "./starter.js";

/** What the judge is shown. */
export interface Judging {
  readonly members: readonly (JudgedMember & { readonly agentId: AgentId })[];
  /** Before the new messages, oldest first. */
  readonly history: readonly Message[];
  readonly fresh: readonly Message[];
}

/** The input of a round's judging as it is stored now: deleted messages are gone from it. */
export async function judgingOf(
  { storage }: Pick<Services, "storage">,
  round: { readonly place: Place; readonly triggerIds: readonly MessageId[] },
  agentIds: readonly AgentId[],
): Promise<Judging> {
  const fresh: Message[] = [];
  for (const id of round.triggerIds) {
    const message = await storage.messages.get(id);
    if (message !== null && message.deletedAtMs === null) fresh.push(message);
  }
  return {
    members: await judgedMembers({ storage }, agentIds),
    history: await historyBefore({ storage }, round.place, round.triggerIds[0] ?? null),
    fresh,
  };
}

/** The members with their roles of now. */
export async function judgedMembers(
  { storage }: Pick<Services, "storage">,
  agentIds: readonly AgentId[],
): Promise<Judging["members"]> {
  const agents = await Promise.all(agentIds.map((id) => storage.agents.get(id)));
  return agents
    .filter((agent) => agent !== null)
    .map(({ id, name, displayName, prompt }) => ({ agentId: id, name, displayName, role: prompt }));
}

/** What was said before a message; null: up to now. A thread begins with what it was started from. */
export async function historyBefore(
  { storage }: Pick<Services, "storage">,
  place: Place,
  before: MessageId | null,
): Promise<readonly Message[]> {
  const limit = JUDGE_HISTORY_MESSAGES;
  const recent = await storage.messages.recent(conversationOf(place), { before, limit });
  const starter = recent.length < limit ? await starterOf({ storage }, place) : null;
  return starter === null ? recent : [starter, ...recent];
}
