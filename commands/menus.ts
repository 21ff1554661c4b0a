/** Entries in the context menu of messages. */
import type { MessageMenu } from "../src/adapters/discord/interactions/handlers.js";

export const menus: readonly MessageMenu[] = [];
