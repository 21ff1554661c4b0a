import type { AgentId } from "../domain/ids.js";
import type { Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/**
 * Whether people know that an agent's model takes no tools: they are told once for each agent and
 * model. That they will be is stored with the round that says it, so that a restart says it too.
 */
export async function isToldOfTools(
  { storage }: Services,
  { id }: Round,
  agentId: AgentId,
  model: string,
): Promise<boolean> {
  const key = `no tools ${agentId} ${model}`;
  const told = await storage.settings.get(key);
  if (told === null) await storage.settings.set(key, id);
  return told !== null && told !== id;
}
