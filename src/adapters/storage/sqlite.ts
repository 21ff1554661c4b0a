import SqliteClient from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { checkMet, type Database, type Queries } from "./database.js";
import { makeFolderOf } from "./folder.js";
import { pendingMigrations } from "./migrations.js";
import * as schema from "./schema.sqlite.js";

const MEMORY = ":memory:";
/**
 * How long a statement waits for another process that holds the file. The whole program waits with
 * it, and Discord wants an answer to a command within three seconds.
 */
const BUSY_TIMEOUT_MS = 1_000;

/** Opens or makes a SQLite file, or a database in memory for `:memory:`, and brings it up to date. */
export function openSqlite(path: string): Database {
  if (path !== MEMORY) makeFolderOf(path);
  const client = new SqliteClient(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    return useSqlite(client);
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Brings an open database up to date and gives it to the stores. */
export function useSqlite(client: SqliteClient.Database): Database {
  configure(client);
  migrate(client);
  const db = drizzle(client, { schema });
  return {
    // The builder is thenable in both modes; only its declared result differs.
    queries: db as unknown as Queries,
    tables: schema,
    async atomically(build) {
      db.transaction(
        (transaction) => {
          for (const statement of build(transaction as unknown as Queries)) {
            if (statement.isRequired) checkMet(statement.query.all());
            else statement.query.run();
          }
        },
        // Takes the write lock at once: a transaction that has read cannot wait for it later.
        { behavior: "immediate" },
      );
    },
    async close() {
      client.close();
    },
  };
}

function configure(client: SqliteClient.Database): void {
  client.pragma("journal_mode = WAL");
  // A commit of a killed process is in the operating system's hands already, so either mode keeps
  // it. FULL also syncs the log at each commit, so that a loss of power keeps it too: a journal
  // that forgot a reply would have it composed and posted again. A round writes a few dozen times
  // in as many seconds, so that the sync costs nothing that anybody could notice.
  client.pragma("synchronous = FULL");
}

function migrate(client: SqliteClient.Database): void {
  // SQLite rebuilds a table to change it, which foreign keys would forbid; the switch has no effect
  // inside a transaction.
  client.pragma("foreign_keys = OFF");
  client
    .transaction(() => {
      client.exec(
        "create table if not exists __drizzle_migrations (id integer primary key, hash text not null, created_at numeric)",
      );
      const applied = client
        .prepare<[], number>("select created_at from __drizzle_migrations")
        .pluck()
        .all();
      const note = client.prepare(
        "insert into __drizzle_migrations (hash, created_at) values (?, ?)",
      );
      for (const migration of pendingMigrations("sqlite", applied)) {
        for (const statement of migration.statements) client.exec(statement);
        note.run(migration.hash, migration.createdAt);
      }
    })
    .immediate();
  client.pragma("foreign_keys = ON");
}
