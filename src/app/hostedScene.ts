/** What the seats of a hosted round are made of: who is there, what was said, and earlier rounds. */
import type { Agent } from "../domain/agent.js";
import { type AgentId, compareSnowflakes } from "../domain/ids.js";
import { conversationOf, type Message } from "../domain/message.js";
import type { Episode } from "../domain/prompts/hosted.js";
import type { SeatMember } from "../domain/prompts/speaker.js";
import type { HostedRound } from "../domain/round/hosted.js";
import { applyEvent, type RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import { hear } from "./hear.js";
import { hostedChatIn, nameOfChat } from "./hostedChats.js";
import type { Services } from "./services.js";

/** Each round has a journal that is read too, so that this is less than of an open group. */
const TRANSCRIPT_MESSAGES = 400;

export interface HostedScene {
  readonly chatName: string;
  /** Of the round's members those that can speak now. */
  readonly agents: ReadonlyMap<AgentId, Agent>;
  readonly members: readonly SeatMember[];
  /** Everything that was said in the channel. */
  readonly transcript: readonly Message[];
  /** What was said since the chat began, and what its rounds are about. */
  readonly ofChat: readonly Message[];
  readonly omitted: number;
  /** Oldest first; the round itself is the last. */
  readonly episodes: readonly Episode[];
}

export async function hostedSceneOf(
  services: Pick<Services, "storage" | "files" | "log">,
  round: Round,
  state: HostedRound,
  signal: AbortSignal,
): Promise<HostedScene> {
  const { storage } = services;
  const chat = await hostedChatIn(services, round.place.channelId);
  const found = await Promise.all(state.members.map(({ agentId }) => storage.agents.get(agentId)));
  const agents = found
    .filter((agent) => agent !== null)
    .filter(({ archivedAtMs }) => archivedAtMs === null);
  const { transcript, omitted } = await hear(services, round.place, signal, {
    limit: TRANSCRIPT_MESSAGES,
    aboutIds: state.triggerIds,
  });
  const startedAtMs = chat?.startedAtMs ?? round.openedAtMs;
  const episodes = [
    ...(await earlier(services, round, transcript, startedAtMs)),
    { roundId: round.id, state },
  ];
  // A round of the chat may be about what was written before the chat began.
  const asked = new Set(episodes.flatMap((episode) => episode.state.triggerIds));
  return {
    chatName: await nameOfChat(services, { groupId: round.groupId, hostId: state.hostId }),
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    members: agents.map(({ id, displayName, prompt }) => ({
      agentId: id,
      displayName,
      role: prompt,
      isHost: id === state.hostId,
    })),
    transcript,
    ofChat: transcript.filter(({ id, createdAtMs }) => createdAtMs >= startedAtMs || asked.has(id)),
    omitted,
    episodes,
  };
}

/** The rounds of this chat before the given one, as far as the transcript goes back. */
async function earlier(
  { storage }: Pick<Services, "storage">,
  round: Round,
  transcript: readonly Message[],
  startedAtMs: number,
): Promise<readonly Episode[]> {
  const [first] = transcript;
  if (first === undefined) return [];
  const rounds = await storage.rounds.since(conversationOf(round.place), first.id);
  return rounds.flatMap(({ round: { id, kind, triggerId, openedAtMs }, events }) => {
    const isEarlier = compareSnowflakes(triggerId, round.triggerId) < 0;
    if (kind !== "hosted" || openedAtMs < startedAtMs || !isEarlier) return [];
    const state = hostedStateOf(events);
    return state === null ? [] : [{ roundId: id, state }];
  });
}

/** The fold of a hosted round's journal; null: it is none. */
export function hostedStateOf(events: readonly RoundEvent[]): HostedRound | null {
  let state: RoundState | null = null;
  for (const event of events) state = applyEvent("hosted", state, event);
  return state?.kind === "hosted" ? state : null;
}
