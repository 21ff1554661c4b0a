import { z } from "zod";
import { groupLines, NO_GROUPS, section } from "./lists.js";
import { defineOperation } from "./operation.js";

/** Shows the groups of the server with their members. */
export const groupList = defineOperation({
  name: "group_list",
  description: "Show the groups of this server with their members",
  permission: "anyone",
  input: z.object({}),
  async run({ storage, asker }) {
    const [agents, groups] = await Promise.all([
      storage.agents.list(asker.guildId),
      storage.groups.list(asker.guildId),
    ]);
    return { text: section("Groups", groupLines(groups, agents), NO_GROUPS) };
  },
});
