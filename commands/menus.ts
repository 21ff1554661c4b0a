/** Entries in the context menu of messages. */
import { deleteReply } from "../src/app/deleteReply.js";
import type { MessageMenu } from "../src/app/operations/handlers.js";
import { runOperation } from "../src/app/operations/operation.js";
import { roundWhy } from "../src/app/operations/roundWhy.js";
import { sayAgain } from "../src/app/sayAgain.js";

export const menus: readonly MessageMenu[] = [
  {
    name: "Why this?",
    run: (context, message) => runOperation(roundWhy, context, { message }),
  },
  { name: "Delete", run: deleteReply },
  { name: "Say it again", run: sayAgain },
];
