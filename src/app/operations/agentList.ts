import { z } from "zod";
import { agentLines, groupLines, NO_AGENTS, NO_GROUPS, section } from "./lists.js";
import { defineOperation } from "./operation.js";

/** Shows the agents and groups of the server with their channels. */
export const agentList = defineOperation({
  name: "agent_list",
  description: "Show the agents and groups of this server with their channels",
  permission: "anyone",
  input: z.object({}),
  async run({ storage, asker }) {
    const [agents, groups] = await Promise.all([
      storage.agents.list(asker.guildId),
      storage.groups.list(asker.guildId),
    ]);
    const parts = [
      section("Agents", agentLines(agents), NO_AGENTS),
      section("Groups", groupLines(groups, agents), NO_GROUPS),
    ];
    return { text: parts.join("\n\n") };
  },
});
