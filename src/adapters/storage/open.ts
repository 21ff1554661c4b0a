import { fileURLToPath } from "node:url";
import { type Claim, type Storage, StorageError } from "../../ports/storage.js";
import type { Clock } from "../../ports/system.js";
import { claimOfOwn, claimPostgres, claimSqlite } from "./claim.js";
import type { Database } from "./database.js";
import { toStorageError } from "./errors.js";
import { openPostgres } from "./postgres.js";
import { openSqlite } from "./sqlite.js";
import { createStorage } from "./stores.js";

/**
 * Opens the database that `url` names and brings its tables up to date: `file:./data/parley.db`
 * (folder and file are made when missing), `:memory:`, or `postgres://user:password@host/database`.
 * Rejects with a `StorageError` whose message says what stands in the way.
 */
export async function openStorage(url: string): Promise<Storage> {
  const { label, open } = databaseAt(url);
  try {
    return createStorage(await open(), label);
  } catch (error) {
    throw toStorageError(error, label);
  }
}

/**
 * Claims the database that `url` names for this process; to be done before it is opened, since
 * opening changes its tables. Null: another process has it. Rejects with `StorageError`.
 */
export async function claimDatabase(url: string, clock: Clock): Promise<Claim | null> {
  const { label, claim } = databaseAt(url);
  try {
    return await claim(clock);
  } catch (error) {
    throw toStorageError(error, label);
  }
}

interface Address {
  /** Names the database in errors, without secrets. */
  readonly label: string;
  readonly open: () => Promise<Database>;
  readonly claim: (clock: Clock) => Promise<Claim | null>;
}

function databaseAt(url: string): Address {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) {
    const { host, pathname } = new URL(url);
    const label = `The PostgreSQL database ${host}${pathname}`;
    return {
      label,
      open: () => openPostgres(url),
      claim: (clock) => claimPostgres(url, { label, clock }),
    };
  }
  const path = sqlitePath(url);
  if (path !== null) {
    return {
      label: path === ":memory:" ? "The database in memory" : `The file ${path}`,
      open: async () => openSqlite(path),
      claim: async () => (path === ":memory:" ? claimOfOwn : claimSqlite(path)),
    };
  }
  throw new StorageError(
    "The database must be given as file:./path/to/file.db, :memory: or postgres://user:password@host/database.",
    { isTransient: false },
  );
}

/** The path in a SQLite address, or null when it is none. */
export function sqlitePath(url: string): string | null {
  if (url === ":memory:") return url;
  if (!url.startsWith("file:") || url === "file:") return null;
  if (url.startsWith("file:///")) return fileURLToPath(url);
  // Two slashes would be a host, which a file has none of.
  return url.startsWith("file://") ? null : url.slice("file:".length);
}
