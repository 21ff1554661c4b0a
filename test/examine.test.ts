import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NEEDED_BITS } from "../src/adapters/discord/checkup.js";
import { openStorage } from "../src/adapters/storage/open.js";
import type { ChannelId, GuildId } from "../src/domain/ids.js";
import { asId } from "../src/domain/ids.js";
import { examine, report } from "../src/examine.js";
import { setOverwrite } from "../src/playground/world/channels.js";
import { setRolePermissions } from "../src/playground/world/guilds.js";
import { agent } from "./adapters/storage/samples.js";
import { startTestLoopback, type TestLoopback } from "./support/loopback.js";
import {
  failure,
  type ModelEndpoint,
  startModelEndpoint,
  structured,
} from "./support/modelEndpoint.js";

let loopback: TestLoopback;
let endpoint: ModelEndpoint;
let folder: string;
beforeEach(async () => {
  loopback = await startTestLoopback({ guild: { botPermissions: NEEDED_BITS } });
  endpoint = await startModelEndpoint();
  folder = await mkdtemp(join(tmpdir(), "parley-doctor-"));
  endpoint.respond((request) =>
    request.body.response_format === undefined ? "yes" : structured({ cook: 0.9 }),
  );
});
afterEach(async () => {
  await loopback.close();
  await endpoint.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = (change: Readonly<Record<string, string>> = {}) => ({
  DISCORD_TOKEN: loopback.token,
  DISCORD_API_URL: loopback.apiUrl,
  DATABASE_URL: `file:${join(folder, "parley.db")}`,
  OPENAI_API_KEY: "sk-doctor-secret",
  OPENAI_BASE_URL: endpoint.baseUrl,
  MODEL: "m",
  PARLEY_FILE: "off",
  ...change,
});
const reportOf = async (change?: Readonly<Record<string, string>>, version = "v20.19.0") =>
  report(await examine(version, environment(change)));

describe("npm run doctor", () => {
  it("finds nothing wrong where nothing is wrong, and prints the invitation link", async () => {
    const text = await reportOf();
    expect(text).not.toContain("✗");
    expect(text).toContain("✓ Server Workshop: every permission is there.");
    expect(text).toContain("✓ Judge: m gives structured answers.");
    expect(text).toContain(
      `client_id=${loopback.world.application.id}&scope=bot+applications.commands&permissions=309774634000`,
    );
    expect(text).not.toContain("sk-doctor-secret");
    expect(text).not.toContain(loopback.token);
  });

  it("says that a model cannot use tools, and what helps", async () => {
    expect(await reportOf()).toContain("✓ Tools: m takes tools.");
    endpoint.respond((request) =>
      request.body.tools === undefined
        ? request.body.response_format === undefined
          ? "yes"
          : structured({ cook: 0.9 })
        : failure(400, { message: "m does not support tools" }),
    );
    const text = await reportOf();
    expect(text).toContain("✓ Model: ");
    expect(text).toContain(
      "✗ Tools: m: it cannot use tools: agents can only talk in their own channels, and no host can run a floor. Set MODEL to a model that can.",
    );
  });

  it("makes no folder for a database that is not there yet", async () => {
    const deep = join(folder, "new", "data");
    expect(await reportOf({ DATABASE_URL: `file:${join(deep, "parley.db")}` })).toContain(
      `✓ Database: the file ${join(deep, "parley.db")} will be made at the start.`,
    );
    expect(existsSync(join(folder, "new"))).toBe(false);
    await reportOf();
    expect(existsSync(join(folder, "parley.db"))).toBe(false);
  });

  it("says of a file that is no database only what helps there", async () => {
    const path = join(folder, "notes.db");
    await writeFile(path, "These are notes, and no database at all.".repeat(40));
    const text = await reportOf({ DATABASE_URL: `file:${path}` });
    const line = text.split("\n").find((one) => one.startsWith("✗ Database"));
    expect(line).toMatch(/is not a SQLite database: .*another file \(SQLITE_NOTADB\)\.$/u);
  });

  it("names the permissions that are missing in a server", async () => {
    setRolePermissions(
      loopback.world,
      loopback.guild,
      loopback.botRole,
      NEEDED_BITS & ~PermissionFlagsBits.ManageWebhooks & ~PermissionFlagsBits.ManageChannels,
    );
    expect(await reportOf()).toContain(
      "✗ Server Workshop: missing: Manage Webhooks, Manage Channels.",
    );
  });

  it("names what a channel of an agent takes away", async () => {
    const { world, botRole, channelId, guild } = loopback;
    const storage = await openStorage(environment().DATABASE_URL);
    const where = { guildId: asId<GuildId>(guild.id), channelId: asId<ChannelId>(channelId) };
    await storage.agents.create(agent("editor", where));
    await storage.close();
    expect(await reportOf()).not.toContain("✗");
    const forbid = (id: string, deny: bigint, allow = 0n) =>
      setOverwrite(world, world.channel(channelId), {
        id,
        type: OverwriteType.Role,
        allow,
        deny,
      });
    forbid(guild.id, PermissionFlagsBits.ReadMessageHistory | PermissionFlagsBits.SendMessages);
    forbid(botRole.id, 0n, PermissionFlagsBits.SendMessages);
    const text = await reportOf();
    expect(text).toContain("✓ Server Workshop: every permission is there.");
    expect(text).toContain(
      "✗ Channel general of Workshop: missing: Read Message History. Allow it to the bot's role in the channel's permissions.",
    );
  });

  it.each([
    ["an old Node.js", {}, "v18.20.0", "✗ Node.js: v18.20.0 is too old."],
    [
      "wrong settings",
      { MAX_REPLIES: "9" },
      "v22.0.0",
      "✗ Settings: MAX_REPLIES: expected a whole number from 1 to 8",
    ],
    [
      "a wrong token",
      { DISCORD_TOKEN: "other" },
      "v22.0.0",
      "✗ Discord: Discord does not accept DISCORD_TOKEN.",
    ],
    [
      "a folder that cannot be made",
      { DATABASE_URL: "file:/dev/null/deep/x.db" },
      "v22.0.0",
      "✗ Database: The file /dev/null/deep/x.db cannot be made: /dev/null is a file, not a folder. Give",
    ],
    [
      "a folder in which nothing can be made",
      { DATABASE_URL: "file:/proc/nope/x.db" },
      "v22.0.0",
      "✗ Database: The folder /proc/nope cannot be made. Give",
    ],
    [
      "a file that cannot be made in its folder",
      { DATABASE_URL: "file:/proc/x.db" },
      "v22.0.0",
      "✗ Database: The file /proc/x.db cannot be made: nothing may be written in its folder. Give",
    ],
    [
      "a PostgreSQL that is down",
      { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" },
      "v22.0.0",
      "cannot be reached (ECONNREFUSED). Check that PostgreSQL runs",
    ],
    ["a database that is none", { DATABASE_URL: "file:/dev/null/x.db" }, "v22.0.0", "✗ Database: "],
    ["a file that is not there", { PARLEY_FILE: "no/such.yaml" }, "v22.0.0", "✗ parley.yaml: "],
  ])("says what is wrong: %s", async (_, change, version, line) => {
    expect(await reportOf(change, version)).toContain(line);
  });

  it.each([
    [
      "does not know the key",
      failure(401, { message: "no" }),
      "✗ Model: m: the endpoint does not accept OPENAI_API_KEY. Set a valid key",
    ],
    [
      "does not know the model",
      failure(404, { message: "model not found" }),
      "✗ Model: m: the endpoint does not know this model.",
    ],
    [
      "is in trouble",
      failure(503, { message: "down" }),
      "✗ Model: m: the endpoint answers with an error (status 503). Try again later",
    ],
    [
      "takes no more requests",
      failure(429, { message: "slow down" }),
      "✗ Model: m: the endpoint takes no more requests just now. Wait a little",
    ],
    ["says nothing", "", "✗ Model: m answered with an empty text. Set MODEL to another model."],
  ])("says when the model endpoint %s", async (_, answer, line) => {
    endpoint.respond(() => answer);
    expect(await reportOf()).toContain(line);
  });

  it("says when the judge's model gives no structured answers", async () => {
    endpoint.respond(() => "Well, I would say yes.");
    const text = await reportOf();
    expect(text).toContain("✓ Model: m at");
    expect(text).toContain("✗ Judge: m did not give valid structured output. Set JUDGE_MODEL");
  });

  it("reads parley.yaml", async () => {
    const path = join(folder, "mine.yaml");
    await writeFile(path, "agents:\n  - { display_name: A, prompt: B }\n");
    expect(await reportOf({ PARLEY_FILE: path })).toContain(`✓ ${path}: 1 agent, 0 groups.`);
    await writeFile(path, "agents:\n  - { display_name: A, promt: B }\n");
    expect(await reportOf({ PARLEY_FILE: path })).toContain(
      `✗ ${path}: line 2 (agents.0.prompt): \`prompt\` is missing: the agent's role, as a text.`,
    );
  });

  it.each([
    ["on Discord, before its database is there", {}, "none"],
    ["on Discord", {}, "empty"],
    ["on the playground", { DISCORD_TOKEN: "", DATABASE_URL: "" }, "playground"],
  ])("refuses a member that is not there, as a start does: %s", async (_, change, where) => {
    const path = join(folder, "mine.yaml");
    if (where === "empty") await (await openStorage(environment().DATABASE_URL)).close();
    await writeFile(path, "groups:\n  - { display_name: Duo, members: [Nobody, coordinator] }\n");
    expect(await reportOf({ PARLEY_FILE: path, ...change })).toContain(
      `✗ ${path}: line 2 (groups.0.members.0): there is no agent called Nobody, and none is declared.`,
    );
    const text = "groups:\n  - { display_name: Duo, members: [Researcher, coordinator] }\n";
    await writeFile(path, text);
    const found = await reportOf({ PARLEY_FILE: path, ...change });
    expect(found).toContain(
      where === "playground" ? `✓ ${path}: 0 agents, 1 group.` : `✗ ${path}: line 2`,
    );
  });

  it("says when the file is for a server that the bot is not in", async () => {
    const path = join(folder, "mine.yaml");
    await writeFile(path, 'agents: []\nserver: "123456789012345678"\n');
    expect(await reportOf({ PARLEY_FILE: path })).toContain(
      `✗ ${path}: line 2 (server): the bot is not in the server 123456789012345678. Invite it there`,
    );
    await writeFile(path, `server: "${loopback.guild.id}"\n`);
    expect(await reportOf({ PARLEY_FILE: path })).not.toContain("✗");
  });

  it("goes on after a wrong setting, but not with what needs it", async () => {
    const text = await reportOf({ MAX_REPLIES: "9" });
    expect(text).toContain("✗ Settings: MAX_REPLIES");
    expect(text).toContain("✓ Model: m at");
    expect(text).toContain("✓ Invitation link: ");
    const other = await reportOf({ DATABASE_URL: "mysql://x", DISCORD_TOKEN: "two words" });
    expect(other).toContain("– Database: DATABASE_URL has to be right first.");
    expect(other).toContain("– Discord: DISCORD_TOKEN has to be right first.");
    expect(other).toContain("✓ Judge: ");
  });

  it("gives the judge the time that a start gives it", async () => {
    endpoint.respond((request) =>
      request.body.response_format === undefined ? "yes" : { type: "hang" },
    );
    expect(await reportOf({ JUDGE_TIMEOUT_SECONDS: "1" })).toContain(
      "✗ Judge: m: no answer within a second. Set JUDGE_MODEL to a quicker model, or JUDGE_TIMEOUT_SECONDS to more seconds.",
    );
  });
});
