/** What the buttons under messages do, by the name in their id: `<name>:<argument>`. */

import { heardByButton } from "../src/app/operations/gcHeard.js";
import type { ButtonHandler } from "../src/app/operations/handlers.js";
import { stopByButton } from "../src/app/operations/roundStop.js";
import { explainByButton, whyByButton } from "../src/app/operations/roundWhy.js";

export const buttons: ReadonlyMap<string, ButtonHandler> = new Map<string, ButtonHandler>([
  ["stop", stopByButton],
  ["why", whyByButton],
  ["explain", explainByButton],
  ["heard", heardByButton],
]);
