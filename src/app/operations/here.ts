/** The open group whose channel or thread a person is in, and its members as people name them. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { findNamed } from "../../domain/names.js";
import { activeAgent } from "./lookup.js";
import type { OperationContext } from "./operation.js";
import { aKind, bold } from "./show.js";

export async function openGroupHere({
  storage,
  place,
}: Pick<OperationContext, "storage" | "place">): Promise<Group> {
  const group = await storage.groups.byChannel(place.channelId);
  if (group === null) {
    throw new UserError("conflict", "Use this in a group's channel or thread.");
  }
  if (group.archivedAtMs !== null) {
    throw new UserError("conflict", `The group ${bold(group.displayName)} is archived.`);
  }
  if (group.kind !== "open") {
    throw new UserError(
      "conflict",
      `${bold(group.displayName)} is ${aKind(group.kind)} group; this works only in open groups.`,
    );
  }
  return group;
}

function isActive({ archivedAtMs }: Agent): boolean {
  return archivedAtMs === null;
}

/** The member that a person named. */
export async function memberHere(
  context: Pick<OperationContext, "storage" | "asker">,
  group: Group,
  text: string,
): Promise<Agent> {
  const found = await Promise.all(group.members.map((id) => context.storage.agents.get(id)));
  const members = found.filter((agent) => agent !== null).filter(isActive);
  const member = findNamed(text, members);
  if (member !== undefined) return member;
  const other = await activeAgent(context, text);
  throw new UserError(
    "unknown",
    `${bold(other.displayName)} is not a member of ${bold(group.displayName)}.`,
  );
}
