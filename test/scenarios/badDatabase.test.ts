/** The program itself, when its database cannot do its work. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteClient from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../src/adapters/storage/open.js";
import { asId } from "../../src/domain/ids.js";
import { ParleyHost } from "../support/parleyProcess.js";
import { cast } from "../support/theatre.js";

let host: ParleyHost;
beforeEach(async () => {
  host = await ParleyHost.open();
});
afterEach(() => host.close());

describe("a database that another process holds", () => {
  it("is waited for: people are told once, and what they wrote is answered afterwards, once", async () => {
    host.endpoint.respond(cast({ researcher: 0, editor: 0.9 }, () => "An answer."));
    const parley = host.start({ STATUS_LINE: "off" });
    await parley.says('"ready"');
    const channelId = await host.furnish();

    const holder = new SqliteClient(host.databasePath);
    holder.exec("begin immediate");
    host.say(channelId, "One?");
    host.say(channelId, "Two?");
    await host.until(channelId, (lines) => lines.length === 3);
    expect(await host.command("agent_create", { display_name: "Late", prompt: "x" })).toMatch(
      /cannot reach my database just now/,
    );
    holder.exec("rollback");
    holder.close();

    const lines = await host.until(
      channelId,
      (shown) => shown.at(-1) === "Editor: An answer." && shown.length >= 4,
    );
    expect(lines).toEqual([
      "ada: One?",
      "ada: Two?",
      expect.stringMatching(/^Parley: -# My database cannot be used just now/),
      "Editor: An answer.",
    ]);
    parley.send("SIGTERM");
    expect(await parley.exit).toEqual({ code: 0, signal: null });
    expect(host.lines(channelId)).toHaveLength(4);
  });
});

describe("a damaged database", () => {
  it("is refused with what to do, and with exit code 78, since starting again does not help", async () => {
    await (await openStorage(`file:${host.databasePath}`)).close();
    writeFileSync(host.databasePath, Buffer.alloc(8_192, 0x55), { flag: "r+" });
    const parley = host.start();
    expect(await parley.exit).toEqual({ code: 78, signal: null });
    expect(parley.errors).toMatch(
      /^Parley cannot start: The file .*parley\.db is (damaged|not a SQLite database): /,
    );
    expect(host.loopback.gateway.identifies).toBe(0);
  });
});

describe("a backup", () => {
  it("is a whole copy, made while the bot writes, and never writes over a file", async () => {
    host.endpoint.respond(cast({ researcher: 0, editor: 0.9 }, () => "An answer."));
    const parley = host.start();
    await parley.says('"ready"');
    const channelId = await host.furnish();
    host.say(channelId, "One?");
    const { exit } = host.runBackup("copy.db");
    host.say(channelId, "Two?");
    expect(await exit).toEqual({ code: 0, signal: null });
    const copy = await openStorage(`file:${join(host.folder, "copy.db")}`);
    const { guild } = host.loopback;
    expect((await copy.groups.list(asId(guild.id))).map(({ name }) => name)).toEqual(["review"]);
    await copy.close();

    const again = host.runBackup("copy.db");
    expect(await again.exit).toEqual({ code: 1, signal: null });
    expect(again.errors).toMatch(/copy\.db exists already/);
    expect(readdirSync(host.folder).filter((name) => name.includes("copy"))).toEqual(["copy.db"]);
  });

  it("of PostgreSQL is left to its own tool", async () => {
    const refused = host.runBackup("copy.db", { DATABASE_URL: "postgres://127.0.0.1:1/parley" });
    expect(await refused.exit).toEqual({ code: 78, signal: null });
    expect(refused.errors).toContain("pg_dump");
  });
});
