/**
 * A tool may have run before the process died, without its result having been written down. When it
 * is refused the second time because it has been done, that is no refusal: it is looked up whether
 * exactly what was asked for is there.
 */
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { deriveName, stripAt } from "../../domain/names.js";
import { giveTask } from "../openingTask.js";
import { idsIn, placeOfChat, venueIn } from "../operations/gcPlace.js";
import type { OperationContext } from "../operations/operation.js";
import { bold, channelLink } from "../operations/show.js";

/** What the tool would have said, or null when it was not done. */
export async function doneBefore(
  context: OperationContext,
  tool: string,
  given: Readonly<Record<string, unknown>>,
  sinceMs: number,
): Promise<string | null> {
  switch (tool) {
    case "agent_create": {
      const agent = await named<Agent>(context.storage.agents, context, given);
      const isAsked =
        agent !== null &&
        agent.createdAtMs >= sinceMs &&
        agent.displayName === textOf(given, "display_name")?.trim() &&
        agent.prompt === textOf(given, "prompt")?.trim();
      if (!isAsked) return null;
      const task = textOf(given, "task")?.trim();
      if (task !== undefined && task !== "") await giveTaskAgain(context, agent, task);
      return ready(agent);
    }
    case "group_create": {
      const group = await named<Group>(context.storage.groups, context, given);
      const isAsked =
        group !== null &&
        group.createdAtMs >= sinceMs &&
        group.displayName === textOf(given, "display_name")?.trim() &&
        (await haveSameMembers(context, group, given));
      return isAsked ? ready(group) : null;
    }
    case "archive":
      return (await archivedAtOf(context, given)) >= sinceMs
        ? `${calledIn(given)} is archived.`
        : null;
    case "restore":
      return (await archivedAtOf(context, given)) === ACTIVE ? `${calledIn(given)} is back.` : null;
    case "gc_join":
      return (await isInChat(context, given)) === true
        ? `${await self(context)} has joined.`
        : null;
    case "gc_leave":
      return (await isInChat(context, given)) === false ? `${await self(context)} has left.` : null;
    default:
      return null;
  }
}

/** Whether the agent that acts is in the chat that was named; null: neither. */
async function isInChat(
  context: OperationContext,
  given: Readonly<Record<string, unknown>>,
): Promise<boolean | null> {
  const { actingAgentId } = context;
  const { channelId } = await placeOfChat(context, textOf(given, "chat"));
  const venue = await venueIn(context, channelId);
  if (actingAgentId === undefined || venue.kind === "agent") return null;
  return idsIn(venue).includes(actingAgentId);
}

async function self({ storage, actingAgentId }: OperationContext): Promise<string> {
  const agent = actingAgentId === undefined ? null : await storage.agents.get(actingAgentId);
  return bold(agent?.displayName ?? "It");
}

/** It may not have been given before the end; a task that stands in the channel is not given twice. */
async function giveTaskAgain(context: OperationContext, agent: Agent, task: string): Promise<void> {
  const chain = await context.chainForTask?.(task);
  if (chain !== "over") await giveTask(context, agent, task, chain ?? null);
}

function calledIn(given: Readonly<Record<string, unknown>>): string {
  return bold(stripAt(textOf(given, "name") ?? ""));
}

const ACTIVE = -1;

/** When what is called so was archived; `ACTIVE`: it is not, or there is none. */
async function archivedAtOf(
  { storage, asker }: OperationContext,
  given: Readonly<Record<string, unknown>>,
): Promise<number> {
  const name = stripAt(textOf(given, "name") ?? "");
  const agent = await storage.agents.find(asker.guildId, name);
  const group = await storage.groups.find(asker.guildId, name);
  return Math.max(agent?.archivedAtMs ?? ACTIVE, group?.archivedAtMs ?? ACTIVE);
}

async function named<One>(
  store: { find(guildId: OperationContext["asker"]["guildId"], name: string): Promise<One | null> },
  { asker }: OperationContext,
  given: Readonly<Record<string, unknown>>,
): Promise<One | null> {
  const name = textOf(given, "name") ?? deriveName(textOf(given, "display_name") ?? "");
  return store.find(asker.guildId, name);
}

async function haveSameMembers(
  { storage, asker }: OperationContext,
  group: Group,
  given: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const wanted = given["members"];
  if (!Array.isArray(wanted)) return false;
  const found = await Promise.all(
    wanted.map((name) => storage.agents.find(asker.guildId, stripAt(String(name)))),
  );
  const ids = found.map((agent) => agent?.id);
  return ids.length === group.members.length && group.members.every((id) => ids.includes(id));
}

function ready({ displayName, channelId }: Agent | Group): string {
  return `${bold(displayName)} is ready: ${channelLink(channelId)}.`;
}

function textOf(given: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = given[field];
  return typeof value === "string" ? value : undefined;
}
