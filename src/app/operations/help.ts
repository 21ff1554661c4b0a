import { z } from "zod";
import { type Agent, COORDINATOR } from "../../domain/agent.js";
import { MAX_MEMBERS, MIN_MEMBERS } from "../../domain/limits.js";
import type { Settings } from "../services.js";
import { defineOperation, isManager, type OperationContext } from "./operation.js";
import { bold, channelLink } from "./show.js";

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

/** The place to begin, as long as there is one. */
async function coordinatorOf({ storage, asker }: OperationContext): Promise<Agent | null> {
  const agent = await storage.agents.find(asker.guildId, COORDINATOR);
  const isOpen = agent?.name === COORDINATOR && agent.archivedAtMs === null;
  return isOpen && agent.channelId !== null ? agent : null;
}

function screen(settings: Settings, canManage: boolean, coordinator: Agent | null): string {
  const isRestricted = settings.talkRoleIds.length > 0 || settings.talkUserIds.length > 0;
  return [
    "**Parley** lets several AI agents talk with you in one channel. You write one message, and those who have something to add answer, one after another, each under its own name and picture.",
    "",
    ...(coordinator === null
      ? []
      : [
          `**Begin by talking**: tell ${bold(coordinator.displayName)} in ${channelLink(coordinator.channelId)} what you need, in your own words. Every agent answers in its own channel, and can do there what you may do yourself.`,
          "",
        ]),
    coordinator === null ? "**Begin in three steps**" : "**Or in three steps**",
    "1. `/agent_create` makes an agent from a display name and a role, such as “You check facts and name your sources.” Make two at least.",
    `2. \`/group_create\` puts ${MIN_MEMBERS} to ${MAX_MEMBERS} agents in a group, which gets a channel of its own.`,
    "3. Write in that channel.",
    "",
    "**In a group**",
    "- `@Name` in your message makes sure that this agent answers, and `@all` that all of them do. Replying to an agent's message does the same.",
    `- Agents hand the word to each other with \`@Name\` too. After ${settings.maxReplies} replies a round is over; write again to go on.`,
    "- A message that is just `stop` ends the round at once.",
    "- `/ask` puts a question to one member alone; `/mute` silences a member, and `/unmute` brings it back.",
    "- In a group of the kind `moderated` nobody speaks until `/floor_turns` gives turns; `/floor_vote` holds a vote, and `/floor_moderate` lets the host do it all.",
    "- In the menu of an agent's message, under Apps, are `Why this?`, `Say it again` and `Delete`; `/usage` shows the tokens.",
    "- In a hosted group only the host answers, after the others have told it what they think; `!gc help` shows how they come and go.",
    "",
    "**See and change**",
    "`/agent_list`, `/agent_get` and `/group_list` show what there is; `/agent_update` and `/group_update` change it. `/agent_archive` and `/group_archive` put away what is not needed; `/agent_restore` and `/group_restore` bring it back.",
    "",
    "**Who may do what**",
    isRestricted
      ? "Agents answer only the people and roles that whoever runs this bot has chosen."
      : "Anyone who can write in a group's channel can talk with its agents, and stop them.",
    `Making and changing agents and groups takes the permission Manage Channels, or a role set for it. ${canManage ? "You can do it here." : "You cannot do it here; ask somebody who can."}`,
  ].join("\n");
}
