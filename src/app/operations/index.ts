/** Every operation, in the order in which people meet them. */
import { agentCreate } from "./agentCreate.js";
import { agentGet } from "./agentGet.js";
import { agentList } from "./agentList.js";
import { agentUpdate } from "./agentUpdate.js";
import { ask } from "./ask.js";
import { groupCreate } from "./groupCreate.js";
import { groupList } from "./groupList.js";
import { groupUpdate } from "./groupUpdate.js";
import { help } from "./help.js";
import { mute } from "./mute.js";
import type { Operation } from "./operation.js";
import { roundPreview } from "./roundPreview.js";
import { roundStop } from "./roundStop.js";
import { roundWhy } from "./roundWhy.js";
import { unmute } from "./unmute.js";

export const operations: readonly Operation[] = [
  help,
  agentCreate,
  agentUpdate,
  agentGet,
  agentList,
  groupCreate,
  groupUpdate,
  groupList,
  roundStop,
  roundWhy,
  roundPreview,
  ask,
  mute,
  unmute,
];
