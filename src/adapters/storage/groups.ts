import { and, asc, desc, eq, inArray, isNull, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { Group } from "../../domain/group.js";
import type { AgentId, GroupId } from "../../domain/ids.js";
import { displayNameKey } from "../../domain/names.js";
import type { GroupStore } from "../../ports/storage.js";
import { unlessTaken } from "./agents.js";
import { type Database, mustMatch, type Queries, type Statement, write } from "./database.js";
import { toGroup, toGroupChange, toGroupRow } from "./rows.js";

export function createGroupStore(database: Database): GroupStore {
  const { queries, tables } = database;
  const { groups, groupMembers, names } = tables;
  const isArchived = sql`case when ${groups.archivedAtMs} is null then 0 else 1 end`;

  /** Groups with their members, in one query so that both are of the same moment. */
  async function select(where: SQL | undefined, order: readonly SQL[]): Promise<readonly Group[]> {
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

  const byAge = [asc(groups.createdAtMs), sql`length(${groups.id})`];

  return {
    async create(group) {
      const { guildId, name } = group;
      return unlessTaken(
        database.atomically((tx) => [
          write(tx.insert(names).values({ guildId, name })),
          write(tx.insert(groups).values(toGroupRow(group))),
          write(tx.insert(groupMembers).values(memberRows(group.id, group.members, group.muted))),
        ]),
      );
    },

    async update(id, change) {
      return unlessTaken(
        database.atomically((tx) => [
          touch(tx, id, change),
          ...(change.members ? replaceMembers(tx, id, change.members) : []),
          ...(change.muted ? [mute(tx, id, change.muted)] : []),
        ]),
      );
    },

    async setMuted(id, agentId, isMuted) {
      const changed = await queries
        .update(groupMembers)
        .set({ isMuted })
        .where(
          and(
            eq(groupMembers.groupId, id),
            eq(groupMembers.agentId, agentId),
            eq(groupMembers.isMuted, !isMuted),
          ),
        )
        .returning({ agentId: groupMembers.agentId });
      return changed.length > 0;
    },

    async get(id) {
      const [group] = await select(eq(groups.id, id), []);
      return group ?? null;
    },

    async find(guildId, nameOrDisplayName) {
      const key = displayNameKey(nameOrDisplayName);
      const [group] = await select(
        and(eq(groups.guildId, guildId), or(eq(groups.name, key), eq(groups.displayKey, key))),
        [
          isArchived,
          sql`case when ${groups.name} = ${key} then 0 else 1 end`,
          desc(groups.archivedAtMs),
        ],
      );
      return group ?? null;
    },

    async byChannel(channelId) {
      const [group] = await select(eq(groups.channelId, channelId), [isArchived]);
      return group ?? null;
    },

    async withMember(agentId) {
      const ids = queries
        .select({ id: groupMembers.groupId })
        .from(groupMembers)
        .where(eq(groupMembers.agentId, agentId));
      return select(and(inArray(groups.id, ids), isNull(groups.archivedAtMs)), byAge);
    },

    async list(guildId) {
      return select(eq(groups.guildId, guildId), byAge);
    },
  };

  /** Changes the group's own columns; an unknown group undoes the transaction. */
  function touch(
    tx: Queries,
    id: GroupId,
    change: Partial<Pick<Group, "displayName" | "hostId" | "channelId" | "category">>,
  ): Statement {
    return mustMatch(
      tx
        .update(groups)
        .set({ id, ...toGroupChange(change) })
        .where(eq(groups.id, id))
        .returning({ id: groups.id }),
    );
  }

  /** The new list; members that stay keep whether they are muted. */
  function replaceMembers(tx: Queries, id: GroupId, members: readonly AgentId[]): Statement[] {
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

  function mute(tx: Queries, id: GroupId, muted: readonly AgentId[]): Statement {
    const isMuted = muted.length > 0 ? inArray(groupMembers.agentId, [...muted]) : sql`false`;
    return write(
      tx
        .update(groupMembers)
        .set({ isMuted: sql`${isMuted}` })
        .where(eq(groupMembers.groupId, id)),
    );
  }
}

function memberRows(groupId: GroupId, members: readonly AgentId[], muted: readonly AgentId[]) {
  return members.map((agentId, position) => ({
    groupId,
    agentId,
    position,
    isMuted: muted.includes(agentId),
  }));
}
