import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { MIN_MEMBERS } from "../../domain/limits.js";
import { listOf } from "../../domain/phrases.js";
import { groupTopic } from "../../domain/topic.js";
import { bringBack, broughtBackTo, type Return } from "./bringBack.js";
import { text } from "./fields.js";
import { archivedGroup } from "./lookup.js";
import { memberList } from "./members.js";
import { defineOperation, type OperationContext } from "./operation.js";
import { bold } from "./show.js";

const input = z.object({
  group: text({ description: "The group, by name or display name", suggests: "archivedGroup" }),
});

/** Brings a group back with those of its members that are not archived. */
export const groupRestore = defineOperation({
  name: "group_restore",
  description: "Bring an archived group back, with its channel and members",
  permission: "manager",
  input,
  async run(context, given) {
    const { storage, asker } = context;
    return bringBack(context, {
      kind: "group",
      find: () => archivedGroup(context, given.group),
      rivals: () => storage.groups.list(asker.guildId),
      look: (id) => storage.groups.get(id),
      plan: (group) => returnOf(context, group),
    });
  },
});

async function returnOf(context: OperationContext, group: Group): Promise<Return> {
  const { storage, topics, log, asker } = context;
  const { id, displayName } = group;
  const { members, archived } = await membersOf(context, group);
  const host = members.find((member) => member.id === group.hostId) ?? members[0];
  // A hosted group goes on with its host alone, and others join it.
  const least = group.kind === "hosted" ? 1 : MIN_MEMBERS;
  if (host === undefined || members.length < least) {
    throw tooFew(group, archived, least, least - members.length);
  }
  const state = { members: members.map((member) => member.id), hostId: host.id };
  return {
    topic: topicOf(group, members, host),
    store: (channelId) => storage.archive.restoreGroup(id, { ...state, channelId }),
    async say(back) {
      log.info({ groupId: id, by: asker.userId }, "a group was restored");
      topics.groupChanged(id);
      const lines = [
        `${bold(displayName)} is back, ${broughtBackTo(back)}, with ${memberList(members)}; ${bold(host.displayName)} is the host.`,
      ];
      if (archived.length > 0) lines.push(`Left out, since archived: ${memberList(archived)}.`);
      return { text: lines.join("\n") };
    },
  };
}

async function membersOf(
  { storage }: OperationContext,
  group: Group,
): Promise<{ readonly members: readonly Agent[]; readonly archived: readonly Agent[] }> {
  const found = await Promise.all(group.members.map((id) => storage.agents.get(id)));
  const agents = found.filter((agent) => agent !== null);
  return {
    members: agents.filter((agent) => agent.archivedAtMs === null),
    archived: agents.filter((agent) => agent.archivedAtMs !== null),
  };
}

/** `lacking`: how many of the archived ones it takes. */
function tooFew(group: Group, archived: readonly Agent[], least: number, lacking: number) {
  const names = archived.map((member) => bold(member.displayName));
  const whom =
    lacking > 1 && lacking < names.length
      ? `${lacking} of them`
      : listOf(names, lacking === 1 ? "or" : "and");
  const members = least === 1 ? "an active member" : `at least ${least} active members`;
  return new UserError(
    "conflict",
    `${bold(group.displayName)} needs ${members}: bring ${whom} back with \`/agent_restore\` first.`,
  );
}

function topicOf(group: Group, members: readonly Agent[], host: Agent): string {
  return groupTopic(
    group.displayName,
    members.map((member) => ({
      displayName: member.displayName,
      isMuted: group.muted.includes(member.id),
      isHost: member.id === host.id,
    })),
  );
}
