import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { bigint, type PgDatabase, type PgQueryResultHKT, pgTable, text } from "drizzle-orm/pg-core";
import { Pool } from "pg";
import { checkMet, type Database, type Queries, type Tables } from "./database.js";
import { pendingMigrations } from "./migrations.js";
import * as schema from "./schema.postgres.js";

/** Any driver's database of Drizzle for PostgreSQL. */
type Postgres = PgDatabase<PgQueryResultHKT>;

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 10;
/** Any number, the same in every process: only one migrates at a time. */
const MIGRATION_LOCK = 7_275_393;

/** Connects to a PostgreSQL server and brings the database up to date. */
export async function openPostgres(url: string): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "parley",
  });
  // A connection that breaks says so to whoever uses it, as a rejected query. Node.js ends the
  // process on an `error` event that nobody listens to, so that it has a listener all the same.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  try {
    return await usePostgres(drizzle(pool), () => pool.end());
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Brings a database up to date and gives it to the stores. `close` ends the connections. */
export async function usePostgres(db: Postgres, close: () => Promise<void>): Promise<Database> {
  await migrate(db);
  return {
    queries: asQueries(db),
    tables,
    async atomically(build) {
      await db.transaction(async (transaction) => {
        for (const statement of build(asQueries(transaction))) {
          const rows = await statement.query;
          if (statement.isRequired) checkMet(rows);
        }
      });
    },
    close,
  };
}

type RowsOf<Schema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends {
    readonly $inferSelect: infer Row;
    readonly $inferInsert: infer NewRow;
  }
    ? { readonly row: Row; readonly newRow: NewRow }
    : never;
};
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Does not fit when a table of one schema has other JavaScript types than in the other. */
type EqualSchema =
  Equal<RowsOf<typeof schema>, RowsOf<Tables>> extends true ? typeof schema : never;

const tables = schema satisfies EqualSchema as unknown as Tables;

/** The builder as the stores see it; see `Queries` for what makes that true. */
function asQueries(db: Postgres): Queries {
  return db as unknown as Queries;
}

const notedMigrations = pgTable("__drizzle_migrations", {
  hash: text("hash").notNull(),
  createdAt: bigint("created_at", { mode: "number" }).notNull(),
});

async function migrate(db: Postgres): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await transaction.execute(
      sql`create table if not exists ${notedMigrations} (id serial primary key, hash text not null, created_at bigint not null)`,
    );
    const noted = await transaction.select().from(notedMigrations);
    const applied = noted.map((migration) => migration.createdAt);
    for (const { statements, hash, createdAt } of pendingMigrations("postgres", applied)) {
      for (const statement of statements) await transaction.execute(sql.raw(statement));
      await transaction.insert(notedMigrations).values({ hash, createdAt });
    }
  });
}

function ignore(): void {}
