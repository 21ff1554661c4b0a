import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolderOf } from "../../../src/adapters/storage/folder.js";
import { openStorage } from "../../../src/adapters/storage/open.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the folder of a database", () => {
  it("is made with those above it, and left alone when it is there", () => {
    const path = join(folder, "a", "b", "p.db");
    makeFolderOf(path);
    makeFolderOf(path);
    expect(existsSync(join(folder, "a", "b"))).toBe(true);
  });

  it.each([
    ["it is a folder itself", () => folder, "is a folder"],
    ["a file is in its way", () => join(folder, "file", "p.db"), "is a file, not a folder"],
    [
      "a file is higher up in its way",
      () => join(folder, "file", "a", "p.db"),
      "is a file, not a folder",
    ],
    ["nothing can be made there", () => "/proc/x/y/p.db", "The folder /proc/x cannot be made."],
  ])("is refused for good when %s", async (_, path, words) => {
    writeFileSync(join(folder, "file"), "");
    await expect(openStorage(`file:${path()}`)).rejects.toMatchObject({
      isTransient: false,
      message: expect.stringContaining(words),
    });
  });

  it("is refused for good when the file is no database", async () => {
    writeFileSync(join(folder, "file"), "This is a text that is long enough. ".repeat(100));
    await expect(openStorage(`file:${join(folder, "file")}`)).rejects.toMatchObject({
      isTransient: false,
    });
  });
});
