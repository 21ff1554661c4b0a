import { z } from "zod";
import { type Agent, COORDINATOR } from "../../domain/agent.js";
import { displayNameKey, stripAt } from "../../domain/names.js";
import { listOf } from "../../domain/phrases.js";
import { agentTopic } from "../../domain/topic.js";
import type { LeftGroup } from "../../ports/storage.js";
import { beginWithCoordinator, houseCoordinator } from "../coordinator.js";
import { bringBack, broughtBackTo, type Return } from "./bringBack.js";
import { text } from "./fields.js";
import { anyAgent, archivedAgent } from "./lookup.js";
import { defineOperation, type OperationContext } from "./operation.js";
import { bold } from "./show.js";

const input = z.object({
  agent: text({ description: "The agent, by name or display name", suggests: "archivedAgent" }),
});

/** Brings an agent back, in no group; and the coordinator, which is never archived, its channel. */
export const agentRestore = defineOperation({
  name: "agent_restore",
  description: "Bring an archived agent back, with its channel",
  permission: "manager",
  input,
  async run(context, given) {
    const { storage, asker } = context;
    const isMissing = (await storage.agents.find(asker.guildId, COORDINATOR)) === null;
    if (isMissing && displayNameKey(stripAt(given.agent)) === COORDINATOR) {
      await beginWithCoordinator(context, asker.guildId);
    }
    const coordinator = await anyAgent(context, given.agent);
    if (coordinator.name === COORDINATOR && coordinator.archivedAtMs === null) {
      const housed = await houseCoordinator(context, coordinator);
      const name = bold(coordinator.displayName);
      return {
        text: isMissing
          ? `${name} is there now, ${broughtBackTo(housed)}.`
          : housed.isNew
            ? `${name} is back, ${broughtBackTo(housed)}.`
            : `${name} is not archived: it is ${broughtBackTo(housed)}.`,
      };
    }
    return bringBack(context, {
      kind: "agent",
      find: () => archivedAgent(context, given.agent),
      rivals: () => storage.agents.list(asker.guildId),
      look: (id) => storage.agents.get(id),
      plan: async (agent) => returnOf(context, agent),
    });
  },
});

function returnOf(
  { storage, topics, log, asker }: OperationContext,
  { id, displayName, prompt }: Agent,
): Return {
  return {
    topic: agentTopic(displayName, prompt),
    store: (channelId) => storage.archive.restoreAgent(id, channelId),
    async say(back) {
      log.info({ agentId: id, by: asker.userId }, "an agent was restored");
      topics.agentChanged(id);
      const left = leftLines(await storage.archive.leftGroups(id));
      return {
        text: [`${bold(displayName)} is back, ${broughtBackTo(back)}.`, ...left].join("\n"),
      };
    },
  };
}

/** Memberships do not come back by themselves. */
function leftLines(left: readonly LeftGroup[]): readonly string[] {
  const groups = left.map(({ group }) => group);
  const going = groups.filter((group) => group.archivedAtMs === null);
  const archived = groups.filter((group) => group.archivedAtMs !== null);
  const names = (list: typeof groups) =>
    `the ${list.length === 1 ? "group" : "groups"} ${listOf(list.map((group) => bold(group.displayName)))}`;
  const lines: string[] = [];
  if (going.length > 0) {
    lines.push(`It was in ${names(going)} and is not any more; \`/group_update\` puts it back.`);
  }
  if (archived.length > 0) {
    const are = archived.length === 1 ? "which is" : "which are";
    lines.push(`It was in ${names(archived)}, ${are} archived; see \`/group_restore\`.`);
  }
  return lines;
}
