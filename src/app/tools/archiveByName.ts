/** Archiving and restoring by one name, whether it is an agent's or a group's. */
import { z } from "zod";
import { stripAt } from "../../domain/names.js";
import { agentArchive } from "../operations/agentArchive.js";
import { agentRestore } from "../operations/agentRestore.js";
import { text } from "../operations/fields.js";
import { groupArchive } from "../operations/groupArchive.js";
import { groupRestore } from "../operations/groupRestore.js";
import { anyAgent, type LookupContext } from "../operations/lookup.js";
import { defineOperation, runOperation } from "../operations/operation.js";

const input = z.object({
  name: text({ description: "The agent or group, by name or display name" }),
});

export const archive = defineOperation({
  name: "archive",
  description: "Archive an agent or a group: it answers no more, and nothing is deleted",
  permission: "manager",
  input,
  run: async (context, { name }) =>
    (await kindOf(context, name, false)) === "group"
      ? runOperation(groupArchive, context, { group: name })
      : runOperation(agentArchive, context, { agent: name }),
});

export const restore = defineOperation({
  name: "restore",
  description: "Bring back an agent or a group that is archived",
  permission: "manager",
  input,
  run: async (context, { name }) =>
    (await kindOf(context, name, true)) === "group"
      ? runOperation(groupRestore, context, { group: name })
      : runOperation(agentRestore, context, { agent: name }),
});

/**
 * An agent and a group may have the same display name: the one that is (not) archived is meant,
 * then the one with this permanent name, then the agent.
 */
async function kindOf(
  context: LookupContext,
  name: string,
  isArchived: boolean,
): Promise<"agent" | "group"> {
  const { storage, asker } = context;
  const wanted = stripAt(name);
  const group = await storage.groups.find(asker.guildId, wanted);
  if (group === null) return "agent";
  const agent = await anyAgent(context, name).catch(() => null);
  if (agent === null) return "group";
  const fits = (one: { readonly archivedAtMs: number | null }) =>
    (one.archivedAtMs !== null) === isArchived;
  if (fits(group) !== fits(agent)) return fits(group) ? "group" : "agent";
  return group.name === wanted.toLowerCase() ? "group" : "agent";
}
