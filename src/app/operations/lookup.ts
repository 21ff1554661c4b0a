/** Agents and groups as people name them: by name or display name, in any case, with or without `@`. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { stripAt } from "../../domain/names.js";
import type { OperationContext } from "./operation.js";
import { bold, quoted } from "./show.js";

export type LookupContext = Pick<OperationContext, "storage" | "asker">;

/** Also when it is archived. */
export async function anyAgent({ storage, asker }: LookupContext, text: string): Promise<Agent> {
  const agent = await storage.agents.find(asker.guildId, stripAt(text));
  if (agent === null) throw new UserError("unknown", `There is no agent called ${quoted(text)}.`);
  return agent;
}

export async function activeAgent(context: LookupContext, text: string): Promise<Agent> {
  const agent = await anyAgent(context, text);
  if (agent.archivedAtMs !== null) {
    throw new UserError("conflict", `${bold(agent.displayName)} is archived.`);
  }
  return agent;
}

export async function activeGroup({ storage, asker }: LookupContext, text: string): Promise<Group> {
  const group = await storage.groups.find(asker.guildId, stripAt(text));
  if (group === null) throw new UserError("unknown", `There is no group called ${quoted(text)}.`);
  if (group.archivedAtMs !== null) {
    throw new UserError("conflict", `The group ${bold(group.displayName)} is archived.`);
  }
  return group;
}
