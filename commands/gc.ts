import { gcDebate, gcEnd, gcStart } from "../src/app/operations/gcChat.js";
import { gcAdd, gcJoin, gcLeave, gcRemove } from "../src/app/operations/gcMembers.js";
import { gcHelp, gcList, gcStatus } from "../src/app/operations/gcShow.js";
import { slashGroup } from "./slash.js";

export default slashGroup(
  "gc",
  "Group chats: a host talks with you, and others tell it what they think",
  {
    start: gcStart,
    add: gcAdd,
    remove: gcRemove,
    join: gcJoin,
    leave: gcLeave,
    list: gcList,
    status: gcStatus,
    debate: gcDebate,
    end: gcEnd,
    help: gcHelp,
  },
);
