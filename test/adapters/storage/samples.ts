/** Values for the storage suite; every one may be overridden. */
import type { Agent } from "../../../src/domain/agent.js";
import type { Group } from "../../../src/domain/group.js";
import {
  type AgentId,
  asId,
  type ChannelId,
  type GroupId,
  type GuildId,
  type MessageId,
  type RoundId,
  type ThreadId,
  type UserId,
} from "../../../src/domain/ids.js";
import type { Message, Place } from "../../../src/domain/message.js";
import type { Round, RoundEvent } from "../../../src/domain/round/round.js";
import type { UsageRow } from "../../../src/ports/storage.js";

export type Opened = Extract<RoundEvent, { type: "opened" }>;

export const GUILD = asId<GuildId>("81384788765712384");
export const OTHER_GUILD = asId<GuildId>("613425648685547541");

export const agentId = (id: string) => asId<AgentId>(id);
export const groupId = (id: string) => asId<GroupId>(id);
export const messageId = (id: string | number) => asId<MessageId>(String(id));
export const roundId = (id: string) => asId<RoundId>(id);
export const channelId = (id: string) => asId<ChannelId>(id);

export function placeIn(channel: string, thread: string | null = null): Place {
  return {
    guildId: GUILD,
    channelId: asId(channel),
    threadId: thread === null ? null : asId<ThreadId>(thread),
  };
}

/** An agent whose id, name and display name come from one word. */
export function agent(name: string, fields: Partial<Agent> = {}): Agent {
  return {
    id: asId(`agent-${name}`),
    guildId: GUILD,
    name,
    displayName: `The ${name}`,
    prompt: `You are the ${name}.`,
    model: null,
    picture: null,
    category: "Agents",
    channelId: null,
    tokenBudget: null,
    createdAtMs: 1_000,
    archivedAtMs: null,
    ...fields,
  };
}

export function group(name: string, members: readonly Agent[], fields: Partial<Group> = {}): Group {
  const ids = members.map((member) => member.id);
  return {
    id: asId(`group-${name}`),
    guildId: GUILD,
    name,
    displayName: `The ${name}`,
    kind: "open",
    category: "Groups",
    channelId: null,
    members: ids,
    hostId: ids[0] ?? asId("nobody"),
    muted: [],
    createdAtMs: 2_000,
    archivedAtMs: null,
    ...fields,
  };
}

/** A person's message. */
export function message(id: string | number, fields: Partial<Message> = {}): Message {
  return {
    id: messageId(id),
    place: placeIn("500"),
    author: { kind: "person", userId: asId<UserId>("80351110224678912"), name: "Ana" },
    text: `Message ${id}`,
    attachments: [],
    replyToId: null,
    askedId: null,
    createdAtMs: 1_700_000_000_000,
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
    ...fields,
  };
}

/** An agent's message of a round. */
export function reply(id: string | number, round: Round, fields: Partial<Message> = {}): Message {
  return message(id, {
    place: round.place,
    author: { kind: "agent", agentId: asId("agent-editor"), name: "Editor" },
    roundId: round.id,
    turn: 0,
    seenThroughId: round.triggerId,
    ...fields,
  });
}

export function round(id: string, triggerId: string | number, fields: Partial<Round> = {}): Round {
  return {
    id: asId(id),
    groupId: asId("group-review"),
    kind: "open",
    place: placeIn("500"),
    triggerId: messageId(triggerId),
    openedAtMs: 5_000,
    closedAtMs: null,
    ...fields,
  };
}

export function opened(triggerIds: readonly (string | number)[]): Opened {
  return {
    type: "opened",
    members: [
      { agentId: asId("agent-editor"), name: "editor", displayName: "Editor", isMuted: false },
    ],
    hostId: asId("agent-editor"),
    named: [],
    triggerIds: triggerIds.map(messageId),
    startedBy: [asId("80351110224678912")],
    cap: 8,
    isAsk: false,
  };
}

export function usage(fields: Partial<UsageRow> = {}): UsageRow {
  return {
    atMs: 9_000,
    guildId: GUILD,
    groupId: null,
    roundId: null,
    agentId: null,
    userId: null,
    purpose: "turn",
    model: "some-model",
    tokens: { inputTokens: 120, outputTokens: 34, cachedTokens: 100 },
    durationMs: 850,
    outcome: "ok",
    ...fields,
  };
}
