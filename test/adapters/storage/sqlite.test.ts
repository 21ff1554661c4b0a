import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openStorage } from "../../../src/adapters/storage/open.js";
import { openTestStorage } from "../../support/storage.js";
import { storageContract } from "./contract.js";
import { durabilityContract } from "./durability.js";

const folder = mkdtempSync(join(tmpdir(), "parley-storage-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newUrl = () => `file:${join(folder, `${++files}`, "data", "parley.db")}`;

storageContract("SQLite in memory", openTestStorage);
storageContract("SQLite in a file", () => openStorage(newUrl()));
durabilityContract("SQLite in a file", async () => {
  const url = newUrl();
  return () => openStorage(url);
});
