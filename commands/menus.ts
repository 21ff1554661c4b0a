/** Entries in the context menu of messages. */
import type { MessageMenu } from "./handlers.js";

export const menus: readonly MessageMenu[] = [];
