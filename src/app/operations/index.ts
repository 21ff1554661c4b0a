/** Every operation, in the order in which people meet them. */
import { agentArchive } from "./agentArchive.js";
import { agentCreate } from "./agentCreate.js";
import { agentGet } from "./agentGet.js";
import { agentList } from "./agentList.js";
import { agentRestore } from "./agentRestore.js";
import { agentUpdate } from "./agentUpdate.js";
import { ask } from "./ask.js";
import { floorClose } from "./floorClose.js";
import { floorModerate } from "./floorModerate.js";
import { floorOpen } from "./floorOpen.js";
import { floorResults } from "./floorResults.js";
import { floorTurns } from "./floorTurns.js";
import { floorVote } from "./floorVote.js";
import { gcDebate, gcEnd, gcStart } from "./gcChat.js";
import { gcAdd, gcJoin, gcLeave, gcRemove } from "./gcMembers.js";
import { gcHelp, gcList, gcStatus } from "./gcShow.js";
import { groupArchive } from "./groupArchive.js";
import { groupCreate } from "./groupCreate.js";
import { groupList } from "./groupList.js";
import { groupRestore } from "./groupRestore.js";
import { groupUpdate } from "./groupUpdate.js";
import { help } from "./help.js";
import { mute } from "./mute.js";
import type { Operation } from "./operation.js";
import { roundPreview } from "./roundPreview.js";
import { roundStop } from "./roundStop.js";
import { roundWhy } from "./roundWhy.js";
import { unmute } from "./unmute.js";
import { usage } from "./usage.js";

export const operations: readonly Operation[] = [
  help,
  agentCreate,
  agentUpdate,
  agentGet,
  agentList,
  agentArchive,
  agentRestore,
  groupCreate,
  groupUpdate,
  groupList,
  groupArchive,
  groupRestore,
  roundStop,
  roundWhy,
  roundPreview,
  ask,
  mute,
  unmute,
  usage,
  floorOpen,
  floorTurns,
  floorVote,
  floorResults,
  floorModerate,
  floorClose,
  gcStart,
  gcAdd,
  gcRemove,
  gcJoin,
  gcLeave,
  gcList,
  gcStatus,
  gcDebate,
  gcEnd,
  gcHelp,
];
