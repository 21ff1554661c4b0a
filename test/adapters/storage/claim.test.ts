import { linkSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { claimDatabase, openStorage } from "../../../src/adapters/storage/open.js";
import type { Claim } from "../../../src/ports/storage.js";
import { TestClock } from "../../support/clock.js";

const clock = new TestClock();

async function claimed(url: string): Promise<Claim> {
  const claim = await claimDatabase(url, clock);
  if (claim === null) throw new Error("Somebody else has it.");
  return claim;
}

describe("a SQLite file", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-claim-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is claimed by one at a time, whatever name it is given", async () => {
    const path = join(folder, "a.db");
    const url = `file:${path}`;
    await (await openStorage(url)).close();
    const alias = join(folder, "alias.db");
    symlinkSync(path, alias);

    const first = await claimed(url);
    await first.check();
    expect(await claimDatabase(url, clock)).toBeNull();
    expect(await claimDatabase(`file:${alias}`, clock)).toBeNull();
    await first.release();
    const second = await claimed(`file:${alias}`);
    expect(await claimDatabase(url, clock)).toBeNull();
    await second.release();
  });

  it("that has a second name in the file system is claimed by nobody: it would be damaged", async () => {
    const path = join(folder, "linked.db");
    await (await openStorage(`file:${path}`)).close();
    const other = join(folder, "other.db");
    linkSync(path, other);
    const refusal = { name: "StorageError", message: expect.stringContaining("hard link") };
    await expect(claimDatabase(`file:${path}`, clock)).rejects.toMatchObject(refusal);
    await expect(claimDatabase(`file:${other}`, clock)).rejects.toMatchObject(refusal);
    rmSync(other);
    await (await claimed(`file:${path}`)).release();
  });

  it("can be opened and read by others while it is claimed", async () => {
    const url = `file:${join(folder, "b.db")}`;
    const claim = await claimed(url);
    const storage = await openStorage(url);
    const other = await openStorage(url);
    await storage.settings.set("a", "1");
    expect(await other.settings.get("a")).toBe("1");
    await storage.close();
    await other.close();
    await claim.release();
  });

  it("that cannot be claimed for another reason says so", async () => {
    await expect(claimDatabase(`file:${folder}/a.db/b.db`, clock)).rejects.toMatchObject({
      name: "StorageError",
    });
  });
});

test("a database in memory is everybody's own", async () => {
  await claimed(":memory:");
  await (await claimed(":memory:")).check();
});

test("a PostgreSQL server that is away is a transient error without its password", async () => {
  await expect(claimDatabase("postgres://ana:secret@127.0.0.1:1/x", clock)).rejects.toMatchObject({
    name: "StorageError",
    isTransient: true,
    message: "The PostgreSQL database 127.0.0.1:1/x cannot be reached (ECONNREFUSED)",
  });
});

const serverUrl = process.env["TEST_DATABASE_URL"];

describe.skipIf(serverUrl === undefined)("a database on a PostgreSQL server", () => {
  const database = `parley_claim_${process.pid}`;
  const url = new URL(serverUrl ?? "postgres://localhost");
  url.pathname = `/${database}`;
  const admin = new Client({ connectionString: serverUrl });
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create database ${database}`);
  });
  afterAll(async () => {
    await admin.query(`drop database if exists ${database} with (force)`);
    await admin.end();
  });

  /** Breaks every connection that has a claim. */
  const breakClaims = async () => {
    const { rows } = await admin.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'parley claim'",
    );
    expect(rows.length).toBeGreaterThan(0);
  };

  it("is claimed by one at a time", async () => {
    const first = await claimed(url.href);
    await first.check();
    expect(await claimDatabase(url.href, clock)).toBeNull();
    await first.release();
    await (await claimed(url.href)).release();
  });

  it("stays claimed when the connection breaks and nobody else came", async () => {
    const claim = await claimed(url.href);
    await breakClaims();
    await claim.check();
    expect(await claimDatabase(url.href, clock)).toBeNull();
    await claim.release();
  });

  it("is lost to the one who came meanwhile", async () => {
    const first = await claimed(url.href);
    await breakClaims();
    const second = await claimed(url.href);
    await expect(first.check()).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
      message: expect.stringContaining("taken over by another Parley process"),
    });
    expect((await first.lost).message).toContain("taken over");
    await expect(first.check()).rejects.toMatchObject({ isTransient: false });
    await second.check();
    await second.release();
    await first.release();
  });

  it("is found to be lost also by one who has nothing to do", async () => {
    const first = await claimed(url.href);
    await breakClaims();
    const second = await claimed(url.href);
    await clock.advance(5_000);
    expect((await first.lost).isTransient).toBe(false);
    await second.release();
    await first.release();
  });
});
