import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { text } from "./fields.js";
import { anyAgent } from "./lookup.js";
import { defineOperation, type OperationContext } from "./operation.js";
import { bold, channelLink, codeBlock, plain } from "./show.js";

/** Shows everything about one agent, an archived one too. */
export const agentGet = defineOperation({
  name: "agent_get",
  description: "Show one agent in full, with its role",
  permission: "anyone",
  input: z.object({
    agent: text({ description: "The agent, by name or display name", suggests: "agent" }),
  }),
  async run(context, given) {
    const agent = await anyAgent(context, given.agent);
    const { groups, archive } = context.storage;
    const present = await groups.withMember(agent.id);
    const left = agent.archivedAtMs === null ? [] : await archive.leftGroups(agent.id);
    return {
      text: shown(
        agent,
        present,
        left.map(({ group }) => group),
        context,
      ),
    };
  },
});

function shown(
  agent: Agent,
  groups: readonly Group[],
  left: readonly Group[],
  { settings }: Pick<OperationContext, "settings">,
): string {
  const hosted = groups.filter((group) => group.hostId === agent.id);
  const lines = [
    `${bold(agent.displayName)} (\`${agent.name}\`)${agent.archivedAtMs === null ? "" : ", archived"}`,
    `Model: ${agent.model === null ? `${plain(settings.model)} (the default)` : plain(agent.model)}`,
    `Category: ${plain(agent.category)}`,
    `Channel: ${channelLink(agent.channelId)}`,
    `Groups: ${namesOf(groups)}`,
    `Host of: ${namesOf(hosted)}`,
    ...(left.length === 0 ? [] : [`Was in, before it was archived: ${namesOf(left)}`]),
    "Role:",
    codeBlock(agent.prompt),
    agent.picture === null ? "No picture" : `[Picture](${agent.picture.url})`,
  ];
  return lines.join("\n");
}

function namesOf(groups: readonly Group[]): string {
  if (groups.length === 0) return "none";
  return groups
    .map((group) => `${plain(group.displayName)} ${channelLink(group.channelId)}`)
    .join(", ");
}
