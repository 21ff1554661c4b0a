import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { conversationOf } from "../../domain/message.js";
import { memberHere, openGroupHere } from "./here.js";
import { withChannel } from "./inTurn.js";
import type { OperationContext } from "./operation.js";

/** Mutes or unmutes a member of the group here. `isChanged`: it was not so already. */
export async function setMuted(
  context: OperationContext,
  given: string,
  isMuted: boolean,
): Promise<{ readonly group: Group; readonly agent: Agent; readonly isChanged: boolean }> {
  const { storage, topics } = context;
  const group = await openGroupHere(context);
  const agent = await memberHere(context, group, given);
  const isChanged = await withChannel(context, group, () =>
    storage.groups.setMuted(group.id, agent.id, isMuted),
  );
  if (isChanged) topics.groupChanged(group.id);
  return { group, agent, isChanged };
}

/** A round goes on with its members as they were when it began: a sentence while one is running. */
export function sinceWhen({
  mailboxes,
  place,
}: Pick<OperationContext, "mailboxes" | "place">): readonly string[] {
  return mailboxes.isBusy(conversationOf(place)) ? ["From the next round on."] : [];
}
