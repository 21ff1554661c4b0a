import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import SqliteClient from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { openStorage } from "../../../src/adapters/storage/open.js";
import { useSqlite } from "../../../src/adapters/storage/sqlite.js";
import { createStorage } from "../../../src/adapters/storage/stores.js";
import { asId, type ConversationId } from "../../../src/domain/ids.js";
import { openTestStorage } from "../../support/storage.js";
import { storageContract } from "./contract.js";
import { durabilityContract } from "./durability.js";
import {
  agent,
  channelId,
  GUILD,
  group,
  message,
  messageId,
  opened,
  reply,
  round,
} from "./samples.js";

const folder = mkdtempSync(join(tmpdir(), "parley-storage-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** SQLite's page size unless told otherwise; the first holds the header. */
const FIRST_PAGE_BYTES = 4_096;

let files = 0;
const newPath = () => join(folder, `${++files}`, "data", "parley.db");

storageContract("SQLite in memory", openTestStorage);
storageContract("SQLite in a file", () => openStorage(`file:${newPath()}`));
durabilityContract("SQLite in a file", async () => {
  const path = newPath();
  return () => openStorage(`file:${path}`);
});

describe("SQLite", () => {
  test("a committed write is synced to the disk's log, foreign keys hold, and readers do not block", async () => {
    const path = newPath();
    mkdirSync(dirname(path), { recursive: true });
    const client = new SqliteClient(path);
    const storage = createStorage(useSqlite(client), "The file");
    expect(client.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(client.pragma("synchronous", { simple: true })).toBe(2);
    expect(client.pragma("foreign_keys", { simple: true })).toBe(1);
    await storage.close();
  });

  test("every query of the port finds its rows by an index", async () => {
    const statements = new Set<string>();
    const client = new SqliteClient(":memory:", {
      verbose: (statement) => {
        statements.add(String(statement));
      },
    });
    const storage = createStorage(useSqlite(client), "The database");
    statements.clear();
    await callEverything(storage);
    const plans = [...statements]
      .filter((statement) => /^(select|update|delete)/i.test(statement))
      .map((statement) => ({
        statement,
        steps: client
          .prepare<[], { detail: string }>(`explain query plan ${statement}`)
          .all()
          .map((step) => step.detail),
      }));
    expect(plans.length).toBeGreaterThan(25);
    const scans = plans.filter(({ steps }) =>
      steps.some(
        (step) => /^SCAN (?!CONSTANT)/.test(step) && !/USING (COVERING )?INDEX/.test(step),
      ),
    );
    expect(scans).toEqual([]);
    await storage.close();
  });

  test("what was promised is in the files when the process is killed without closing", async () => {
    const path = newPath();
    const storage = await openStorage(`file:${path}`);
    await storage.messages.record(message(10), { isPending: true });
    await storage.rounds.open(round("r1", 10), opened([10]));
    // A killed process leaves its files as they are at that moment, log included.
    const left = join(folder, "left");
    cpSync(dirname(path), left, { recursive: true });
    await storage.close();

    const after = await openStorage(`file:${join(left, "parley.db")}`);
    expect(await after.rounds.unfinished()).toEqual([round("r1", 10)]);
    expect(await after.messages.get(messageId(10))).toEqual(message(10));
    await after.close();
  });

  test("after closing, a call is a storage error", async () => {
    const storage = await openTestStorage();
    await storage.close();
    await expect(storage.settings.get("x")).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
    });
  });
});

describe("opening", () => {
  test("file::memory: is a database in memory", async () => {
    const storage = await openStorage("file::memory:");
    await storage.settings.set("a", "b");
    expect(existsSync(":memory:")).toBe(false);
    await storage.close();
  });

  test("a file address with three slashes is an absolute path", async () => {
    const path = newPath();
    const storage = await openStorage(`file://${path}`);
    expect(existsSync(path)).toBe(true);
    await storage.close();
  });

  test.each(["", "file:", "file://host/x.db", "mysql://x", "./parley.db", "postgres"])(
    "the address %j is refused with what is accepted",
    async (url) => {
      await expect(openStorage(url)).rejects.toMatchObject({
        name: "StorageError",
        isTransient: false,
        message: expect.stringContaining("file:./path"),
      });
    },
  );

  test("a file that is no database is named, with what to do", async () => {
    const path = join(folder, "letter.txt");
    writeFileSync(path, "Dear database, ".repeat(100));
    await expect(openStorage(`file:${path}`)).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
      message: expect.stringMatching(/letter\.txt is not a SQLite database: move it away/),
    });
  });

  test("a damaged database is named, with what to do", async () => {
    const path = newPath();
    await (await openStorage(`file:${path}`)).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x55, FIRST_PAGE_BYTES));
    const damaged = openStorage(`file:${path}`);
    await expect(damaged).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
      message: expect.stringMatching(/parley\.db is damaged: stop the bot/),
    });
  });

  test("a folder in the place of the file is named", async () => {
    await expect(openStorage(`file:${folder}`)).rejects.toMatchObject({
      name: "StorageError",
      message: expect.stringContaining("is a folder"),
    });
  });

  test("a database of a newer version is refused and left alone", async () => {
    const path = newPath();
    await (await openStorage(`file:${path}`)).close();
    const client = new SqliteClient(path);
    client.exec("insert into __drizzle_migrations (hash, created_at) values ('x', 99999999999999)");
    client.close();
    await expect(openStorage(`file:${path}`)).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
      message: expect.stringContaining("newer version of Parley"),
    });
  });

  test("a database that another process holds is a transient error", async () => {
    const path = newPath();
    await (await openStorage(`file:${path}`)).close();
    const holder = new SqliteClient(path);
    holder.exec("begin immediate");
    const impatient = new SqliteClient(path, { timeout: 0 });
    expect(() => useSqlite(impatient)).toThrow(/locked/);
    impatient.close();
    holder.exec("rollback");

    const client = new SqliteClient(path, { timeout: 0 });
    const storage = createStorage(useSqlite(client), "The file");
    holder.exec("begin immediate");
    await expect(storage.settings.set("a", "b")).rejects.toMatchObject({
      name: "StorageError",
      isTransient: true,
    });
    holder.exec("rollback");
    holder.close();
    await storage.settings.set("a", "b");
    await storage.close();
  });
});

/** Calls every method of the port that reads or changes rows, so that each of its queries is seen. */
async function callEverything(storage: Awaited<ReturnType<typeof openTestStorage>>) {
  const conversation = asId<ConversationId>("500");
  const members = [agent("editor"), agent("writer")];
  const review = group("review", members);
  const running = round("r1", 10);
  for (const one of members) await storage.agents.create(one);
  await storage.agents.update(members[0]?.id ?? asId(""), { prompt: "x" });
  await storage.agents.get(asId("agent-editor"));
  await storage.agents.find(GUILD, "editor");
  await storage.agents.byChannel(channelId("1"));
  await storage.agents.list(GUILD);
  await storage.groups.create(review);
  await storage.groups.update(review.id, { members: review.members, muted: review.members });
  await storage.groups.get(review.id);
  await storage.groups.find(GUILD, "review");
  await storage.groups.byChannel(channelId("1"));
  await storage.groups.withMember(asId("agent-editor"));
  await storage.groups.list(GUILD);
  await storage.messages.record(message(10), { isPending: true });
  await storage.messages.get(messageId(10));
  await storage.messages.edit(messageId(10), "x", 1);
  await storage.messages.transcript(conversation, 10);
  await storage.messages.recent(conversation, { before: null, limit: 5 });
  await storage.messages.recent(conversation, { before: messageId(20), limit: 5 });
  await storage.messages.newestId(conversation);
  await storage.messages.pending(conversation);
  await storage.messages.pendingPlaces();
  await storage.rounds.open(running, opened([10]));
  await storage.rounds.append(running.id, 1, [{ type: "expired" }], {
    atMs: 1,
    message: reply(11, running),
  });
  await storage.rounds.journal(running.id);
  await storage.rounds.get(running.id);
  await storage.rounds.unfinished();
  await storage.rounds.latest(conversation);
  await storage.rounds.ofMessage(messageId(11));
  await storage.messages.settle([messageId(10)]);
  await storage.messages.markDeleted([messageId(10)], 1);
  await storage.usage.ofRound(running.id);
  await storage.usage.since(GUILD, 0);
  await storage.usage.sums(GUILD, 0, null);
  await storage.usage.sums(GUILD, 0, asId("group-review"));
  await storage.usage.spent({ guildId: GUILD, groupId: null, userId: null }, 0);
  await storage.webhooks.get(channelId("1"));
  await storage.webhooks.remove(channelId("1"));
  await storage.settings.get("x");
  await storage.archive.archiveGroup(review.id, 1);
  await storage.archive.restoreGroup(review.id, { ...review, channelId: channelId("1") });
  await storage.archive.archiveAgent(asId("agent-editor"), 1);
  await storage.archive.leftGroups(asId("agent-editor"));
  await storage.archive.restoreAgent(asId("agent-editor"), channelId("1"));
  await storage.archive.unmovedChannels(GUILD);
  await storage.archive.settleChannel(channelId("1"));
  await storage.archive.loseChannel(channelId("1"));
}
