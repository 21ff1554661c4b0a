import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { checkDisplayName } from "../../domain/names.js";
import { displayNameTaken, memberArchived } from "./claim.js";
import { membersField, text } from "./fields.js";
import { activeGroup, type LookupContext } from "./lookup.js";
import { hostOf, memberList, membersOf } from "./members.js";
import { defineOperation } from "./operation.js";
import { bold, channelLink } from "./show.js";

/** Changes a group; a round that is running goes on with the group as it was. */
export const groupUpdate = defineOperation({
  name: "group_update",
  description: "Change a group's display name, members or host",
  permission: "manager",
  input: z.object({
    group: text({ description: "The group, by name or display name", suggests: "group" }),
    display_name: text({ description: "The new name that people see, 1-32 characters" }).optional(),
    members: membersField.optional(),
    host: text({ description: "The new host, one of the members", suggests: "agent" }).optional(),
  }),
  async run(context, given) {
    const { storage, topics } = context;
    const group = await activeGroup(context, given.group);
    if (
      given.display_name === undefined &&
      given.members === undefined &&
      given.host === undefined
    ) {
      throw new UserError(
        "invalid",
        "Say what to change: the display name, the members or the host.",
      );
    }
    const displayName =
      given.display_name === undefined ? group.displayName : checkDisplayName(given.display_name);
    const members =
      given.members === undefined
        ? await presentMembers(context, group)
        : await membersOf(context, given.members);
    const host =
      given.host === undefined
        ? hostAmong(members, group)
        : await hostOf(context, members, given.host);

    const conflict = await storage.groups.update(group.id, {
      ...(given.display_name === undefined ? {} : { displayName }),
      ...(given.members === undefined && given.host === undefined ? {} : { hostId: host.id }),
      ...(given.members === undefined
        ? {}
        : {
            members: members.map((member) => member.id),
            muted: group.muted.filter((id) => members.some((member) => member.id === id)),
          }),
    });
    if (conflict === "member") throw memberArchived();
    if (conflict !== null) throw displayNameTaken("group", displayName);
    topics.groupChanged(group.id);
    const renamed = displayName === group.displayName ? "" : `, now ${bold(displayName)},`;
    return {
      text: `${bold(group.displayName)}${renamed} in ${channelLink(group.channelId)} has ${memberList(members)}; ${bold(host.displayName)} is the host. This holds from the next round on.`,
    };
  },
});

async function presentMembers({ storage }: LookupContext, group: Group): Promise<readonly Agent[]> {
  const members = await Promise.all(group.members.map((id) => storage.agents.get(id)));
  return members.filter((member) => member !== null);
}

/** The host that the group has; the first member when it is no longer one. */
function hostAmong(members: readonly Agent[], group: Group): Agent {
  const host = members.find((member) => member.id === group.hostId) ?? members[0];
  if (host === undefined) throw new Error("A group without members has no host.");
  return host;
}
