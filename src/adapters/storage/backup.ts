import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import SqliteClient from "better-sqlite3";
import { StorageError } from "../../ports/storage.js";
import { toStorageError } from "./errors.js";

const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a SQLite file as it is at one moment, also while the bot writes to it. The copy gets its
 * name only when it is whole. Rejects with `StorageError`; an existing file is left alone.
 */
export async function backupSqlite(path: string, target: string): Promise<void> {
  if (!existsSync(path)) throw refused(`There is no database ${path} to copy.`);
  if (existsSync(target)) throw refused(`${target} exists already: give another name.`);
  const unfinished = join(dirname(target), `.${basename(target)}.${process.pid}`);
  try {
    const client = new SqliteClient(path, { fileMustExist: true });
    try {
      // In one go: a copy in steps begins anew whenever the bot writes in between.
      await client.backup(unfinished, { progress: () => ALL_PAGES });
    } finally {
      client.close();
    }
    check(unfinished);
    renameSync(unfinished, target);
  } catch (error) {
    for (const rest of ["", "-wal", "-shm"]) rmSync(`${unfinished}${rest}`, { force: true });
    throw toStorageError(error, `The file ${path}`);
  }
}

function check(path: string): void {
  const copy = new SqliteClient(path, { fileMustExist: true });
  try {
    const found = copy.pragma("quick_check", { simple: true });
    if (found !== "ok")
      throw refused(`The database is damaged, so that it was not copied: ${String(found)}`);
  } finally {
    copy.close();
  }
}

function refused(message: string): StorageError {
  return new StorageError(message, { isTransient: false });
}
