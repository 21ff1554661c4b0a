/** `npm run backup [file]`: a copy of the database, also while the bot runs. */
import { dirname, join, resolve } from "node:path";
import { backupSqlite } from "./adapters/storage/backup.js";
import { sqlitePath } from "./adapters/storage/open.js";
import { systemClock } from "./adapters/system.js";
import { ConfigError, DEFAULT_DATABASE_URL, loadDotEnv, readConfig } from "./config.js";
import { StorageError } from "./ports/storage.js";

/** Resolves to what is said about it. */
async function backup(given: string | undefined): Promise<string> {
  const path = sqlitePath(readConfig().databaseUrl ?? DEFAULT_DATABASE_URL);
  if (path === null) {
    throw new ConfigError(
      "DATABASE_URL names a PostgreSQL server: make the copy with its own tool, pg_dump, which also does that while the bot runs.",
    );
  }
  const now = new Date(systemClock.now()).toISOString().slice(0, 19).replace(/[-:]/g, "");
  const target = resolve(given ?? join(dirname(path), `parley-${now}.db`));
  await backupSqlite(path, target);
  return `The database was copied to ${target}`;
}

try {
  loadDotEnv();
  process.stdout.write(`${await backup(process.argv[2])}\n`);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StorageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 1;
}
