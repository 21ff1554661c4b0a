import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { checkDisplayName } from "../../domain/names.js";
import { moved, sayThere } from "../chatNews.js";
import { changeGroup, membersNow } from "./changeMembers.js";
import { membersField, text } from "./fields.js";
import { activeGroup } from "./lookup.js";
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
        ? await membersNow(context, group)
        : await membersOf(context, given.members);
    const hostNow =
      given.host === undefined ? group.hostId : (await hostOf(context, members, given.host)).id;
    const isSame =
      displayName === group.displayName &&
      hostNow === group.hostId &&
      members.map(({ id }) => id).join() === group.members.join();
    if (isSame) {
      return { text: `Nothing changed: ${bold(group.displayName)} is like that already.` };
    }
    const before = await membersNow(context, group);
    const host = await changeGroup(context, group, {
      ...(given.display_name === undefined ? {} : { displayName }),
      ...(given.members === undefined ? {} : { members }),
      ...(given.host === undefined ? {} : { host: await hostOf(context, members, given.host) }),
    });
    if (group.kind === "hosted" && group.channelId !== null) {
      const place = { guildId: group.guildId, channelId: group.channelId, threadId: null };
      for (const news of newsOf(before, members)) await sayThere(context, place, news);
    }
    const renamed = displayName === group.displayName ? "" : `, now ${bold(displayName)},`;
    return {
      text: `${bold(group.displayName)}${renamed} in ${channelLink(group.channelId)} has ${memberList(members)}; ${bold(host.displayName)} is the host. From the next round on; the topic follows within ten minutes.`,
    };
  },
});

/** What the people there have to know of who takes part. */
function newsOf(before: readonly Agent[], after: readonly Agent[]): readonly string[] {
  const without = (all: readonly Agent[], others: readonly Agent[]) =>
    all.filter(({ id }) => !others.some((other) => other.id === id));
  return [moved(without(before, after), "left"), moved(without(after, before), "joined")].flatMap(
    (news) => (news === "" ? [] : [`${news} the group chat.`]),
  );
}
