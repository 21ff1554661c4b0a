import { inspect } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage } from "../../../src/adapters/storage/open.js";
import { usePostgres } from "../../../src/adapters/storage/postgres.js";
import { createStorage } from "../../../src/adapters/storage/stores.js";
import { storageContract } from "./contract.js";
import { durabilityContract } from "./durability.js";
import { agent, agentId, group } from "./samples.js";

const LABEL = "The database of the test";

/** PostgreSQL compiled to run inside this process: one for the whole suite, emptied for each test. */
const server = new PGlite();
afterAll(() => server.close());

async function open() {
  return createStorage(await usePostgres(drizzle(server), async () => undefined), LABEL);
}

async function clear() {
  await server.exec("drop schema public cascade; create schema public");
}

storageContract("PostgreSQL in this process", async () => {
  await clear();
  return open();
});
durabilityContract("PostgreSQL in this process", async () => {
  await clear();
  return open;
});

test("a server that is away is a transient error that names it without its password", async () => {
  const error = await openStorage("postgres://ana:secret@127.0.0.1:1/parley").catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({
    name: "StorageError",
    isTransient: true,
    message: "The PostgreSQL database 127.0.0.1:1/parley cannot be reached (ECONNREFUSED)",
  });
  expect(inspect(error)).not.toContain("secret");
});

test("a failure says nothing of the row that failed, which may hold what people wrote", async () => {
  await clear();
  const storage = await open();
  const members = [agent("editor"), agent("writer")];
  for (const member of members) await storage.agents.create(member);
  const broken = group("review", members, {
    displayName: "whispered",
    hostId: agentId("nobody"),
  });
  const error = await storage.groups.create(broken).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StorageError", isTransient: false });
  expect(inspect(error, { depth: 10 })).not.toContain("whispered");
});

test("a database of a newer version is refused", async () => {
  await clear();
  await open();
  await server.exec(
    "insert into __drizzle_migrations (hash, created_at) values ('x', 99999999999999)",
  );
  await expect(open()).rejects.toMatchObject({
    name: "StorageError",
    isTransient: false,
    message: expect.stringContaining("newer version of Parley"),
  });
});

const serverUrl = process.env["TEST_DATABASE_URL"];

if (serverUrl === undefined) {
  describe("PostgreSQL server", () => {
    test.skip("skipped: TEST_DATABASE_URL (a user that may create databases) is not set", () =>
      undefined);
  });
} else {
  const prefix = `parley_test_${process.pid}`;
  const made: string[] = [];
  const admin = new Client({ connectionString: serverUrl });
  beforeAll(() => admin.connect());
  afterAll(async () => {
    for (const name of made) await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  });

  const newUrl = async () => {
    const name = `${prefix}_${made.length}`;
    await admin.query(`create database ${name}`);
    made.push(name);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  };

  test("a connection that breaks is a transient error, and the next call gets a new one", async () => {
    const url = await newUrl();
    const storage = await openStorage(url);
    await storage.settings.set("a", "1");
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("begin; lock table settings");
    const waiting = storage.settings.set("a", "2");
    const isWaiting =
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = $1";
    const database = new URL(url).pathname.slice(1);
    let found = await admin.query(isWaiting, [database]);
    while (found.rowCount === 0) found = await admin.query(isWaiting, [database]);
    const broken = expect(waiting).rejects.toMatchObject({
      name: "StorageError",
      isTransient: true,
    });
    await admin.query("select pg_terminate_backend($1)", [found.rows[0].pid]);
    await broken;
    await blocker.query("rollback");
    await blocker.end();
    expect(await storage.settings.get("a")).toBe("1");
    await storage.close();
  });

  storageContract("PostgreSQL server", async () => openStorage(await newUrl()));
  durabilityContract("PostgreSQL server", async () => {
    const url = await newUrl();
    return () => openStorage(url);
  });
}
