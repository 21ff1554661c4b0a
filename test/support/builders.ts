/** Agents, groups and people with everything filled in that a test does not speak of. */
import type { Agent } from "../../src/domain/agent.js";
import type { Group } from "../../src/domain/group.js";
import { type AgentId, asId, type GuildId, type UserId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import type { Asker } from "../../src/ports/chat.js";
import type { TestServices } from "./services.js";

export const GUILD = asId<GuildId>("900000000000000001");
export const OTHER_GUILD = asId<GuildId>("900000000000000002");

/** Who may change agents and groups. */
export function aManager(change: Partial<Asker> = {}): Asker {
  return aPerson({ name: "Mona", canManageChannels: true, ...change });
}

export function aPerson(change: Partial<Asker> = {}): Asker {
  return {
    userId: asId<UserId>("800000000000000001"),
    name: "Petra",
    guildId: GUILD,
    roleIds: [],
    canManageChannels: false,
    canWriteHere: true,
    ...change,
  };
}

type NewAgent = Partial<Agent> & Pick<Agent, "displayName">;

/** Stores an agent that has a channel. */
export async function addAgent(services: TestServices, agent: NewAgent): Promise<Agent> {
  const { storage, chat, ids, clock } = services;
  const guildId = agent.guildId ?? GUILD;
  const name = agent.name ?? agent.displayName.toLowerCase();
  const category = agent.category ?? "Agents";
  const stored: Agent = {
    id: ids.agent(),
    guildId,
    name,
    prompt: `You are ${agent.displayName}.`,
    model: null,
    picture: null,
    category,
    channelId: chat.addChannel({ guildId, name, category }),
    tokenBudget: null,
    createdAtMs: clock.now(),
    archivedAtMs: null,
    ...agent,
  };
  const conflict = await storage.agents.create(stored);
  if (conflict !== null) throw new Error(`The ${conflict} of ${stored.displayName} is taken.`);
  return stored;
}

type NewGroup = Partial<Omit<Group, "members">> &
  Pick<Group, "displayName"> & { readonly members: readonly Agent[] };

/** Stores a group that has a channel; the first member is host. */
export async function addGroup(services: TestServices, group: NewGroup): Promise<Group> {
  const { storage, chat, ids, clock } = services;
  const guildId = group.guildId ?? GUILD;
  const name = group.name ?? group.displayName.toLowerCase();
  const category = group.category ?? "Groups";
  const members = group.members.map((member) => member.id);
  const stored: Group = {
    id: ids.group(),
    guildId,
    name,
    kind: "open",
    category,
    channelId: chat.addChannel({ guildId, name, category }),
    hostId: members[0] ?? asId<AgentId>("nobody"),
    muted: [],
    createdAtMs: clock.now(),
    archivedAtMs: null,
    ...group,
    members,
  };
  const conflict = await storage.groups.create(stored);
  if (conflict !== null) throw new Error(`The ${conflict} of ${stored.displayName} is taken.`);
  return stored;
}

/** The channel of a group or agent as a place. */
export function placeOf(owner: Agent | Group): Place {
  if (owner.channelId === null) throw new Error(`${owner.displayName} has no channel.`);
  return { guildId: owner.guildId, channelId: owner.channelId, threadId: null };
}
