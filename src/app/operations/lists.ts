/** Agents and groups one below the other, short enough for the screen of a phone. */
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { channelLink, plain, withoutChannel } from "./show.js";

export const NO_AGENTS = "None yet. `/agent_create` makes the first one.";
export const NO_GROUPS = "None yet. `/group_create` puts agents in a group.";

/** A heading over its lines, or over what is said when there are none. */
export function section(heading: string, lines: readonly string[], none: string): string {
  return [`**${heading}**`, ...(lines.length === 0 ? [none] : lines)].join("\n");
}

/** `- Researcher (researcher) <#1>`; those that are archived come last, in one line. */
export function agentLines(agents: readonly Agent[]): readonly string[] {
  const lines = agents
    .filter(isActive)
    .map((agent) =>
      agent.channelId === null
        ? `- ${nameOf(agent)}: ${withoutChannel(agent)}`
        : `- ${nameOf(agent)} ${channelLink(agent.channelId)}`,
    );
  return [...lines, ...archivedLine(agents)];
}

/** `- Review (review) <#2>, open: Researcher, Editor (host)`. */
export function groupLines(groups: readonly Group[], agents: readonly Agent[]): readonly string[] {
  const lines = groups.filter(isActive).map((group) => {
    const members = group.members.flatMap((id) => {
      const agent = agents.find((one) => one.id === id);
      return agent === undefined ? [] : [memberName(agent, group)];
    });
    return `- ${nameOf(group)} ${channelLink(group.channelId)}, ${group.kind}: ${members.join(", ")}`;
  });
  return [...lines, ...archivedLine(groups)];
}

function memberName(agent: Agent, group: Group): string {
  const marks = [
    agent.id === group.hostId ? "host" : null,
    group.muted.includes(agent.id) ? "muted" : null,
  ].filter((mark) => mark !== null);
  return marks.length === 0
    ? plain(agent.displayName)
    : `${plain(agent.displayName)} (${marks.join(", ")})`;
}

function archivedLine(all: readonly (Agent | Group)[]): readonly string[] {
  const archived = all.filter((one) => !isActive(one));
  return archived.length === 0 ? [] : [`-# Archived: ${archived.map(nameOf).join(", ")}`];
}

function isActive(one: Agent | Group): boolean {
  return one.archivedAtMs === null;
}

/** The permanent name is shown where it is not plain from the display name. */
function nameOf({ name, displayName }: Agent | Group): string {
  return displayName.toLowerCase() === name
    ? plain(displayName)
    : `${plain(displayName)} (\`${name}\`)`;
}
