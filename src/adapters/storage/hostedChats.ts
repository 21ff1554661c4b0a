import { asc, eq, type SQL } from "drizzle-orm";
import type { HostedChat } from "../../domain/hostedChat.js";
import { type AgentId, asId, type ChannelId } from "../../domain/ids.js";
import type { HostedChatStore, ObeyedStore } from "../../ports/hostedChats.js";
import {
  type Database,
  mustMatch,
  type Queries,
  type Statement,
  unlessUnmet,
  write,
} from "./database.js";
import { oweAll } from "./words.js";

export function createHostedChatStore(database: Database): HostedChatStore {
  const { queries, tables } = database;
  const { hostedChats, hostedParticipants } = tables;

  const select = async (where: SQL): Promise<readonly HostedChat[]> => {
    const rows = await queries
      .select({ chat: hostedChats, agentId: hostedParticipants.agentId })
      .from(hostedChats)
      .leftJoin(hostedParticipants, eq(hostedParticipants.channelId, hostedChats.channelId))
      .where(where)
      .orderBy(
        asc(hostedChats.startedAtMs),
        asc(hostedChats.channelId),
        asc(hostedParticipants.position),
      );
    const chats = new Map(rows.map(({ chat }) => [chat.channelId, chat]));
    return [...chats.values()].map(({ guildId, channelId, hostId, startedAtMs }) => ({
      groupId: null,
      guildId: asId(guildId),
      channelId: asId(channelId),
      hostId: asId(hostId),
      participants: rows
        .filter((row) => row.chat.channelId === channelId)
        .flatMap(({ agentId }) => (agentId === null ? [] : [asId<AgentId>(agentId)])),
      startedAtMs,
    }));
  };

  const replace = (
    tx: Queries,
    channelId: ChannelId,
    participants: readonly AgentId[],
  ): Statement[] => {
    const rows = participants.map((agentId, position) => ({ channelId, agentId, position }));
    return [
      write(tx.delete(hostedParticipants).where(eq(hostedParticipants.channelId, channelId))),
      ...(rows.length === 0 ? [] : [write(tx.insert(hostedParticipants).values(rows))]),
    ];
  };

  return {
    async byChannel(channelId) {
      const [chat] = await select(eq(hostedChats.channelId, channelId));
      return chat ?? null;
    },

    list: (guildId) => select(eq(hostedChats.guildId, guildId)),

    start: ({ guildId, channelId, hostId, startedAtMs, participants }, owed) =>
      unlessUnmet(database, (tx) => [
        mustMatch(
          tx
            .insert(hostedChats)
            .values({ guildId, channelId, hostId, startedAtMs })
            .onConflictDoNothing({ target: hostedChats.channelId })
            .returning({ channelId: hostedChats.channelId }),
        ),
        ...replace(tx, channelId, participants),
        ...oweAll(database, tx, owed),
      ]),

    setParticipants: (channelId, participants, owed) =>
      unlessUnmet(database, (tx) => [
        mustMatch(
          tx
            .update(hostedChats)
            .set({ channelId })
            .where(eq(hostedChats.channelId, channelId))
            .returning({ channelId: hostedChats.channelId }),
        ),
        ...replace(tx, channelId, participants),
        ...oweAll(database, tx, owed),
      ]),

    end: (channelId, owed) =>
      unlessUnmet(database, (tx) => [
        ...replace(tx, channelId, []),
        mustMatch(
          tx
            .delete(hostedChats)
            .where(eq(hostedChats.channelId, channelId))
            .returning({ channelId: hostedChats.channelId }),
        ),
        ...oweAll(database, tx, owed),
      ]),
  };
}

export function createObeyedStore({ queries, tables: { obeyed } }: Database): ObeyedStore {
  return {
    async has(messageId) {
      const [row] = await queries.select().from(obeyed).where(eq(obeyed.messageId, messageId));
      return row !== undefined;
    },
  };
}
