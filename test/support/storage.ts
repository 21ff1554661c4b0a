import { openStorage } from "../../src/adapters/storage/open.js";
import type { Storage } from "../../src/ports/storage.js";

/** A real SQLite database in memory, empty, with every table. */
export function openTestStorage(): Promise<Storage> {
  return openStorage(":memory:");
}
