/** Entries in the context menu of messages. */
import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
} from "discord.js";
import { deleteReply } from "../src/app/deleteReply.js";
import { runOperation } from "../src/app/operations/operation.js";
import { roundWhy } from "../src/app/operations/roundWhy.js";
import { sayAgain } from "../src/app/sayAgain.js";
import type { MessageMenu } from "./handlers.js";

const IN_SERVERS = {
  type: ApplicationCommandType.Message,
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
} as const satisfies Partial<MessageMenu["data"]>;

export const menus: readonly MessageMenu[] = [
  {
    data: { name: "Why this?", ...IN_SERVERS },
    run: (context, message) => runOperation(roundWhy, context, { message }),
  },
  { data: { name: "Delete", ...IN_SERVERS }, run: deleteReply },
  { data: { name: "Say it again", ...IN_SERVERS }, run: sayAgain },
];
