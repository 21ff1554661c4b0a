/** Who takes part in a chat, how it stands, and how it is changed. */
import { z } from "zod";
import type { Group } from "../../domain/group.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { NO_PARTICIPANTS } from "../../domain/notices.js";
import { listOf } from "../../domain/phrases.js";
import { hasAnswered } from "../../domain/round/hostedReplies.js";
import { GROUP_CHAT_COMMANDS, MEMBER_EFFECTS } from "../../domain/textCommand.js";
import { agentsOfChat } from "../hostedChats.js";
import { hostedStateOf } from "../hostedScene.js";
import { membersNow } from "./changeMembers.js";
import { text } from "./fields.js";
import { chatHere, placeOfChat, placeOfSelf, venueIn } from "./gcPlace.js";
import { memberList } from "./members.js";
import { defineOperation, MANAGERS, type OperationContext } from "./operation.js";
import { aKind, bold } from "./show.js";

export const gcList = defineOperation({
  name: "gc_list",
  description: "Who takes part in the chat here",
  permission: "anyone",
  input: z.object({}),
  run: async (context) => ({ text: await whoIsThere(context, context.place) }),
});

export const gcStatus = defineOperation({
  name: "gc_status",
  description: "Who takes part in a chat, and whether a round is open there",
  permission: "anyone",
  input: z.object({
    chat: text({
      description:
        "The group, or the agent in whose channel the chat is; for people: here when left out",
      suggests: "chat",
    }).optional(),
  }),
  async run(context, given) {
    const place =
      given.chat === undefined
        ? await placeOfSelf(context)
        : await placeOfChat(context, given.chat);
    return {
      text: [await whoIsThere(context, place), await whatRuns(context, place)].join("\n"),
    };
  },
});

export const gcHelp = defineOperation({
  name: "gc_help",
  description: "The commands of group chats",
  permission: "anyone",
  input: z.object({}),
  async run({ storage, place }) {
    const group = await storage.groups.byChannel(place.channelId);
    return { text: group === null || group.kind === "hosted" ? chatHelp() : memberHelp(group) };
  },
});

const HOW =
  "-# `/gc` does the same. Names with spaces go in quotes, and several names have commas or spaces between them.";

function chatHelp(): string {
  return [
    "**Group chats**: a host talks with you; before it answers, the participants tell it privately what they think.",
    ...Object.values(GROUP_CHAT_COMMANDS).map(
      ({ usage, effect }) => `- \`!gc ${usage}\`: ${effect}`,
    ),
    HOW,
  ].join("\n");
}

/** In a group in which several speak there is less to do. */
function memberHelp({ displayName, kind }: Group): string {
  return [
    `${bold(displayName)} is ${aKind(kind)} group; only ${MANAGERS} add and remove members:`,
    ...Object.entries(MEMBER_EFFECTS).map(
      ([word, effect]) =>
        `- \`!gc ${GROUP_CHAT_COMMANDS[word as keyof typeof MEMBER_EFFECTS].usage}\`: ${effect}`,
    ),
    HOW,
  ].join("\n");
}

async function whoIsThere(context: OperationContext, place: Place): Promise<string> {
  const venue = chatHere(context, await venueIn(context, place.channelId));
  if (venue.kind === "group") {
    const { group } = venue;
    const members = await membersNow(context, group);
    const names = members.map(({ id, displayName }) =>
      group.muted.includes(id) ? `${bold(displayName)} (muted)` : bold(displayName),
    );
    const host = members.find(({ id }) => id === group.hostId);
    return `${bold(group.displayName)} is ${aKind(group.kind)} group. Members: ${listOf(names)}. Host: ${bold(host?.displayName ?? "none")}.`;
  }
  const [host, ...others] = await agentsOfChat(context, venue.chat);
  const hostLine = `Host: ${bold(host?.displayName ?? "none")}.`;
  return others.length === 0
    ? `${hostLine} ${NO_PARTICIPANTS}`
    : `${hostLine} Participants: ${memberList(others)}.`;
}

async function whatRuns({ storage }: OperationContext, place: Place): Promise<string> {
  const round = await storage.rounds.latest(conversationOf(place));
  if (round === null || round.closedAtMs !== null) return "No round is open.";
  if (round.kind !== "hosted") return "A round is open.";
  const journal = await storage.rounds.journal(round.id);
  const state = hostedStateOf(journal.map(({ event }) => event));
  if (state?.phase !== "collecting") return "A round is open: the host is answering.";
  const { asked, pass } = state;
  const answered = asked.filter((id) => hasAnswered(state, id, pass)).length;
  return `A round is open: ${answered} of ${asked.length} have answered.`;
}
