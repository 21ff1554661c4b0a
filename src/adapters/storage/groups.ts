import { and, desc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Group } from "../../domain/group.js";
import type { AgentId, GroupId } from "../../domain/ids.js";
import { displayNameKey } from "../../domain/names.js";
import type { GroupStore } from "../../ports/storage.js";
import { unlessTaken } from "./agents.js";
import {
  type Database,
  mustMatch,
  type Queries,
  type Statement,
  Unmet,
  write,
} from "./database.js";
import { byAge, memberRows, mustBeActive, replaceMembers, selectGroups } from "./members.js";
import { toGroupChange, toGroupRow } from "./rows.js";
import { oweAll } from "./words.js";

export function createGroupStore(database: Database): GroupStore {
  const { queries, tables } = database;
  const { groups, groupMembers, names } = tables;
  const isArchived = sql`case when ${groups.archivedAtMs} is null then 0 else 1 end`;

  const select = (where: SQL | undefined, order: readonly SQL[]) =>
    selectGroups(database, where, order);

  return {
    async create(group) {
      const { guildId, name } = group;
      return unlessTaken(
        database.atomically((tx) => [
          ...mustBeActive(database, tx, group.members),
          write(tx.insert(names).values({ guildId, name })),
          write(tx.insert(groups).values(toGroupRow(group))),
          write(tx.insert(groupMembers).values(memberRows(group.id, group.members, group.muted))),
        ]),
      ).catch(memberConflict);
    },

    async update(id, change, owed) {
      return unlessTaken(
        database.atomically((tx) => [
          ...(change.members ? mustBeActive(database, tx, change.members) : []),
          touch(tx, id, change),
          ...(change.members ? replaceMembers(database, tx, id, change.members) : []),
          ...(change.muted ? [mute(tx, id, change.muted)] : []),
          ...oweAll(database, tx, owed),
        ]),
      ).catch(async (error: unknown) => {
        const [group] = await select(eq(groups.id, id), []);
        if (group === undefined) throw error;
        return memberConflict(error);
      });
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
      return select(and(inArray(groups.id, ids), isNull(groups.archivedAtMs)), byAge(database));
    },

    async list(guildId) {
      return select(eq(groups.guildId, guildId), byAge(database));
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
        .set({ createdAtMs: sql`${groups.createdAtMs}`, ...toGroupChange(change) })
        .where(eq(groups.id, id))
        .returning({ id: groups.id }),
    );
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

/** A required row that is missing can only be that of a member. */
function memberConflict(error: unknown): "member" {
  if (error instanceof Unmet) return "member";
  throw error;
}
