import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { MIN_MEMBERS } from "../../domain/limits.js";
import { groupTopic } from "../../domain/topic.js";
import { allOrNothing, type Done } from "./allOrNothing.js";
import {
  bringChannelBack,
  broughtBackTo,
  changedMeanwhile,
  displayNameGiven,
} from "./bringBack.js";
import { hasDisplayName, storeOnce } from "./claim.js";
import { text } from "./fields.js";
import { archivedGroup } from "./lookup.js";
import { memberList } from "./members.js";
import { type Answer, defineOperation, type OperationContext } from "./operation.js";
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
  run: (context, given) => allOrNothing(context, (done) => restore(context, given, done)),
});

async function restore(
  context: OperationContext,
  given: z.output<typeof input>,
  done: Done,
): Promise<Answer> {
  const { storage, topics, log, asker } = context;
  const group = await archivedGroup(context, given.group);
  const { id, displayName } = group;
  const { members, archived } = await membersOf(context, group);
  const host = members.find((member) => member.id === group.hostId) ?? members[0];
  // A hosted group goes on with its host alone, and others join it.
  const least = group.kind === "hosted" ? 1 : MIN_MEMBERS;
  if (host === undefined || members.length < least) throw tooFew(group, archived);
  if (hasDisplayName(await storage.groups.list(asker.guildId), displayName)) {
    throw displayNameGiven("group", displayName);
  }
  const back = await bringChannelBack(context, group, topicOf(group, members, host), done);
  const { channelId } = back;
  const state = { members: members.map((member) => member.id), hostId: host.id, channelId };
  const conflict = await storeOnce(
    () => storage.archive.restoreGroup(id, state),
    async () => (await storage.groups.get(id))?.archivedAtMs === null,
  );
  if (conflict === "displayName") throw displayNameGiven("group", displayName);
  if (conflict === "changed") throw changedMeanwhile(displayName);
  log.info({ groupId: id, by: asker.userId }, "a group was restored");
  topics.groupChanged(id);
  const lines = [
    `${bold(displayName)} is back, ${broughtBackTo(back)}, with ${memberList(members)}; ${bold(host.displayName)} is the host.`,
  ];
  if (archived.length > 0) lines.push(`Left out, since archived: ${memberList(archived)}.`);
  return { text: lines.join("\n") };
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

function tooFew(group: Group, archived: readonly Agent[]): UserError {
  const verb = archived.length === 1 ? "is" : "are";
  return new UserError(
    "conflict",
    `${bold(group.displayName)} needs ${MIN_MEMBERS} members that are not archived, but ${memberList(archived)} ${verb} archived: bring back with \`/agent_restore\` whom it needs.`,
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
