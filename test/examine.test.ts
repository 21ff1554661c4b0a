import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examine, report } from "../src/examine.js";
import { setRolePermissions } from "../src/playground/world/guilds.js";
import { BOT_PERMISSIONS, startTestLoopback, type TestLoopback } from "./support/loopback.js";
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
  loopback = await startTestLoopback({ guild: { botPermissions: BOT_PERMISSIONS } });
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
      `client_id=${loopback.world.application.id}&scope=bot+applications.commands&permissions=309774634064`,
    );
    expect(text).not.toContain("sk-doctor-secret");
    expect(text).not.toContain(loopback.token);
  });

  it("makes no folder for a database that is not there yet", async () => {
    const deep = join(folder, "new", "data");
    expect(await reportOf({ DATABASE_URL: `file:${join(deep, "parley.db")}` })).toContain(
      `✓ Database: the folder ${deep} will be made at the start.`,
    );
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  it("names the permissions that are missing in a server", async () => {
    setRolePermissions(
      loopback.world,
      loopback.guild,
      loopback.botRole,
      BOT_PERMISSIONS & ~PermissionFlagsBits.ManageWebhooks & ~PermissionFlagsBits.ManageChannels,
    );
    expect(await reportOf()).toContain(
      "✗ Server Workshop: missing: Manage Webhooks, Manage Channels.",
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
      "✗ Database: the folder /dev/null/deep cannot be made",
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
      "✗ Model: m: the endpoint does not accept OPENAI_API_KEY.",
    ],
    [
      "does not know the model",
      failure(404, { message: "model not found" }),
      "✗ Model: m: the endpoint does not know this model.",
    ],
    ["is down", failure(503, { message: "down" }), "✗ Model: m: the endpoint cannot be reached."],
  ])("says when the model endpoint %s", async (_, answer, line) => {
    endpoint.respond(() => answer);
    expect(await reportOf()).toContain(line);
  });

  it("says when the judge's model gives no structured answers", async () => {
    endpoint.respond(() => "Well, I would say yes.");
    const text = await reportOf();
    expect(text).toContain("✓ Model: m at");
    expect(text).toContain("✗ Judge: m does not keep to the form that is asked for.");
  });

  it("reads parley.yaml", async () => {
    const path = join(folder, "mine.yaml");
    await writeFile(path, "agents:\n  - { display_name: A, prompt: B }\n");
    expect(await reportOf({ PARLEY_FILE: path })).toContain(
      "✓ parley.yaml: 1 agents and 0 groups.",
    );
  });
});
