import { never } from "../domain/errors.js";
import type { AgentId, ChannelId, GroupId, GuildId } from "../domain/ids.js";
import { needsText } from "../domain/phrases.js";
import { agentTopic, groupTopic } from "../domain/topic.js";
import { ChatError } from "../ports/chat.js";
import { StorageError } from "../ports/storage.js";
import { sentenceOf } from "./report.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";

/**
 * Keeps the topics of channels true, in the background: Discord allows two changes in ten minutes
 * for a channel, so changes are merged, unchanged ones are skipped, and nothing waits for them.
 */
export interface Topics {
  /** The group's name, members or host changed. Returns at once. */
  groupChanged(groupId: GroupId): void;
  /** The agent's name or role changed: its own channel and its groups. Returns at once. */
  agentChanged(agentId: AgentId): void;
  /** Resolves when every change asked for so far was made or given up. */
  onIdle(): Promise<void>;
}

/** What topics need of the rest. */
type TopicServices = Pick<Services, "storage" | "chat" | "clock" | "log">;

export function createTopics(services: TopicServices): Topics {
  return new ChannelTopics(services);
}

/** Whose channel it is. */
type Subject =
  | { readonly kind: "group"; readonly id: GroupId }
  | { readonly kind: "agent"; readonly id: AgentId };

interface Wanted {
  readonly guildId: GuildId;
  readonly channelId: ChannelId;
  readonly topic: string;
}

/** When the service is in trouble, it is tried again after these pauses. */
const PAUSES_MS = [60_000, 300_000] as const;

/**
 * One worker for each channel with a change. It reads what the topic has to be when it is its turn,
 * so that any number of changes made while it was busy become one.
 */
class ChannelTopics implements Topics {
  readonly #services: TopicServices;
  /** Subjects with a change that no worker has taken up. */
  readonly #wanted = new Set<string>();
  readonly #workers = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  /** Channels whose people know that the topic cannot be changed. */
  readonly #told = new Set<ChannelId>();

  constructor(services: TopicServices) {
    this.#services = services;
  }

  groupChanged(groupId: GroupId): void {
    this.#change({ kind: "group", id: groupId });
  }

  agentChanged(agentId: AgentId): void {
    this.#change({ kind: "agent", id: agentId });
    this.#run(this.#changeGroupsOf(agentId));
  }

  async onIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #change(subject: Subject): void {
    const key = keyOf(subject);
    this.#wanted.add(key);
    if (this.#workers.has(key)) return;
    this.#workers.add(key);
    this.#run(this.#work(subject));
  }

  /** `job` never rejects. */
  #run(job: Promise<void>): void {
    this.#running.add(job);
    void job.then(() => this.#running.delete(job));
  }

  async #changeGroupsOf(agentId: AgentId): Promise<void> {
    try {
      const groups = await this.#services.storage.groups.withMember(agentId);
      for (const group of groups) this.groupChanged(group.id);
    } catch (error) {
      this.#services.log.error({ err: error, agentId }, "the groups of an agent were not found");
    }
  }

  async #work(subject: Subject): Promise<void> {
    const key = keyOf(subject);
    let failures = 0;
    while (this.#wanted.delete(key)) {
      const failure = await this.#update(subject);
      if (failure === null) {
        failures = 0;
        continue;
      }
      const pauseMs = isTransient(failure.error) ? PAUSES_MS[failures] : undefined;
      failures += 1;
      if (pauseMs === undefined) await this.#giveUp(failure);
      else {
        await this.#services.clock.sleep(Math.max(pauseMs, retryAfterMs(failure.error)));
        this.#wanted.add(key);
      }
    }
    this.#workers.delete(key);
  }

  /** Sets the topic when it is not right. Gives what went wrong, or null. */
  async #update(subject: Subject): Promise<Failure | null> {
    const { chat, log } = this.#services;
    let wanted: Wanted | null = null;
    try {
      wanted = await this.#wantedFor(subject);
      if (wanted === null) return null;
      const present = chat.topic(wanted.channelId);
      if (present !== null && present !== wanted.topic) {
        await chat.setTopic(wanted.channelId, wanted.topic);
        this.#told.delete(wanted.channelId);
      }
      return null;
    } catch (error) {
      log.warn({ err: error, subject }, "a topic was not changed");
      return { error, wanted };
    }
  }

  async #wantedFor(subject: Subject): Promise<Wanted | null> {
    switch (subject.kind) {
      case "group":
        return this.#wantedForGroup(subject.id);
      case "agent":
        return this.#wantedForAgent(subject.id);
      default:
        return never(subject);
    }
  }

  async #wantedForAgent(agentId: AgentId): Promise<Wanted | null> {
    const agent = await this.#services.storage.agents.get(agentId);
    if (agent === null || agent.archivedAtMs !== null || agent.channelId === null) return null;
    const { guildId, channelId, name, displayName, prompt } = agent;
    return { guildId, channelId, topic: agentTopic(displayName, prompt, name) };
  }

  async #wantedForGroup(groupId: GroupId): Promise<Wanted | null> {
    const { agents, groups } = this.#services.storage;
    const group = await groups.get(groupId);
    if (group === null || group.archivedAtMs !== null || group.channelId === null) return null;
    const found = await Promise.all(group.members.map((id) => agents.get(id)));
    const members = found
      .filter((agent) => agent !== null)
      .map((agent) => ({
        displayName: agent.displayName,
        isMuted: group.muted.includes(agent.id),
        isHost: agent.id === group.hostId,
      }));
    const { guildId, channelId, displayName } = group;
    return { guildId, channelId, topic: groupTopic(displayName, members) };
  }

  /** Says it in the channel, once until a change succeeds again. */
  async #giveUp({ error, wanted }: Failure): Promise<void> {
    const { chat, log } = this.#services;
    const isGone = error instanceof ChatError && error.kind === "gone";
    if (wanted === null || isGone || this.#told.has(wanted.channelId)) return;
    const { guildId, channelId } = wanted;
    this.#told.add(channelId);
    try {
      await chat.announce(
        {
          place: { guildId, channelId, threadId: null },
          text: `-# I cannot change this topic: ${reasonOf(error)}`,
          buttons: [],
          isSilent: true,
          nonce: `topic${channelId}`,
          isDoubtful: false,
          afterId: null,
        },
        unstoppable(),
      );
    } catch (failure) {
      log.warn({ err: failure, channelId }, "that a topic was not changed could not be said");
    }
  }
}

interface Failure {
  readonly error: unknown;
  /** Null when it is not even known what the topic has to be. */
  readonly wanted: Wanted | null;
}

function keyOf({ kind, id }: Subject): string {
  return `${kind} ${id}`;
}

function reasonOf(error: unknown): string {
  const needs = error instanceof ChatError ? error.needs : null;
  return needs === null ? sentenceOf(error) : `${needsText(needs)}.`;
}

function isTransient(error: unknown): boolean {
  if (error instanceof StorageError) return error.isTransient;
  return error instanceof ChatError && error.mayPass;
}

function retryAfterMs(error: unknown): number {
  return error instanceof ChatError ? (error.retryAfterMs ?? 0) : 0;
}
