import { refusal } from "../errors.js";
import type { InteractionRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import { param, type RestContext } from "./context.js";

/** An interaction may be answered for this long: https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages */
const TOKEN_LIFE_MS = 15 * 60_000;

/** The interaction whose token the path carries, when it is an interaction's path. */
export function interactionOf(world: World, c: RestContext): InteractionRecord | undefined {
  if (c.req.param("webhook") !== world.application.id) return undefined;
  const token = param(c, "token");
  const found = [...world.interactions.values()].find((other) => other.token === token);
  if (!found) throw refusal("invalidWebhookToken");
  if (world.clock.now() - found.createdAtMs > TOKEN_LIFE_MS) throw refusal("invalidWebhookToken");
  return found;
}
