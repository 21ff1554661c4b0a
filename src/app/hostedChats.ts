import type { Agent } from "../domain/agent.js";
import { chatOfGroup, type HostedChat } from "../domain/hostedChat.js";
import type { AgentId, ChannelId, GroupId } from "../domain/ids.js";
import type { Services } from "./services.js";

/** The hosted chat of a channel: that of a hosted group, or one started in an agent's own channel. */
export async function hostedChatIn(
  { storage }: Pick<Services, "storage">,
  channelId: ChannelId,
): Promise<HostedChat | null> {
  const group = await storage.groups.byChannel(channelId);
  if (group !== null) return chatOfGroup(group);
  const chat = await storage.hostedChats.byChannel(channelId);
  if (chat === null) return null;
  const host = await storage.agents.get(chat.hostId);
  return host === null || host.archivedAtMs !== null ? null : chat;
}

/** What a chat is called: after its group, or after its host. */
export async function nameOfChat(
  { storage }: Pick<Services, "storage">,
  { groupId, hostId }: { readonly groupId: GroupId | null; readonly hostId: AgentId },
): Promise<string> {
  const group = groupId === null ? null : await storage.groups.get(groupId);
  if (group !== null) return group.displayName;
  const host = await storage.agents.get(hostId);
  return host?.displayName ?? "Group chat";
}

/** Host and participants that are not archived, the host first. */
export async function agentsOfChat(
  { storage }: Pick<Services, "storage">,
  { hostId, participants }: Pick<HostedChat, "hostId" | "participants">,
): Promise<readonly Agent[]> {
  const found = await Promise.all([hostId, ...participants].map((id) => storage.agents.get(id)));
  return found
    .filter((agent) => agent !== null)
    .filter(({ archivedAtMs }) => archivedAtMs === null);
}
