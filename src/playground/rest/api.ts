import { refusal } from "../errors.js";
import type { World } from "../world/world.js";
import { channelRoutes } from "./channels.js";
import { commandRoutes } from "./commands.js";
import type { RestApp } from "./context.js";
import { emojiRoutes } from "./emojis.js";
import { gatewayInfoRoutes, type IdentifyBudget } from "./gatewayInfo.js";
import { guildRoutes, userRoutes } from "./guilds.js";
import { interactionRoutes } from "./interactions.js";
import { messageRoutes } from "./messages.js";
import { pinRoutes } from "./pins.js";
import { createRestApp, type PipelineOptions } from "./pipeline.js";
import { reactionRoutes } from "./reactions.js";
import { threadRoutes } from "./threads.js";
import { webhookMessageRoutes } from "./webhookMessages.js";
import { webhookRoutes } from "./webhooks.js";

/** Every route of REST v10 that the server speaks. */
export function createApi(
  options: PipelineOptions & {
    readonly gatewayUrl: () => string;
    readonly identifyBudget: IdentifyBudget;
  },
): RestApp {
  const app = createRestApp(options);
  const { world } = options;
  const routes: readonly ((app: RestApp, world: World) => void)[] = [
    userRoutes,
    guildRoutes,
    channelRoutes,
    // Pins before messages: `pins` would pass for a message's id.
    pinRoutes,
    messageRoutes,
    reactionRoutes,
    threadRoutes,
    emojiRoutes,
    webhookRoutes,
    webhookMessageRoutes,
    commandRoutes,
    interactionRoutes,
  ];
  gatewayInfoRoutes(app, world, { url: options.gatewayUrl, budget: options.identifyBudget });
  for (const add of routes) add(app, world);
  app.all("*", () => {
    throw refusal("notFound");
  });
  return app;
}
