/** The agent that is there from the start: the place to begin. */
import { type Agent, COORDINATOR } from "../domain/agent.js";
import { DEMO_MODEL } from "../domain/demo.js";
import { UserError } from "../domain/errors.js";
import { asId, type ChannelId, type GuildId, type MessageId } from "../domain/ids.js";
import { conversationOf, type Place, said } from "../domain/message.js";
import { agentTopic } from "../domain/topic.js";
import { ChatError } from "../ports/chat.js";
import { StorageError } from "../ports/storage.js";
import { makeChannel } from "./newChannels.js";
import { agentCreate } from "./operations/agentCreate.js";
import { allOrNothing } from "./operations/allOrNothing.js";
import { runOperation } from "./operations/operation.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";
import { NOBODY } from "./taskAuthor.js";

const DISPLAY_NAME = "Coordinator";

const ROLE = [
  "You are the place to begin on this server. You help people to get agents and groups that suit them, and you explain Parley.",
  "What there is to know: an agent is a persona with a role and a channel of its own. A group is a channel with two to six agents. In an open group those members answer a message that have something to add, the most relevant last; in a hosted group only the host speaks to people, after asking the others privately; in a moderated group nobody speaks until a turn is given. Writing @Name, or replying to an agent, makes sure that it answers, and a message that is just `stop` ends what is going on. `/help` shows the commands.",
  "When somebody wants an agent, ask in one short question what it is for if that is not clear, then make it with a display name and a role of a few sentences that says what it knows, what it does and how it speaks. When somebody wants a conversation between agents, make the agents that are missing and a group of them. Do not make what was not asked for. Afterwards say in a line what there is now and where.",
].join("\n\n");

const WELCOME = [
  "I am the Coordinator, and this channel is the place to begin. Tell me what you need, in your own words. For example:",
  "- Make an agent called Researcher that finds facts and names its sources.",
  "- Make a group called Review with Researcher and Editor. Editor is the host.",
  "- What is the difference between an open and a hosted group?",
  "",
  "I can do for you what you may do here yourself. `/help` shows how to do the same with commands.",
].join("\n");

/** The demo model makes nothing of what it is told. */
const DEMO_WELCOME = [
  "I am the Coordinator, and this channel is the place to begin. The bot runs on its demo model now, which makes nothing by talking: with a real model you would tell me here what you need. These commands do it meanwhile:",
  "- `/agent_create` makes an agent.",
  "- `/group_create` makes a group of agents.",
  "- `/help` shows how to go on.",
].join("\n");

/**
 * Makes the coordinator the first time that a server is there, and says in its channel what it is
 * for. Never again after that: only its channel is (see `mendCoordinator`). When it cannot be made
 * that is logged, and resolves to what stands in the way.
 */
export async function ensureCoordinator(
  services: Services,
  guildId: GuildId,
): Promise<Error | null> {
  return orLater(services, guildId, () => beginWithCoordinator(services, guildId));
}

/** The same; rejects with what stands in the way. */
export async function beginWithCoordinator(services: Services, guildId: GuildId): Promise<void> {
  const { storage } = services;
  const key = stateOf(guildId);
  if ((await storage.settings.get(key)) === MADE) return;
  if (!(await isThere(services, guildId))) await make(services, guildId);
  await welcome(services, guildId);
  await storage.settings.set(key, MADE);
}

/** The setting that tells how far it is: nothing, that it is greeting in a channel, or `MADE`. */
function stateOf(guildId: GuildId): string {
  return `coordinator:${guildId}`;
}

const MADE = "made";

/**
 * For the start: the coordinator cannot be archived, so that when somebody has deleted its channel
 * it gets another one. Nobody does that while the bot is on: who deleted it may not want one now.
 */
export async function mendCoordinator(services: Services, guildId: GuildId): Promise<Error | null> {
  return orLater(services, guildId, async () => {
    const agent = await services.storage.agents.find(guildId, COORDINATOR);
    if (agent?.name !== COORDINATOR || agent.archivedAtMs !== null) return;
    if (agent.channelId === null) await houseCoordinator(services, agent);
  });
}

/** Where the coordinator is: in the channel that it has, or in a new one when that is gone. */
export async function houseCoordinator(
  services: Services,
  { id }: Pick<Agent, "id">,
): Promise<{ readonly channelId: ChannelId; readonly isNew: boolean }> {
  const { storage, chat, log, exclusive } = services;
  return exclusive.run(id, async () => {
    const agent = await storage.agents.get(id);
    if (agent === null) throw new Error(`Agent ${id} is not stored.`);
    const { guildId, name, displayName, category, prompt } = agent;
    if (agent.channelId !== null && (await chat.hasChannel(agent.channelId))) {
      return { channelId: agent.channelId, isNew: false };
    }
    const channelId = await allOrNothing(services, async (done) => {
      const topic = agentTopic(displayName, prompt, name);
      const made = await makeChannel(services, { guildId, name, category, topic }, done);
      await storage.agents.update(id, { channelId: made.channelId });
      await made.settle();
      return made.channelId;
    });
    log.info({ agentId: id, channelId }, "the coordinator has a channel again");
    await orLater(services, guildId, () => welcome(services, guildId));
    return { channelId, isNew: true };
  });
}

async function orLater(
  { log }: Services,
  guildId: GuildId,
  job: () => Promise<void>,
): Promise<Error | null> {
  try {
    await job();
    return null;
  } catch (error) {
    const isForeseen =
      error instanceof ChatError || error instanceof UserError || error instanceof StorageError;
    if (!isForeseen) throw error;
    log.warn({ err: error, guildId }, "the coordinator is not ready yet");
    return error;
  }
}

/** Made by people, or just before the process died. */
async function isThere({ storage }: Services, guildId: GuildId): Promise<boolean> {
  return (await storage.agents.find(guildId, COORDINATOR))?.name === COORDINATOR;
}

/** As if somebody who may had asked for it. */
async function make(services: Services, guildId: GuildId): Promise<void> {
  const asker = {
    userId: NOBODY,
    name: "Parley",
    guildId,
    roleIds: [],
    canManageChannels: true,
    canWriteHere: true,
  };
  const place: Place = { guildId, channelId: asId<ChannelId>("0"), threadId: null };
  await runOperation(
    agentCreate,
    { ...services, asker, place },
    { display_name: DISPLAY_NAME, name: COORDINATOR, prompt: ROLE },
  );
}

/**
 * Its first words, which it knows to have said. That they are being said is stored first: where
 * that was not the end of it, they are looked for before they are said again.
 */
async function welcome(services: Services, guildId: GuildId): Promise<void> {
  const { storage, chat, clock, settings } = services;
  const agent = await storage.agents.find(guildId, COORDINATOR);
  if (agent === null || agent.channelId === null || agent.prompt !== ROLE) return;
  const place: Place = { guildId, channelId: agent.channelId, threadId: null };
  if ((await storage.messages.newestId(conversationOf(place))) !== null) return;
  const persona = { name: agent.displayName, pictureUrl: agent.picture?.url ?? null };
  const text = settings.model === DEMO_MODEL ? DEMO_WELCOME : WELCOME;
  const signal = unstoppable();
  const greeting = `greeting in ${agent.channelId}`;
  const isDoubtful = (await storage.settings.get(stateOf(guildId))) === greeting;
  await storage.settings.set(stateOf(guildId), greeting);
  const afterId = asId<MessageId>(agent.channelId);
  const sought = { place, personaName: persona.name, text, afterId, except: [] };
  const found = isDoubtful ? await chat.findPost(sought, signal) : null;
  const id = found ?? (await chat.post({ place, persona, text, file: null }, signal));
  await storage.messages.record(
    said({
      id,
      place,
      author: { kind: "agent", agentId: agent.id, name: agent.displayName },
      text,
      createdAtMs: clock.now(),
    }),
    { isPending: false },
  );
  await storage.settings.set(stateOf(guildId), MADE);
}
