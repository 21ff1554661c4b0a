import { fileURLToPath } from "node:url";
import { type Storage, StorageError } from "../../ports/storage.js";
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

interface Address {
  /** Names the database in errors, without secrets. */
  readonly label: string;
  readonly open: () => Promise<Database>;
}

function databaseAt(url: string): Address {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) {
    const { host, pathname } = new URL(url);
    return {
      label: `The PostgreSQL database ${host}${pathname}`,
      open: () => openPostgres(url),
    };
  }
  const path = sqlitePath(url);
  if (path !== null) {
    return {
      label: path === ":memory:" ? "The database in memory" : `The file ${path}`,
      open: async () => openSqlite(path),
    };
  }
  throw new StorageError(
    "The database must be given as file:./path/to/file.db, :memory: or postgres://user:password@host/database.",
    { isTransient: false },
  );
}

/** The path in a SQLite address, or null when it is none. */
function sqlitePath(url: string): string | null {
  if (url === ":memory:") return url;
  if (!url.startsWith("file:") || url === "file:") return null;
  if (url.startsWith("file:///")) return fileURLToPath(url);
  // Two slashes would be a host, which a file has none of.
  return url.startsWith("file://") ? null : url.slice("file:".length);
}
