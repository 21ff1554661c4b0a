import { fileURLToPath } from "node:url";
import { type Storage, StorageError } from "../../ports/storage.js";
import { toStorageError } from "./errors.js";
import { openSqlite } from "./sqlite.js";
import { createStorage } from "./stores.js";

/**
 * Opens the database that `url` names and brings its tables up to date: `file:./data/parley.db`
 * (folder and file are made when missing), `:memory:`, or `postgres://user:password@host/database`.
 * Rejects with a `StorageError` whose message says what stands in the way.
 */
export async function openStorage(url: string): Promise<Storage> {
  const path = sqlitePath(url);
  if (path !== null) {
    const label = path === ":memory:" ? "The database in memory" : `The file ${path}`;
    try {
      return createStorage(openSqlite(path), label);
    } catch (error) {
      throw toStorageError(error, label);
    }
  }
  throw new StorageError(
    "The database must be given as file:./path/to/file.db, :memory: or postgres://user:password@host/database.",
    { isTransient: false },
  );
}

/** The path in a SQLite address, or null when it is none. */
function sqlitePath(url: string): string | null {
  if (url === ":memory:") return url;
  if (url.startsWith("file://")) return fileURLToPath(url);
  if (url.startsWith("file:") && url.length > "file:".length) return url.slice("file:".length);
  return null;
}
