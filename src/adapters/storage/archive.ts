import { and, asc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type AgentId, asId } from "../../domain/ids.js";
import { MIN_MEMBERS } from "../../domain/limits.js";
import type { ArchiveStore, LeftGroup, RestoreConflict } from "../../ports/storage.js";
import { unlessTaken } from "./agents.js";
import {
  type Database,
  mustMatch,
  type Queries,
  type Statement,
  Unmet,
  unlessUnmet,
  write,
} from "./database.js";
import { byAge, mustBeActive, replaceMembers, selectGroups } from "./members.js";

export function createArchiveStore(database: Database): ArchiveStore {
  const { queries, tables } = database;
  const { agents, groups, groupMembers, hostedParticipants, leftGroups, unmovedChannels } = tables;

  async function unlessConflict(
    build: (tx: Queries) => readonly Statement[],
  ): Promise<RestoreConflict | null> {
    try {
      const conflict = await unlessTaken(database.atomically(build));
      return conflict === null ? null : "displayName";
    } catch (error) {
      if (error instanceof Unmet) return "changed";
      throw error;
    }
  }

  async function leftBy(agentId: AgentId): Promise<readonly LeftGroup[]> {
    const rows = await queries.select().from(leftGroups).where(eq(leftGroups.agentId, agentId));
    const ids = rows.map((row) => row.groupId);
    const found = await selectGroups(database, inArray(groups.id, ids), byAge(database));
    return found.flatMap((group) =>
      rows
        .filter((row) => row.groupId === group.id)
        .map(({ wasHost, isEnded }) => ({ group, wasHost, isEnded })),
    );
  }

  return {
    async archiveAgent(id, atMs) {
      const isArchived = await unlessUnmet(database, (tx) => {
        const ended = leftOnes(tx, id, true);
        const going = leftOnes(tx, id, false);
        return [
          mustMatch(
            tx
              .update(agents)
              .set({ archivedAtMs: atMs })
              .where(and(eq(agents.id, id), isNull(agents.archivedAtMs)))
              .returning({ id: agents.id }),
          ),
          holdGroupsOf(tx, id),
          write(tx.delete(leftGroups).where(eq(leftGroups.agentId, id))),
          write(tx.insert(leftGroups).select(leaving(tx, id))),
          write(tx.update(groups).set({ archivedAtMs: atMs }).where(inArray(groups.id, ended))),
          write(
            tx
              .delete(groupMembers)
              .where(and(eq(groupMembers.agentId, id), inArray(groupMembers.groupId, going))),
          ),
          write(tx.delete(hostedParticipants).where(eq(hostedParticipants.agentId, id))),
          write(
            tx
              .update(groups)
              .set({ hostId: firstMember() })
              .where(and(eq(groups.hostId, id), inArray(groups.id, going))),
          ),
          write(
            tx
              .insert(unmovedChannels)
              .select(
                tx
                  .select({
                    channelId: sql<string>`${agents.channelId}`.as("channel_id"),
                    guildId: agents.guildId,
                  })
                  .from(agents)
                  .where(and(eq(agents.id, id), isNotNull(agents.channelId))),
              )
              .onConflictDoNothing(),
          ),
          noteChannels(tx, inArray(groups.id, ended)),
        ];
      });
      return isArchived ? leftBy(id) : null;
    },

    archiveGroup: (id, atMs) =>
      unlessUnmet(database, (tx) => [
        mustMatch(
          tx
            .update(groups)
            .set({ archivedAtMs: atMs })
            .where(and(eq(groups.id, id), isNull(groups.archivedAtMs)))
            .returning({ id: groups.id }),
        ),
        noteChannels(tx, eq(groups.id, id)),
      ]),

    leftGroups: leftBy,

    restoreAgent: (id, channelId) =>
      unlessConflict((tx) => [
        write(
          tx
            .delete(unmovedChannels)
            .where(
              inArray(
                unmovedChannels.channelId,
                tx.select({ id: agents.channelId }).from(agents).where(eq(agents.id, id)),
              ),
            ),
        ),
        mustMatch(
          tx
            .update(agents)
            .set({ archivedAtMs: null, channelId })
            .where(and(eq(agents.id, id), isNotNull(agents.archivedAtMs)))
            .returning({ id: agents.id }),
        ),
      ]),

    restoreGroup: (id, { members, hostId, channelId }) =>
      unlessConflict((tx) => [
        ...mustBeActive(database, tx, members),
        write(
          tx
            .delete(unmovedChannels)
            .where(
              inArray(
                unmovedChannels.channelId,
                tx.select({ id: groups.channelId }).from(groups).where(eq(groups.id, id)),
              ),
            ),
        ),
        mustMatch(
          tx
            .update(groups)
            .set({ archivedAtMs: null, channelId, hostId })
            .where(and(eq(groups.id, id), isNotNull(groups.archivedAtMs)))
            .returning({ id: groups.id }),
        ),
        ...replaceMembers(database, tx, id, members),
      ]),

    async unmovedChannels(guildId) {
      const rows = await queries
        .select({ id: unmovedChannels.channelId })
        .from(unmovedChannels)
        .where(eq(unmovedChannels.guildId, guildId))
        .orderBy(asc(unmovedChannels.channelId));
      return rows.map((row) => asId(row.id));
    },

    async unsettleChannel(guildId, channelId) {
      await queries.insert(unmovedChannels).values({ guildId, channelId }).onConflictDoNothing();
    },

    async loseChannel(channelId) {
      await database.atomically((tx) => [
        write(tx.update(agents).set({ channelId: null }).where(eq(agents.channelId, channelId))),
        write(tx.update(groups).set({ channelId: null }).where(eq(groups.channelId, channelId))),
        write(tx.delete(unmovedChannels).where(eq(unmovedChannels.channelId, channelId))),
      ]);
    },

    async settleChannel(channelId) {
      await queries.delete(unmovedChannels).where(eq(unmovedChannels.channelId, channelId));
    },
  };

  /** Holds the rows of the agent's groups: of two members archived at once, the second sees what the first left. */
  function holdGroupsOf(tx: Queries, id: AgentId): Statement {
    const memberships = tx
      .select({ id: groupMembers.groupId })
      .from(groupMembers)
      .where(eq(groupMembers.agentId, id));
    return write(
      tx
        .update(groups)
        .set({ createdAtMs: sql`${groups.createdAtMs}` })
        .where(and(inArray(groups.id, memberships), isNull(groups.archivedAtMs))),
    );
  }

  /** What is noted of each group that the agent is about to leave. */
  function leaving(tx: Queries, id: AgentId) {
    const size = sql`(select count(*) from ${groupMembers} as others where others.group_id = ${groups.id})`;
    return tx
      .select({
        agentId: groupMembers.agentId,
        groupId: groupMembers.groupId,
        wasHost: sql<boolean>`${groups.hostId} = ${groupMembers.agentId}`.as("was_host"),
        isEnded:
          sql<boolean>`${size} <= case when ${groups.kind} = 'hosted' then 1 else ${MIN_MEMBERS} end`.as(
            "is_ended",
          ),
      })
      .from(groupMembers)
      .innerJoin(groups, eq(groups.id, groupMembers.groupId))
      .where(and(eq(groupMembers.agentId, id), isNull(groups.archivedAtMs)));
  }

  /** Of the groups that the agent leaves, those that end with it, or those that go on. */
  function leftOnes(tx: Queries, id: AgentId, isEnded: boolean) {
    return tx
      .select({ id: leftGroups.groupId })
      .from(leftGroups)
      .where(and(eq(leftGroups.agentId, id), eq(leftGroups.isEnded, isEnded)));
  }

  function firstMember() {
    return sql<string>`(select first.agent_id from ${groupMembers} as first where first.group_id = ${groups.id} order by first.position limit 1)`;
  }

  function noteChannels(tx: Queries, which: SQL): Statement {
    const channels = tx
      .select({
        channelId: sql<string>`${groups.channelId}`.as("channel_id"),
        guildId: groups.guildId,
      })
      .from(groups)
      .where(and(which, isNotNull(groups.channelId)));
    return write(tx.insert(unmovedChannels).select(channels).onConflictDoNothing());
  }
}
