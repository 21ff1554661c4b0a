/** Every slash command. A file that is missing here fails a test. */
import agentArchive from "./agent_archive.js";
import agentCreate from "./agent_create.js";
import agentGet from "./agent_get.js";
import agentList from "./agent_list.js";
import agentRestore from "./agent_restore.js";
import agentUpdate from "./agent_update.js";
import ask from "./ask.js";
import floorClose from "./floor_close.js";
import floorModerate from "./floor_moderate.js";
import floorOpen from "./floor_open.js";
import floorResults from "./floor_results.js";
import floorTurns from "./floor_turns.js";
import floorVote from "./floor_vote.js";
import gc from "./gc.js";
import groupArchive from "./group_archive.js";
import groupCreate from "./group_create.js";
import groupList from "./group_list.js";
import groupRestore from "./group_restore.js";
import groupUpdate from "./group_update.js";
import help from "./help.js";
import mute from "./mute.js";
import roundPreview from "./round_preview.js";
import roundStop from "./round_stop.js";
import roundWhy from "./round_why.js";
import type { SlashCommand } from "./slash.js";
import unmute from "./unmute.js";
import usage from "./usage.js";

export const commands: readonly SlashCommand[] = [
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
  gc,
];
