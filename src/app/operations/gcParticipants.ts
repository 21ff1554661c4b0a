import type { AgentId } from "../../domain/ids.js";
import { memberArchived } from "./claim.js";
import type { Venue } from "./gcPlace.js";
import type { OperationContext } from "./operation.js";

type Chat = Extract<Venue, { kind: "chat" }>;

/** Stores who takes part beside the host: of a hosted group as its members. */
export async function storeParticipants(
  { storage, topics, departures }: Pick<OperationContext, "storage" | "topics" | "departures">,
  { chat, group }: Chat,
  participants: readonly AgentId[],
): Promise<void> {
  if (group === null) {
    await storage.hostedChats.setParticipants(chat.channelId, participants);
    departures.changed(chat.channelId, chat.participants, participants);
    return;
  }
  const members = group.members.filter((id) => id === chat.hostId || participants.includes(id));
  const added = participants.filter((id) => !members.includes(id));
  const conflict = await storage.groups.update(group.id, { members: [...members, ...added] });
  if (conflict !== null) throw memberArchived();
  departures.changed(chat.channelId, chat.participants, participants);
  topics.groupChanged(group.id);
}
