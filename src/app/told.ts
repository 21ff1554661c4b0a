import type { AgentId } from "../domain/ids.js";
import type { Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/**
 * Whether people have been told something that they are told once. `mine`: who asks, and tells them
 * if they have not. It is stored with that, so that a restart tells them too.
 */
export async function isTold(
  { storage }: Pick<Services, "storage">,
  key: string,
  mine: string,
): Promise<boolean> {
  const told = await storage.settings.get(key);
  if (told === null) await storage.settings.set(key, mine);
  return told !== null && told !== mine;
}

/** Whether people know that an agent's model takes no tools: told by a round, once for each agent and model. */
export function isToldOfTools(
  services: Pick<Services, "storage">,
  { id }: Round,
  agentId: AgentId,
  model: string,
): Promise<boolean> {
  return isTold(services, `no tools ${agentId} ${model}`, id);
}
