import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { checkDisplayName } from "../../domain/names.js";
import { hostNow, moved, sayThere } from "../chatNews.js";
import { changeGroup, membersNow } from "./changeMembers.js";
import { membersField, text } from "./fields.js";
import { inTurn, withChannel } from "./inTurn.js";
import { activeGroup } from "./lookup.js";
import { hostOf, memberList, membersOf } from "./members.js";
import { type Answer, defineOperation, type OperationContext } from "./operation.js";
import { bold } from "./show.js";

const input = z.object({
  group: text({ description: "The group, by name or display name", suggests: "group" }),
  display_name: text({ description: "The new name that people see, 1-32 characters" }).optional(),
  members: membersField.optional(),
  host: text({ description: "The new host, one of the members", suggests: "agent" }).optional(),
});

/** Changes a group; a round that is running goes on with the group as it was. */
export const groupUpdate = defineOperation({
  name: "group_update",
  description: "Change a group's display name, members or host",
  permission: "manager",
  input,
  async run(context, given) {
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
    return inTurn(
      context,
      () => activeGroup(context, given.group),
      (found) =>
        withChannel(context, found, async () => {
          // Those who take part there may have changed until it was its turn.
          const group = (await context.storage.groups.get(found.id)) ?? found;
          return change(context, group, given);
        }),
    );
  },
});

async function change(
  context: OperationContext,
  group: Group,
  given: z.output<typeof input>,
): Promise<Answer> {
  const displayName =
    given.display_name === undefined ? group.displayName : checkDisplayName(given.display_name);
  const before = await membersNow(context, group);
  const members = given.members === undefined ? before : await membersOf(context, given.members);
  const named = given.host === undefined ? null : await hostOf(context, members, given.host);
  const isSame =
    displayName === group.displayName &&
    (named === null || named.id === group.hostId) &&
    members.map(({ id }) => id).join() === group.members.join();
  if (isSame) {
    return { text: `Nothing changed: ${bold(group.displayName)} is like that already.` };
  }
  const host = await changeGroup(context, group, {
    ...(given.display_name === undefined ? {} : { displayName }),
    ...(given.members === undefined ? {} : { members }),
    ...(named === null ? {} : { host: named }),
  });
  if (group.kind === "hosted" && group.channelId !== null) {
    const place = { guildId: group.guildId, channelId: group.channelId, threadId: null };
    const newHost = host.id === group.hostId ? null : host;
    for (const news of newsOf(before, members, newHost)) await sayThere(context, place, news);
  }
  const name = bold(group.displayName);
  const beginning =
    displayName === group.displayName
      ? `${name} is changed.`
      : `${name} is now called ${bold(displayName)}.`;
  return {
    text: `${beginning} Members: ${memberList(members)}; host: ${bold(host.displayName)}. This counts from the next round; the channel topic follows within ten minutes.`,
  };
}

/** What the people there have to know of who takes part, and who speaks to them. */
function newsOf(
  before: readonly Agent[],
  after: readonly Agent[],
  newHost: Agent | null,
): readonly string[] {
  const without = (all: readonly Agent[], others: readonly Agent[]) =>
    all.filter(({ id }) => !others.some((other) => other.id === id));
  const changes = [moved(without(before, after), "left"), moved(without(after, before), "joined")];
  return [
    ...changes.flatMap((news) => (news === "" ? [] : [`${news} the group chat.`])),
    ...(newHost === null ? [] : [hostNow(newHost)]),
  ];
}
