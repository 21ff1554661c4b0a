/** Agents and groups as people name them: by name or display name, in any case, with or without `@`. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { displayNameKey, findNamed, stripAt } from "../../domain/names.js";
import type { OperationContext } from "./operation.js";
import { isArchived } from "./refusals.js";
import { bold, quoted } from "./show.js";

export type LookupContext = Pick<OperationContext, "storage" | "asker">;

/** Also when it is archived. */
export async function anyAgent({ storage, asker }: LookupContext, text: string): Promise<Agent> {
  assertGiven("agent", text);
  const agent = await storage.agents.find(asker.guildId, stripAt(text));
  if (agent === null) throw new UserError("unknown", `There is no agent called ${quoted(text)}.`);
  return agent;
}

export async function activeAgent(context: LookupContext, text: string): Promise<Agent> {
  const agent = await anyAgent(context, text);
  if (agent.archivedAtMs !== null) {
    throw isArchived(agent);
  }
  return agent;
}

/** Also when it is archived. */
export async function anyGroup({ storage, asker }: LookupContext, text: string): Promise<Group> {
  assertGiven("group", text);
  const group = await storage.groups.find(asker.guildId, stripAt(text));
  if (group === null) throw new UserError("unknown", `There is no group called ${quoted(text)}.`);
  return group;
}

export async function activeGroup(context: LookupContext, text: string): Promise<Group> {
  const group = await anyGroup(context, text);
  if (group.archivedAtMs !== null) {
    throw isArchived(group);
  }
  return group;
}

/** One that is archived, although another one may be called so by now. */
export async function archivedAgent(
  { storage, asker }: LookupContext,
  text: string,
): Promise<Agent> {
  return archivedAmong("agent", await storage.agents.list(asker.guildId), text);
}

export async function archivedGroup(
  { storage, asker }: LookupContext,
  text: string,
): Promise<Group> {
  return archivedAmong("group", await storage.groups.list(asker.guildId), text);
}

/**
 * Of several with one display name, the one that was archived last; but who gives the permanent
 * name of one that is there means that one.
 */
function archivedAmong<One extends Agent | Group>(
  kind: "agent" | "group",
  all: readonly One[],
  text: string,
): One {
  assertGiven(kind, text);
  const archived = all
    .filter((one) => one.archivedAtMs !== null)
    .toSorted((a, b) => (b.archivedAtMs ?? 0) - (a.archivedAtMs ?? 0));
  const found = findNamed(text, archived);
  const active = findNamed(
    text,
    all.filter((one) => one.archivedAtMs === null),
  );
  const isMeant =
    active !== undefined &&
    active.name === stripAt(text).toLowerCase() &&
    found !== undefined &&
    displayNameKey(found.displayName) === displayNameKey(active.displayName);
  if (found !== undefined && !isMeant) return found;
  if (active === undefined) {
    throw new UserError("unknown", `There is no ${kind} called ${quoted(text)}.`);
  }
  const other = found === undefined ? "" : ` The archived one of this name is \`${found.name}\`.`;
  throw new UserError("conflict", `${bold(active.displayName)} is not archived.${other}`);
}

function assertGiven(kind: "agent" | "group", text: string): void {
  if (stripAt(text) !== "") return;
  throw new UserError("invalid", `Which ${kind}? Give its name.`);
}
