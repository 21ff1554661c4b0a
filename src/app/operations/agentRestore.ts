import { z } from "zod";
import { COORDINATOR } from "../../domain/agent.js";
import { listOf } from "../../domain/notices.js";
import { agentTopic } from "../../domain/topic.js";
import type { LeftGroup } from "../../ports/storage.js";
import { houseCoordinator } from "../coordinator.js";
import { allOrNothing, type Done } from "./allOrNothing.js";
import {
  bringChannelBack,
  broughtBackTo,
  changedMeanwhile,
  displayNameGiven,
} from "./bringBack.js";
import { hasDisplayName, storeOnce } from "./claim.js";
import { text } from "./fields.js";
import { anyAgent, archivedAgent } from "./lookup.js";
import { type Answer, defineOperation, type OperationContext } from "./operation.js";
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
    const coordinator = await anyAgent(context, given.agent);
    if (coordinator.name === COORDINATOR && coordinator.archivedAtMs === null) {
      const housed = await houseCoordinator(context, coordinator);
      const name = bold(coordinator.displayName);
      return {
        text: housed.isNew
          ? `${name} is back, ${broughtBackTo(housed)}.`
          : `${name} is not archived: it is ${broughtBackTo(housed)}.`,
      };
    }
    return allOrNothing(context, (done) => restore(context, given, done));
  },
});

async function restore(
  context: OperationContext,
  given: z.output<typeof input>,
  done: Done,
): Promise<Answer> {
  const { storage, topics, log, asker } = context;
  const agent = await archivedAgent(context, given.agent);
  const { id, displayName } = agent;
  if (hasDisplayName(await storage.agents.list(asker.guildId), displayName)) {
    throw displayNameGiven("agent", displayName);
  }
  const back = await bringChannelBack(context, agent, agentTopic(displayName, agent.prompt), done);
  const conflict = await storeOnce(
    () => storage.archive.restoreAgent(id, back.channelId),
    async () => (await storage.agents.get(id))?.archivedAtMs === null,
  );
  if (conflict === "displayName") throw displayNameGiven("agent", displayName);
  if (conflict === "changed") throw changedMeanwhile(displayName);
  log.info({ agentId: id, by: asker.userId }, "an agent was restored");
  topics.agentChanged(id);
  const lines = [
    `${bold(displayName)} is back, ${broughtBackTo(back)}.`,
    ...leftLines(await storage.archive.leftGroups(id)),
  ];
  return { text: lines.join("\n") };
}

/** Memberships do not come back by themselves. */
function leftLines(left: readonly LeftGroup[]): readonly string[] {
  const groups = left.map(({ group }) => group);
  const going = groups.filter((group) => group.archivedAtMs === null);
  const archived = groups.filter((group) => group.archivedAtMs !== null);
  const names = (list: typeof groups) => listOf(list.map((group) => bold(group.displayName)));
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
