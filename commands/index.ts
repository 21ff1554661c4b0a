/** Every slash command. A file that is missing here fails a test. */
import agentCreate from "./agent_create.js";
import agentGet from "./agent_get.js";
import agentList from "./agent_list.js";
import agentUpdate from "./agent_update.js";
import ask from "./ask.js";
import groupCreate from "./group_create.js";
import groupList from "./group_list.js";
import groupUpdate from "./group_update.js";
import help from "./help.js";
import mute from "./mute.js";
import roundPreview from "./round_preview.js";
import roundStop from "./round_stop.js";
import roundWhy from "./round_why.js";
import type { SlashCommand } from "./slash.js";
import unmute from "./unmute.js";

export const commands: readonly SlashCommand[] = [
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
