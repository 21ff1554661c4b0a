/** The tools of an agent in its own channel, in the order in which its model is told of them. */
import { agentCreate } from "../operations/agentCreate.js";
import { agentGet } from "../operations/agentGet.js";
import { agentList } from "../operations/agentList.js";
import { agentUpdate } from "../operations/agentUpdate.js";
import { gcJoin, gcLeave } from "../operations/gcMembers.js";
import { gcStatus } from "../operations/gcShow.js";
import { groupCreate } from "../operations/groupCreate.js";
import { groupUpdate } from "../operations/groupUpdate.js";
import { defineOperation, type Operation } from "../operations/operation.js";
import { archive, restore } from "./archiveByName.js";
import { channelRead } from "./channelRead.js";
import { doneBefore } from "./doubt.js";
import { messageInput } from "./messageAgent.js";
import { definitionOf, MESSAGE_AGENT, type Toolbox } from "./tool.js";

const operations: readonly Operation[] = [
  agentList,
  agentGet,
  agentCreate,
  // A model has no files.
  { ...agentUpdate, description: "Change an agent's display name, role or model" },
  groupCreate,
  groupUpdate,
  archive,
  restore,
  channelRead,
  gcJoin,
  gcLeave,
  gcStatus,
];

const messageAgent = defineOperation({
  name: MESSAGE_AGENT,
  description: "Write to another agent; its answer comes later, as a message of its own",
  permission: "talker",
  input: messageInput,
  run: () => Promise.reject(new Error("Messages to agents are sent by the round.")),
});

export const toolbox: Toolbox = {
  operations: new Map(operations.map((operation) => [operation.name, operation])),
  definitions: [...operations, messageAgent].map(definitionOf),
  doneBefore,
};
