import { and, asc, desc, eq, or, sql } from "drizzle-orm";
import { asId, type GuildId } from "../../domain/ids.js";
import { displayNameKey } from "../../domain/names.js";
import type { AgentStore, NameConflict } from "../../ports/storage.js";
import { type Database, mustMatch, write } from "./database.js";
import { takenIn } from "./errors.js";
import { toAgent, toAgentChange, toAgentRow } from "./rows.js";

export function createAgentStore(database: Database): AgentStore {
  const { queries, tables } = database;
  const { agents, names } = tables;
  const isArchived = sql`case when ${agents.archivedAtMs} is null then 0 else 1 end`;

  return {
    async create(agent) {
      const { guildId, name } = agent;
      return unlessTaken(
        database.atomically((tx) => [
          write(tx.insert(names).values({ guildId, name })),
          write(tx.insert(agents).values(toAgentRow(agent))),
        ]),
      );
    },

    async update(id, change) {
      const columns = toAgentChange(change);
      if (Object.keys(columns).length === 0) return null;
      return unlessTaken(
        database.atomically((tx) => [
          mustMatch(
            tx.update(agents).set(columns).where(eq(agents.id, id)).returning({ id: agents.id }),
          ),
        ]),
      );
    },

    async get(id) {
      const [row] = await queries.select().from(agents).where(eq(agents.id, id));
      return row ? toAgent(row) : null;
    },

    async find(guildId, nameOrDisplayName) {
      const key = displayNameKey(nameOrDisplayName);
      const [row] = await queries
        .select()
        .from(agents)
        .where(
          and(eq(agents.guildId, guildId), or(eq(agents.name, key), eq(agents.displayKey, key))),
        )
        .orderBy(
          isArchived,
          sql`case when ${agents.name} = ${key} then 0 else 1 end`,
          desc(agents.archivedAtMs),
        )
        .limit(1);
      return row ? toAgent(row) : null;
    },

    async byChannel(channelId) {
      const [row] = await queries
        .select()
        .from(agents)
        .where(eq(agents.channelId, channelId))
        .orderBy(isArchived)
        .limit(1);
      return row ? toAgent(row) : null;
    },

    async list(guildId) {
      const rows = await queries
        .select()
        .from(agents)
        .where(eq(agents.guildId, guildId))
        .orderBy(asc(agents.createdAtMs), sql`length(${agents.id})`, asc(agents.id));
      return rows.map(toAgent);
    },

    async servers() {
      const rows = await queries.selectDistinct({ id: agents.guildId }).from(agents);
      return rows.map((row) => asId<GuildId>(row.id));
    },
  };
}

/** Null once `writing` is done, or which name stood in its way. */
export async function unlessTaken(writing: Promise<void>): Promise<NameConflict | null> {
  try {
    await writing;
    return null;
  } catch (error) {
    const table = takenIn(error);
    if (table === "names") return "name";
    if (table === "agents" || table === "groups") return "displayName";
    throw error;
  }
}
