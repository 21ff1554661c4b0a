/** Who takes part in a chat: agents are added and removed, or come and go by themselves. */
import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { MAX_PARTICIPANTS } from "../../domain/limits.js";
import { hostNow, moved } from "../chatNews.js";
import { assertCount, changeGroup, hostAmong, membersNow } from "./changeMembers.js";
import { text } from "./fields.js";
import { agentNamed, agentsNamed } from "./gcAgents.js";
import { storeParticipants } from "./gcParticipants.js";
import {
  announced,
  assertMayChange,
  chatHere,
  idsIn,
  placeOfChat,
  placeOfSelf,
  type Said,
  type Venue,
  venueIn,
} from "./gcPlace.js";
import { memberList } from "./members.js";
import { type Answer, defineOperation, type OperationContext } from "./operation.js";
import { tooManyParticipants } from "./refusals.js";
import { bold } from "./show.js";

const nameField = (suggests: "outsider" | "participant") =>
  text({ description: "The agent, by name or display name", suggests, isSeveral: true });
const chatField = text({
  description:
    "The group, or the agent in whose channel the chat is; for people: here when left out",
  suggests: "chat",
}).optional();

export const gcAdd = defineOperation({
  name: "gc_add",
  description: "Add an agent to the chat here",
  permission: "talker",
  input: z.object({ agent: nameField("outsider") }),
  run: async (context, given) => enter(context, undefined, () => agentsNamed(context, given.agent)),
});

export const gcRemove = defineOperation({
  name: "gc_remove",
  description: "Remove an agent from the chat here",
  permission: "talker",
  input: z.object({ agent: nameField("participant") }),
  run: async (context, given) => exit(context, undefined, () => agentsNamed(context, given.agent)),
});

/** An agent that acts adds itself; a person says which agent. */
export const gcJoin = defineOperation({
  name: "gc_join",
  description: "Let an agent join a chat",
  permission: "talker",
  input: z.object({ agent: nameField("outsider").optional(), chat: chatField }),
  run: async (context, given) =>
    enter(context, given.chat, () => selfOr(context, given.agent, "join")),
});

export const gcLeave = defineOperation({
  name: "gc_leave",
  description: "Let an agent leave a chat",
  permission: "talker",
  input: z.object({ agent: nameField("participant").optional(), chat: chatField }),
  run: async (context, given) =>
    exit(context, given.chat, () => selfOr(context, given.agent, "leave")),
});

async function selfOr(
  context: OperationContext,
  name: string | undefined,
  word: "join" | "leave",
): Promise<readonly Agent[]> {
  const { actingAgentId, storage } = context;
  if (actingAgentId === undefined && name !== undefined) return agentsNamed(context, name);
  const self = actingAgentId === undefined ? null : await storage.agents.get(actingAgentId);
  const named = name === undefined ? self : await agentNamed(context, name);
  if (named === null) {
    throw new UserError(
      "invalid",
      context.commandId === undefined
        ? `Say which agent ${word}s: fill in \`agent\`.`
        : `Say which agent: \`!gc ${word} <agent>\`.`,
    );
  }
  if (self !== null && named.id !== self.id) {
    throw new UserError("forbidden", "An agent can only add or remove itself.");
  }
  return [named];
}

/** The agents are looked up first, so that what is told of them is told before anything changes. */
async function enter(
  context: OperationContext,
  chatName: string | undefined,
  find: () => Promise<readonly Agent[]>,
): Promise<Answer> {
  if (context.actingAgentId !== undefined && chatName === undefined) {
    throw new UserError(
      "invalid",
      "Say which chat with `chat`: a group, or the agent that hosts it.",
    );
  }
  const place = await placeOfChat(context, chatName);
  await assertMayChange(context, place);
  const agents = await find();
  return context.exclusive.run(place.channelId, async () => {
    const venue = chatHere(context, await venueIn(context, place.channelId));
    const present = idsIn(venue);
    const fresh = agents.filter(({ id }) => !present.includes(id));
    if (fresh.length === 0) throw alreadyThere(venue, agents);
    const have = moved(fresh, "joined");
    const known = agents.filter(({ id }) => present.includes(id));
    const also = known.length === 0 ? "" : ` ${alreadyThere(venue, known).message}`;
    if (venue.kind === "chat") {
      const participants = [...venue.chat.participants, ...fresh.map(({ id }) => id)];
      if (participants.length > MAX_PARTICIPANTS) {
        throw tooManyParticipants();
      }
      const said = await inChat(context, venue, have);
      const both = { there: said.there + also, elsewhere: said.elsewhere + also };
      return announced(context, place, both, (owed) =>
        storeParticipants(context, venue, participants, owed),
      );
    }
    const { group } = venue;
    const members = [...(await membersNow(context, group)), ...fresh];
    assertCount(group, members.length);
    const take = fresh.length === 1 ? "takes" : "take";
    const from = group.kind === "moderated" ? "" : ` and ${take} part from the next round on`;
    const text = `${have} ${bold(group.displayName)}${from}.${also} ${TOPIC_FOLLOWS}`;
    return announced(context, place, { there: text, elsewhere: text }, async (owed) => {
      await changeGroup(context, group, { members }, owed);
    });
  });
}

async function exit(
  context: OperationContext,
  chatName: string | undefined,
  find: () => Promise<readonly Agent[]>,
): Promise<Answer> {
  const place =
    chatName === undefined ? await placeOfSelf(context) : await placeOfChat(context, chatName);
  await assertMayChange(context, place);
  const agents = await find();
  return context.exclusive.run(place.channelId, async () => {
    const venue = chatHere(context, await venueIn(context, place.channelId));
    const present = idsIn(venue);
    const leaving = agents.filter(({ id }) => present.includes(id));
    if (leaving.length === 0) throw notThere(venue, agents);
    const have = moved(leaving, "left");
    const isLeaving = (id: Agent["id"]) => leaving.some((agent) => agent.id === id);
    if (venue.kind === "chat") {
      const { participants, hostId } = venue.chat;
      if (isLeaving(hostId)) {
        throw new UserError(
          "conflict",
          `${memberList(leaving.filter(({ id }) => id === hostId))} is the host of the group chat and stays; \`!gc end\` ends it.`,
        );
      }
      const staying = participants.filter((id) => !isLeaving(id));
      return announced(context, place, await inChat(context, venue, have), (owed) =>
        storeParticipants(context, venue, staying, owed),
      );
    }
    const { group } = venue;
    const members = (await membersNow(context, group)).filter(({ id }) => !isLeaving(id));
    assertCount(group, members.length);
    const host = hostAmong(members, group);
    const passed = host.id === group.hostId ? "" : ` ${hostNow(host)}`;
    const text = `${have} ${bold(group.displayName)}.${passed} This counts from the next round on. ${TOPIC_FOLLOWS}`;
    return announced(context, place, { there: text, elsewhere: text }, async (owed) => {
      await changeGroup(context, group, { members }, owed);
    });
  });
}

/** Where agents come and go. */
type Taking = Exclude<Venue, { kind: "agent" }>;

const TOPIC_FOLLOWS = "The channel topic follows within ten minutes.";

/** What has happened in a chat: as those who are in it read it, and as others do. */
async function inChat(
  { storage }: Pick<OperationContext, "storage">,
  { chat, group }: Extract<Venue, { kind: "chat" }>,
  have: string,
): Promise<Said> {
  const host = await storage.agents.get(chat.hostId);
  const elsewhere =
    group === null
      ? `the group chat in ${bold(host?.displayName ?? "its host")}'s channel`
      : bold(group.displayName);
  return { there: `${have} the group chat.`, elsewhere: `${have} ${elsewhere}.` };
}

function alreadyThere(venue: Taking, agents: readonly Agent[]): UserError {
  const [agent] = agents;
  if (agent === undefined) return new UserError("invalid", "Say which agent.");
  const isHost = venue.kind === "chat" && venue.chat.hostId === agent.id;
  return new UserError(
    "conflict",
    isHost && agents.length === 1
      ? `${bold(agent.displayName)} is the host here and takes part anyway.`
      : `${memberList(agents)} ${agents.length === 1 ? "is" : "are"} already in ${whereIn(venue)}.`,
  );
}

function notThere(venue: Taking, agents: readonly Agent[]): UserError {
  if (agents.length === 0) return new UserError("invalid", "Say which agent.");
  return new UserError(
    "conflict",
    `${memberList(agents)} ${agents.length === 1 ? "is" : "are"} not in ${whereIn(venue)}.`,
  );
}

function whereIn(venue: Taking): string {
  return venue.kind === "group" ? bold(venue.group.displayName) : "the group chat";
}
