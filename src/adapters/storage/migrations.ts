import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { StorageError } from "../../ports/storage.js";

interface Migration {
  readonly statements: readonly string[];
  readonly hash: string;
  /** When it was generated: its identity, since a hash differs with the line ends of a checkout. */
  readonly createdAt: number;
}

/**
 * The migrations that a database still needs, oldest first. `applied`: those that it noted, by
 * `createdAt`. Throws `StorageError` when it went through one that this version does not know.
 */
export function pendingMigrations(
  dialect: "sqlite" | "postgres",
  applied: readonly number[],
): readonly Migration[] {
  const known = readMigrationFiles({ migrationsFolder: migrationsFolder(dialect) });
  if (applied.some((createdAt) => !known.some((one) => one.folderMillis === createdAt))) {
    throw new StorageError(
      "The database was last used by another, probably newer version of Parley: start that version, or restore a backup made before it.",
      { isTransient: false },
    );
  }
  return known
    .filter((migration) => !applied.includes(migration.folderMillis))
    .map(({ sql, hash, folderMillis }) => ({ statements: sql, hash, createdAt: folderMillis }));
}

/** The folder at the root of the repository, seen from the sources as well as from what was built. */
function migrationsFolder(dialect: "sqlite" | "postgres"): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, "migrations", dialect);
    if (existsSync(join(candidate, "meta", "_journal.json"))) return candidate;
    if (dirname(folder) === folder) {
      throw new StorageError(`No folder migrations/${dialect} was found above ${start}.`, {
        isTransient: false,
      });
    }
  }
}
