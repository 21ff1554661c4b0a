/** The tools of an agent in its own channel, in the order in which its model is told of them. */
import type { ToolDefinition } from "../../ports/model.js";
import { agentCreate } from "../operations/agentCreate.js";
import { agentGet } from "../operations/agentGet.js";
import { agentList } from "../operations/agentList.js";
import { agentUpdate } from "../operations/agentUpdate.js";
import { groupCreate } from "../operations/groupCreate.js";
import { groupUpdate } from "../operations/groupUpdate.js";
import { defineOperation, type Operation } from "../operations/operation.js";
import { archive, restore } from "./archiveByName.js";
import { channelRead } from "./channelRead.js";
import { messageInput } from "./messageAgent.js";
import { definitionOf } from "./tool.js";

/** Writing to another agent is done in steps of the round, not here. */
export const MESSAGE_AGENT = "message_agent";

/** Those that only look change nothing that managers would have to know of. */
export const LOOKING: ReadonlySet<string> = new Set(["agent_list", "agent_get", "channel_read"]);

/** By name. */
export const tools: ReadonlyMap<string, Operation> = new Map(
  [
    agentList,
    agentGet,
    agentCreate,
    agentUpdate,
    groupCreate,
    groupUpdate,
    archive,
    restore,
    channelRead,
  ].map((operation): [string, Operation] => [operation.name, operation]),
);

const messageAgent = defineOperation({
  name: MESSAGE_AGENT,
  description: "Write to another agent; its answer comes later, as a message of its own",
  permission: "talker",
  input: messageInput,
  run: () => Promise.reject(new Error("Messages to agents are sent by the round.")),
});

export const toolDefinitions: readonly ToolDefinition[] = [...tools.values(), messageAgent].map(
  definitionOf,
);
