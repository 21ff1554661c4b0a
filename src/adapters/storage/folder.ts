import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StorageError } from "../../ports/storage.js";

/**
 * Makes the folder of a database file where it is missing. Rejects with a `StorageError` that does
 * not pass by itself when the path can never be one of a file.
 */
export function makeFolderOf(path: string): void {
  const whole = resolve(path);
  if (stateOf(whole) === "folder") {
    throw wrong(whole, "is a folder: let DATABASE_URL name a file in it");
  }
  const missing: string[] = [];
  let parent = dirname(whole);
  let found = stateOf(parent);
  while (found === "missing" && dirname(parent) !== parent) {
    missing.unshift(basename(parent));
    parent = dirname(parent);
    found = stateOf(parent);
  }
  if (found !== "folder") throw wrong(whole, `cannot be made: ${parent} is no folder`);
  if (missing.length === 0) return;
  try {
    accessSync(parent, constants.W_OK);
    // Not `recursive`: under /proc, Node.js tries that again without end.
    for (const name of missing) {
      parent = join(parent, name);
      mkdirSync(parent);
    }
  } catch (error) {
    // Another process was faster.
    if (stateOf(dirname(whole)) === "folder") return;
    throw wrong(whole, `cannot be made: its folder could not be made in ${dirname(parent)}`, error);
  }
}

function stateOf(path: string): "folder" | "other" | "missing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "other";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    return code === "ENOENT" ? "missing" : "other";
  }
}

function wrong(path: string, problem: string, cause?: unknown): StorageError {
  return new StorageError(`The file ${path} ${problem}.`, { isTransient: false, cause });
}
