/** Commands that change the same agent or group are done one after another, each on what the one before left. */
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import type { Services } from "../services.js";

/**
 * Finds what is to be changed, waits for its turn, and finds it again: by then it may be another
 * one, or none that `find` accepts.
 */
export async function inTurn<One extends Agent | Group, T>(
  context: Pick<Services, "exclusive">,
  find: () => Promise<One>,
  change: (owner: One) => Promise<T>,
): Promise<T> {
  const { id } = await find();
  const outcome = await context.exclusive.run(id, async () => {
    const owner = await find();
    return owner.id === id ? { value: await change(owner) } : null;
  });
  return outcome === null ? inTurn(context, find, change) : outcome.value;
}

/** While its channel is neither moved, nor changed by those who take part there. */
export async function withChannel<T>(
  { exclusive }: Pick<Services, "exclusive">,
  { channelId }: Pick<Agent | Group, "channelId">,
  work: () => Promise<T>,
): Promise<T> {
  return channelId === null ? work() : exclusive.run(channelId, work);
}
