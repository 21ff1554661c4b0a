import type { RESTGetAPIGatewayBotResult, RESTGetAPIGatewayResult } from "discord-api-types/v10";
import type { World } from "../world/world.js";
import { answer, type RestApp, requireBot } from "./context.js";

const IDENTIFIES_A_DAY = 1000;

export interface IdentifyBudget {
  /** Sessions that may still be started today. */
  remaining(): number;
}

export function gatewayInfoRoutes(
  app: RestApp,
  world: World,
  gateway: { readonly url: () => string; readonly budget: IdentifyBudget },
): void {
  app.get("/gateway", (c) => answer<RESTGetAPIGatewayResult>(c, { url: gateway.url() }));

  app.get("/gateway/bot", (c) => {
    requireBot(c, world);
    return answer<RESTGetAPIGatewayBotResult>(c, {
      url: gateway.url(),
      shards: 1,
      session_start_limit: {
        total: IDENTIFIES_A_DAY,
        remaining: gateway.budget.remaining(),
        reset_after: 86_400_000,
        max_concurrency: 1,
      },
    });
  });
}
