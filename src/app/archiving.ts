/**
 * Puts agents and groups away, whoever or whatever asks for it. The database decides, with all that
 * follows from it; then what runs there stops; then channels move. What could not be moved is noted,
 * and moved at the next start.
 */
import { type Agent, COORDINATOR } from "../domain/agent.js";
import type { Group, GroupKind } from "../domain/group.js";
import { asId, type ChannelId, type ConversationId, type GuildId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import { type Asker, ChatError } from "../ports/chat.js";
import { type LeftGroup, StorageError } from "../ports/storage.js";
import { hostNow, moved, sayThere } from "./chatNews.js";
import type { Services } from "./services.js";
import { StopRound } from "./stopping.js";

/** Where the channels of the archive are, and nothing answers. */
export const ARCHIVE_CATEGORY = "Archive";

/** Null: nobody in person, since a channel was deleted. */
type By = Pick<Asker, "name" | "userId"> | null;

/** A channel that is not in the category `Archive`, and one sentence that says why. */
export interface Unmoved {
  readonly channelId: ChannelId;
  readonly problem: string;
}

/** Null: it is archived already. */
export async function archiveAgent(
  services: Services,
  agent: Agent,
  by: By,
): Promise<{ readonly left: readonly LeftGroup[]; readonly unmoved: readonly Unmoved[] } | null> {
  return services.exclusive.run(agent.id, async () => {
    const left = await putAgentAway(services, agent, by);
    if (left === null) return null;
    const unmoved = await moveAll(services, agent.guildId, channelsOf([agent, ...endedOf(left)]));
    return { left, unmoved };
  });
}

/** Null: it is archived already. */
export async function archiveGroup(
  services: Services,
  group: Group,
  by: By,
): Promise<{ readonly unmoved: readonly Unmoved[] } | null> {
  return services.exclusive.run(group.id, async () => {
    if (!(await putGroupAway(services, group, by))) return null;
    return { unmoved: await moveAll(services, group.guildId, channelsOf([group])) };
  });
}

/**
 * A channel seems to be gone. When it really is, its agent or group is archived. The coordinator
 * never is: it has no channel until the next start. Rejects with `ChatError` when the truth is not known.
 */
export async function channelGone(services: Services, channelId: ChannelId): Promise<void> {
  const { storage, chat, exclusive } = services;
  if (await chat.hasChannel(channelId)) return;
  const owner =
    (await storage.agents.byChannel(channelId)) ?? (await storage.groups.byChannel(channelId));
  if (owner !== null) {
    await exclusive.run(owner.id, () => ownerLost(services, owner.guildId, channelId));
  }
}

/** Looks again who has the channel: one that was being restored may have a new one by now. */
async function ownerLost(
  services: Services,
  guildId: GuildId,
  channelId: ChannelId,
): Promise<void> {
  const { storage, log } = services;
  const agent = await storage.agents.byChannel(channelId);
  const group = await storage.groups.byChannel(channelId);
  if (agent === null && group === null) return;
  const isArchived = agent !== null && agent.name !== COORDINATOR;
  const left = isArchived ? await putAgentAway(services, agent, null) : null;
  if (group !== null) await putGroupAway(services, group, null);
  // Last: after a restart in between, the owner is still found by its channel.
  await storage.archive.loseChannel(channelId);
  const owner = { agentId: agent?.id ?? null, groupId: group?.id ?? null };
  log.info({ ...owner, channelId }, "an agent or group has no channel any more");
  await moveAll(services, guildId, channelsOf(endedOf(left ?? [])));
}

/**
 * At the start, and whenever events may have been missed: what was deleted is archived, what was not
 * moved is moved, and topics say again what is so.
 */
export async function mendChannels(services: Services, guildId: GuildId): Promise<void> {
  const { storage, chat, log, topics } = services;
  const agents = await storage.agents.list(guildId);
  const groups = await storage.groups.list(guildId);
  for (const channelId of channelsOf([...agents, ...groups])) {
    if (chat.topic(channelId) !== null) continue;
    try {
      await channelGone(services, channelId);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      log.warn({ err: error, channelId }, "whether a channel was deleted is not known");
    }
  }
  await moveAll(services, guildId, await storage.archive.unmovedChannels(guildId));
  for (const agent of agents) topics.agentChanged(agent.id);
  for (const group of groups) topics.groupChanged(group.id);
}

async function putAgentAway(
  services: Services,
  agent: Agent,
  by: By,
): Promise<readonly LeftGroup[] | null> {
  const { storage, clock, log, topics, departures } = services;
  const chats = (await storage.hostedChats.list(agent.guildId)).filter(({ participants }) =>
    participants.includes(agent.id),
  );
  const left = await storage.archive.archiveAgent(agent.id, clock.now());
  if (left === null) return null;
  const ended = endedOf(left);
  const groupIds = ended.map((group) => group.id);
  log.info({ agentId: agent.id, by: by?.userId ?? null, groupIds }, "an agent was archived");
  await stopAll(services, [agent], by);
  await stopAll(services, ended, by, agent.displayName);
  for (const { group, isEnded } of left) if (!isEnded) topics.groupChanged(group.id);
  const chatChannels = new Set(chats.map((chat) => chat.channelId));
  for (const channelId of [...chatChannels, ...channelsOf(left.map(({ group }) => group))]) {
    departures.changed(channelId, [agent.id], []);
  }
  for (const channelId of chatChannels) await sayGone(services, agent, channelId, null);
  for (const { group, wasHost, isEnded } of left) {
    if (group.channelId === null || isEnded) continue;
    const host = wasHost ? await storage.agents.get(group.hostId) : null;
    await sayGone(services, agent, group.channelId, host, group.kind);
  }
  return left;
}

/** `newHost`: who has become host by that. */
async function sayGone(
  services: Services,
  agent: Agent,
  channelId: ChannelId,
  newHost: Agent | null,
  kind: GroupKind = "hosted",
): Promise<void> {
  const place = { guildId: agent.guildId, channelId, threadId: null };
  const host = newHost === null ? "" : ` ${hostNow(newHost)}`;
  const gone =
    kind === "hosted"
      ? `${moved([agent], "left")} the group chat.`
      : `${moved([agent], "left")} the group: it was archived.`;
  await sayThere(services, place, `${gone}${host}`);
}

async function putGroupAway(services: Services, group: Group, by: By): Promise<boolean> {
  const { storage, clock, log } = services;
  if (!(await storage.archive.archiveGroup(group.id, clock.now()))) return false;
  log.info({ groupId: group.id, by: by?.userId ?? null }, "a group was archived");
  await stopAll(services, [group], by);
  return true;
}

/** Ends what runs in these channels and the threads under them. `agentName`: with whom they ended. */
async function stopAll(
  { storage, mailboxes }: Services,
  owners: readonly (Agent | Group)[],
  by: By,
  agentName?: string,
): Promise<void> {
  const channels = channelsOf(owners);
  const running = (await storage.rounds.unfinished())
    .filter((round) => channels.includes(round.place.channelId))
    .map((round) => conversationOf(round.place));
  const stop = new StopRound({
    by: by?.name ?? null,
    userId: by?.userId ?? null,
    why: "archived",
    ...(agentName === undefined ? {} : { agentName }),
  });
  const conversations = channels.map((channelId) => asId<ConversationId>(channelId));
  for (const conversation of new Set([...conversations, ...running])) {
    mailboxes.abort(conversation, stop);
  }
}

async function moveAll(
  services: Services,
  guildId: GuildId,
  channels: readonly ChannelId[],
): Promise<readonly Unmoved[]> {
  const unmoved: Unmoved[] = [];
  for (const channelId of channels) {
    const problem = await services.exclusive.run(channelId, () =>
      move(services, guildId, channelId),
    );
    if (problem !== null) unmoved.push({ channelId, problem });
  }
  return unmoved;
}

/**
 * Gives what stands in the way, or null. It is archived by now, so that no failure undoes anything.
 * One that was brought back before it was its turn stays where it is.
 */
async function move(
  services: Services,
  guildId: GuildId,
  channelId: ChannelId,
): Promise<string | null> {
  const { storage, chat, log } = services;
  try {
    if (!(await storage.archive.unmovedChannels(guildId)).includes(channelId)) return null;
    await chat.moveChannel(channelId, ARCHIVE_CATEGORY, "another");
    await storage.archive.settleChannel(channelId);
    return null;
  } catch (error) {
    if (error instanceof StorageError) {
      log.warn({ err: error, channelId }, "that a channel was moved could not be noted");
      return null;
    }
    if (!(error instanceof ChatError)) throw error;
    if (error.kind === "gone" && !(await chat.hasChannel(channelId).catch(() => true))) {
      // Deleted meanwhile: there is nothing to be moved any more.
      await storage.archive.loseChannel(channelId);
      return null;
    }
    log.warn({ err: error, channelId }, "a channel was not moved to the archive");
    return error.detail;
  }
}

function endedOf(left: readonly LeftGroup[]): readonly Group[] {
  return left.filter(({ isEnded }) => isEnded).map(({ group }) => group);
}

function channelsOf(owners: readonly (Agent | Group)[]): readonly ChannelId[] {
  return owners.flatMap(({ channelId }) => channelId ?? []);
}
