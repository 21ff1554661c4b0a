import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StorageError } from "../../ports/storage.js";

/**
 * Whether a database file that is not there can be made: makes it, and takes it and its folders
 * away again. Rejects as `makeFolderOf` does.
 */
export function tryFile(path: string): void {
  const whole = resolve(path);
  const made = makeFolderOf(whole);
  try {
    if (existsSync(whole)) return;
    closeSync(openSync(whole, "wx"));
    unlinkSync(whole);
  } catch (error) {
    throw wrong(whole, "cannot be made: nothing may be written in its folder", error);
  } finally {
    for (const folder of made.toReversed()) rmdirSync(folder);
  }
}

/**
 * Makes the folder of a database file where it is missing. Rejects with a `StorageError` that does
 * not pass by itself when the path can never be one of a file. Gives the folders that were made.
 */
export function makeFolderOf(path: string): readonly string[] {
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
  if (found === "file") throw wrong(whole, `cannot be made: ${parent} is a file, not a folder`);
  if (found !== "folder") throw wrong(whole, `cannot be made: ${parent} may not be looked into`);
  const made: string[] = [];
  if (missing.length === 0) return made;
  try {
    accessSync(parent, constants.W_OK);
    // Not `recursive`: under /proc, Node.js tries that again without end.
    for (const name of missing) {
      parent = join(parent, name);
      mkdirSync(parent);
      made.push(parent);
    }
    return made;
  } catch (error) {
    // Another process was faster.
    if (stateOf(dirname(whole)) === "folder") return made;
    const problem = `The folder ${parent} cannot be made.`;
    throw new StorageError(problem, { isTransient: false, cause: error });
  }
}

function stateOf(path: string): "folder" | "file" | "missing" | "closed" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    // The second: something above it is a file.
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "closed";
  }
}

function wrong(path: string, problem: string, cause?: unknown): StorageError {
  return new StorageError(`The file ${path} ${problem}.`, { isTransient: false, cause });
}
