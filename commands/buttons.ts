/** What the buttons under messages do, by the name in their id: `<name>:<argument>`. */
import type { ButtonHandler } from "../src/adapters/discord/interactions/handlers.js";
import { runOperation } from "../src/app/operations/operation.js";
import { roundStop } from "../src/app/operations/roundStop.js";

export const buttons: ReadonlyMap<string, ButtonHandler> = new Map<string, ButtonHandler>([
  ["stop", (context) => runOperation(roundStop, context, {})],
]);
