/** The open group whose channel or thread a person is in, and its members as people name them. */
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { findNamed } from "../../domain/names.js";
import { activeAgent } from "./lookup.js";
import type { OperationContext } from "./operation.js";
import { isArchived, noMember, wrongChannel, wrongKind } from "./refusals.js";

export async function openGroupHere({
  storage,
  place,
}: Pick<OperationContext, "storage" | "place">): Promise<Group> {
  const group = await storage.groups.byChannel(place.channelId);
  if (group === null) {
    throw wrongChannel("an open group");
  }
  if (group.archivedAtMs !== null) {
    throw isArchived(group);
  }
  if (group.kind !== "open") {
    throw wrongKind(group, "open groups");
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
  throw noMember(await activeAgent(context, text), group);
}
