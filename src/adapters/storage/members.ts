/** Groups with their members, as the stores read and write them. */
import { and, asc, eq, isNull, notInArray, type SQL, sql } from "drizzle-orm";
import type { Group } from "../../domain/group.js";
import type { AgentId, GroupId } from "../../domain/ids.js";
import { type Database, mustMatch, type Queries, type Statement, write } from "./database.js";
import { toGroup } from "./rows.js";

/** Groups with their members, in one query so that both are of the same moment. */
export async function selectGroups(
  { queries, tables: { groups, groupMembers } }: Database,
  where: SQL | undefined,
  order: readonly SQL[],
): Promise<readonly Group[]> {
  const rows = await queries
    .select({ group: groups, member: groupMembers })
    .from(groups)
    .innerJoin(groupMembers, eq(groupMembers.groupId, groups.id))
    .where(where)
    .orderBy(...order, asc(groups.id), asc(groupMembers.position));
  const members = new Map<string, (typeof rows)[number]["member"][]>();
  for (const { group, member } of rows) {
    members.set(group.id, [...(members.get(group.id) ?? []), member]);
  }
  const found = new Map(rows.map(({ group }) => [group.id, group]));
  return [...found.values()].map((group) => toGroup(group, members.get(group.id) ?? []));
}

/** Oldest first. */
export function byAge({ tables: { groups } }: Database): readonly SQL[] {
  return [asc(groups.createdAtMs), sql`length(${groups.id})`];
}

/** The new list; members that stay keep whether they are muted. */
export function replaceMembers(
  { tables: { groupMembers } }: Database,
  tx: Queries,
  id: GroupId,
  members: readonly AgentId[],
): Statement[] {
  return [
    write(
      tx
        .delete(groupMembers)
        .where(and(eq(groupMembers.groupId, id), notInArray(groupMembers.agentId, [...members]))),
    ),
    write(
      tx
        .insert(groupMembers)
        .values(memberRows(id, members, []))
        .onConflictDoUpdate({
          target: [groupMembers.groupId, groupMembers.agentId],
          set: { position: sql`excluded.position` },
        }),
    ),
  ];
}

export function memberRows(
  groupId: GroupId,
  members: readonly AgentId[],
  muted: readonly AgentId[],
) {
  return members.map((agentId, position) => ({
    groupId,
    agentId,
    position,
    isMuted: muted.includes(agentId),
  }));
}

/**
 * Undoes the transaction when one of them is archived. It holds their rows, so that none can be
 * archived before the end; always in the same order, so that two transactions cannot wait for each
 * other, and before any group's row, as in the archive.
 */
export function mustBeActive(
  { tables: { agents } }: Database,
  tx: Queries,
  ids: readonly AgentId[],
): Statement[] {
  return ids.toSorted().map((id) =>
    mustMatch(
      tx
        .update(agents)
        .set({ createdAtMs: sql`${agents.createdAtMs}` })
        .where(and(eq(agents.id, id), isNull(agents.archivedAtMs)))
        .returning({ id: agents.id }),
    ),
  );
}
