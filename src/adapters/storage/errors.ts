import { DrizzleQueryError } from "drizzle-orm/errors";
import { StorageError } from "../../ports/storage.js";

/** The table whose unique column or index a failed write ran into, or null for any other failure. */
export function takenIn(error: unknown): string | null {
  const cause = driverError(error);
  const code = codeOf(cause);
  // SQLite names the columns: "UNIQUE constraint failed: names.guild_id, names.name".
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
    return /failed: (\w+)\./.exec(cause.message)?.[1] ?? null;
  }
  if (code === POSTGRES_UNIQUE_VIOLATION) return textField(cause, "table");
  return null;
}

/** Any failure of a database as the port's error. `database` says which, without its password. */
export function toStorageError(error: unknown, database: string): StorageError {
  if (error instanceof StorageError) return error;
  const cause = driverError(error);
  const code = codeOf(cause) ?? "";
  return new StorageError(`${explain(code, database)} (${code || cause.name})`, {
    isTransient: isTransient(code, cause.message),
    cause: withoutValues(cause),
  });
}

const POSTGRES_UNIQUE_VIOLATION = "23505";

/**
 * Drizzle wraps what the driver says, with the statement and its values, which hold prompts and
 * messages: only the inner error goes on.
 */
function driverError(error: unknown): Error {
  if (error instanceof DrizzleQueryError && error.cause) return driverError(error.cause);
  return error instanceof Error ? error : new Error(String(error));
}

/** PostgreSQL's errors carry the failing row in fields of their own; logs must not. */
function withoutValues(error: Error): Error {
  if (textField(error, "severity") === null) return error;
  const bare = new Error(error.message);
  return Object.assign(bare, { name: error.name, code: codeOf(error) });
}

function isTransient(code: string, message: string): boolean {
  return (
    /^SQLITE_(BUSY|LOCKED|FULL|IOERR|PROTOCOL|READONLY|CANTOPEN)/.test(code) ||
    // PostgreSQL, by class: connection, resources, shutdown; then serialization, deadlock, lock, cancelled.
    /^(08...|53...|57P..|40001|40P01|55P03|57014)$/.test(code) ||
    NETWORK_CODES.has(code) ||
    // The pool's own errors have no code.
    /connection terminated|timeout exceeded when trying to connect/i.test(message)
  );
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
]);

function explain(code: string, database: string): string {
  if (code === "SQLITE_NOTADB") {
    return `${database} is not a SQLite database: move it away, so that a new one is made, or let DATABASE_URL name another file`;
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return `${database} is damaged: stop the bot, keep a copy of the file, and restore a backup or recover it with "sqlite3 <file> .recover"`;
  }
  if (
    /^(SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM|EACCES|EPERM|ENOTDIR|EISDIR|EROFS)/.test(code)
  ) {
    return `${database} cannot be opened for writing: check that its folder exists and belongs to the bot's user`;
  }
  if (code.startsWith("SQLITE_FULL") || code === "53100" || code === "ENOSPC") {
    return `${database} cannot grow: its disk is full`;
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return `${database} is held by another process`;
  }
  if (/^28...$/.test(code)) return `${database} refused the user or password of DATABASE_URL`;
  if (code === "3D000") return `${database} does not exist on that server: create it first`;
  if (NETWORK_CODES.has(code)) return `${database} cannot be reached`;
  return `${database} could not do what was asked`;
}

/** The code of SQLite, PostgreSQL or the network. Several failed addresses come as one error of many. */
function codeOf(error: Error): string | null {
  const code = textField(error, "code");
  if (code !== null || !(error instanceof AggregateError)) return code;
  const first: unknown = error.errors[0];
  return first instanceof Error ? codeOf(first) : null;
}

function textField(error: Error, field: string): string | null {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "string" ? value : null;
}
