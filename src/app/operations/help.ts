import { z } from "zod";
import { type Agent, COORDINATOR } from "../../domain/agent.js";
import { MAX_MEMBERS, MIN_MEMBERS } from "../../domain/limits.js";
import type { Settings } from "../services.js";
import { defineOperation, isManager, MANAGERS, type OperationContext } from "./operation.js";
import { bold, channelLink, withoutChannel } from "./show.js";

/** How to begin, on one screen. */
export const help = defineOperation({
  name: "help",
  description: "What Parley is and how to begin",
  permission: "anyone",
  input: z.object({}),
  run: async (context) => ({
    text: screen(context.settings, isManager(context), await coordinatorOf(context)),
  }),
});

/** The place to begin, as long as there is one; it may have lost its channel. */
async function coordinatorOf({ storage, asker }: OperationContext): Promise<Agent | null> {
  const agent = await storage.agents.find(asker.guildId, COORDINATOR);
  return agent?.name === COORDINATOR && agent.archivedAtMs === null ? agent : null;
}

function beginning(coordinator: Agent | null, canManage: boolean): readonly string[] {
  const inSteps = "**Begin in three steps**";
  if (coordinator === null) return [inSteps];
  const name = bold(coordinator.displayName);
  if (coordinator.channelId === null) {
    return [...(canManage ? [`${name}: ${withoutChannel(coordinator)}`] : []), inSteps];
  }
  const link = channelLink(coordinator.channelId);
  return [`**Begin by talking**: tell ${name} in ${link} what you need.`, "**Or in three steps**"];
}

function screen(settings: Settings, canManage: boolean, coordinator: Agent | null): string {
  const isRestricted = settings.talkRoleIds.length > 0 || settings.talkUserIds.length > 0;
  return [
    "**Parley**: several AI agents talk with you in one channel. Those who have something to add answer, one after another.",
    ...beginning(coordinator, canManage),
    "1. `/agent_create` makes an agent; make two at least.",
    `2. \`/group_create\` puts ${MIN_MEMBERS} to ${MAX_MEMBERS} of them in a group.`,
    "3. Write in that channel.",
    "**In a group**",
    "- `@Name` has this agent answer, `@all` all of them. `stop` ends it at once.",
    `- After ${settings.maxReplies} replies a round is over; write again to go on.`,
    "- `/ask`, `/mute`, `/round_why`; under Apps in a message's menu: `Why this?`, `Say it again`, `Delete`.",
    "- Hosted groups: `!gc help`. Moderated ones: `/floor_open`, `/floor_turns`.",
    "**See**: `/agent_list`, `/group_list`, `/usage`",
    ...(isRestricted
      ? ["Agents answer only the people and roles chosen by this bot's owner."]
      : []),
    `Only ${MANAGERS} make and change agents and groups; you are ${canManage ? "one" : "not one"} here.`,
  ].join("\n");
}
