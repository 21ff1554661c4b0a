/** What the buttons under messages do, by the name in their id: `<name>:<argument>`. */

import { heardByButton } from "../src/app/operations/gcHeard.js";
import { runOperation } from "../src/app/operations/operation.js";
import { roundStop } from "../src/app/operations/roundStop.js";
import { explainByButton, whyByButton } from "../src/app/operations/roundWhy.js";
import type { ButtonHandler } from "./handlers.js";

export const buttons: ReadonlyMap<string, ButtonHandler> = new Map<string, ButtonHandler>([
  ["stop", (context) => runOperation(roundStop, context, {})],
  ["why", whyByButton],
  ["explain", explainByButton],
  ["heard", heardByButton],
]);
