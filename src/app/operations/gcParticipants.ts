import type { AgentId } from "../../domain/ids.js";
import type { Owed } from "../../ports/words.js";
import { memberArchived } from "./claim.js";
import type { Venue } from "./gcPlace.js";
import type { OperationContext } from "./operation.js";

type Chat = Extract<Venue, { kind: "chat" }>;

/** Stores who takes part beside the host: of a hosted group as its members. What is `owed` is stored with it. */
export async function storeParticipants(
  { storage, topics, departures }: Pick<OperationContext, "storage" | "topics" | "departures">,
  { chat, group }: Chat,
  participants: readonly AgentId[],
  owed: Owed,
): Promise<void> {
  if (group === null) {
    await storage.hostedChats.setParticipants(chat.channelId, participants, owed);
    departures.changed(chat.channelId, chat.participants, participants);
    return;
  }
  const members = group.members.filter((id) => id === chat.hostId || participants.includes(id));
  const added = participants.filter((id) => !members.includes(id));
  const change = { members: [...members, ...added] };
  const conflict = await storage.groups.update(group.id, change, owed);
  if (conflict !== null) throw memberArchived();
  departures.changed(chat.channelId, chat.participants, participants);
  topics.groupChanged(group.id);
}
