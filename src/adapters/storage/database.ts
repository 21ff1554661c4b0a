import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type * as schema from "./schema.sqlite.js";

/**
 * The query builder and the tables as the stores see them. The types are those of SQLite; on
 * PostgreSQL the same calls run on its own builder and tables. For that, stores use only what both
 * have: queries that are awaited (no `run`, `all`, `get`), and no result of a write without
 * `returning`.
 */
export type Queries = Pick<
  BaseSQLiteDatabase<"async", unknown>,
  "select" | "selectDistinct" | "insert" | "update" | "delete"
>;
export type Tables = typeof schema;

/** A database of either dialect, as the stores use it. */
export interface Database {
  readonly queries: Queries;
  readonly tables: Tables;
  /**
   * Runs the statements that `build` returns in their order, in one transaction. Either all of
   * them take effect or none does. Rejects with `Unmet` when a required one matched no row.
   */
  atomically(build: (queries: Queries) => readonly Statement[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * One write of a transaction: a promise to PostgreSQL, a synchronous call to SQLite, whose
 * transactions cannot wait.
 */
export type Statement =
  | { readonly isRequired: false; readonly query: PromiseLike<unknown> & { run(): unknown } }
  | {
      readonly isRequired: true;
      readonly query: PromiseLike<readonly unknown[]> & { all(): unknown };
    };

/** A write as part of a transaction, whatever number of rows it touches. */
export function write(query: PromiseLike<unknown> & { run(): unknown }): Statement {
  return { isRequired: false, query };
}

/** A write that must return a row: when it does not, the whole transaction is undone. */
export function mustMatch(query: PromiseLike<readonly unknown[]> & { all(): unknown }): Statement {
  return { isRequired: true, query };
}

/** A required statement matched no row; nothing of its transaction was stored. */
export class Unmet extends Error {
  override readonly name = "Unmet";
}

/** Runs the statements in one transaction. False: a required one matched no row, and nothing was stored. */
export async function unlessUnmet(
  database: Pick<Database, "atomically">,
  build: (queries: Queries) => readonly Statement[],
): Promise<boolean> {
  try {
    await database.atomically(build);
    return true;
  } catch (error) {
    if (error instanceof Unmet) return false;
    throw error;
  }
}

/** Throws `Unmet` when a required statement returned no row. */
export function checkMet(rows: unknown): void {
  if (!Array.isArray(rows) || rows.length === 0) throw new Unmet("A required row is missing");
}
