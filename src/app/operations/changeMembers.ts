/** Changes of a group that is there: one path for `/group_update` and `!gc`. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { MAX_MEMBERS, MIN_MEMBERS } from "../../domain/limits.js";
import type { Owed } from "../../ports/words.js";
import { displayNameTaken, memberArchived } from "./claim.js";
import type { OperationContext } from "./operation.js";
import { bold } from "./show.js";

/**
 * Stores what is given. Members that stay keep whether they are muted. When the host is no member
 * any more and none is given, the first member is. Gives the host. What is `owed` is stored with it.
 */
export async function changeGroup(
  { storage, topics, departures }: Pick<OperationContext, "storage" | "topics" | "departures">,
  group: Group,
  change: {
    readonly displayName?: string;
    readonly members?: readonly Agent[];
    readonly host?: Agent;
  },
  owed?: Owed,
): Promise<Agent> {
  const { displayName, members } = change;
  const present = members ?? (await membersNow({ storage }, group));
  const host = change.host ?? hostAmong(present, group);
  const stored = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(members === undefined && change.host === undefined ? {} : { hostId: host.id }),
    ...(members === undefined
      ? {}
      : {
          members: members.map((member) => member.id),
          muted: group.muted.filter((id) => members.some((member) => member.id === id)),
        }),
  };
  const conflict = await storage.groups.update(group.id, stored, owed);
  if (conflict === "member") throw memberArchived();
  if (conflict !== null) throw displayNameTaken("group", displayName ?? group.displayName);
  departures.changed(
    group.channelId,
    group.members,
    present.map((member) => member.id),
  );
  topics.groupChanged(group.id);
  return host;
}

/** Refuses a number of members that a group cannot have. */
export function assertCount(group: Group, count: number): void {
  if (count >= MIN_MEMBERS && count <= MAX_MEMBERS) return;
  throw new UserError(
    "invalid",
    `A group has ${MIN_MEMBERS} to ${MAX_MEMBERS} members; ${bold(group.displayName)} would have ${count}.`,
  );
}

export async function membersNow(
  { storage }: Pick<OperationContext, "storage">,
  group: Group,
): Promise<readonly Agent[]> {
  const members = await Promise.all(group.members.map((id) => storage.agents.get(id)));
  return members.filter((member) => member !== null);
}

/** The host that the group has; the first member when it is no longer one. */
export function hostAmong(members: readonly Agent[], group: Group): Agent {
  const host = members.find((member) => member.id === group.hostId) ?? members[0];
  if (host === undefined) throw new Error("A group without members has no host.");
  return host;
}
