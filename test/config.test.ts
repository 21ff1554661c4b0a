import { describe, expect, it } from "vitest";
import { ConfigError, readConfig, settingNames } from "../src/config.js";
import { readEnvExample } from "./support/envExample.js";

/** What is said of these settings: one line for each wrong one. */
function complaints(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe(".env.example", () => {
  it("holds every setting, and no other, in the order of the program", () => {
    expect([...readEnvExample().keys()]).toEqual(settingNames);
  });

  it("shows the defaults", () => {
    const shown = readConfig(Object.fromEntries(readEnvExample()));
    const defaults = Object.entries(readConfig({})).filter(([, value]) => value !== null);
    expect(defaults.length).toBeGreaterThan(5);
    expect(shown).toMatchObject(Object.fromEntries(defaults));
  });
});

describe("the settings", () => {
  it("are all optional, and an empty one counts as absent", () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, "  "]));
    expect(readConfig(empty)).toEqual(readConfig({}));
    expect(readConfig({}).discordToken).toBeNull();
  });

  it("are read in their own terms", () => {
    const config = readConfig({
      DISCORD_TOKEN: " token ",
      DATABASE_URL: "postgres://parley:secret@localhost/parley",
      OPENAI_BASE_URL: "http://localhost:11434/v1",
      MAX_REPLIES: "1",
      JUDGE_TIMEOUT_SECONDS: "1.5",
      STATUS_LINE: "off",
      DAILY_TOKENS_GROUP: "100000",
      PRICES: "gpt-5-mini=0.25/2/0.025, qwen3:8b=0/0",
      MANAGER_ROLES: "111111111111111111, 222222222222222222",
      PLAYGROUND_PORT: "0",
      LOG_LEVEL: "debug",
      UNRELATED: "left alone",
    });
    expect(config).toMatchObject({
      discordToken: "token",
      databaseUrl: "postgres://parley:secret@localhost/parley",
      openaiBaseUrl: "http://localhost:11434/v1",
      maxReplies: 1,
      judgeTimeoutMs: 1_500,
      hasStatusLine: false,
      dailyTokens: { server: null, group: 100_000, person: null },
      prices: new Map([
        ["gpt-5-mini", { input: 0.25, output: 2, cached: 0.025 }],
        ["qwen3:8b", { input: 0, output: 0, cached: 0 }],
      ]),
      managerRoleIds: ["111111111111111111", "222222222222222222"],
      playgroundPort: 0,
      logLevel: "debug",
    });
  });

  it("take a token with the word that Discord puts before it", () => {
    expect(readConfig({ DISCORD_TOKEN: "Bot abc.def" }).discordToken).toBe("abc.def");
  });

  it.each([
    ["DISCORD_TOKEN", "two words", "the bot token from the Discord developer portal"],
    ["DISCORD_API_URL", "discord.com/api", "an http or https address"],
    ["DISCORD_TOKEN", "abc…def", "the bot token from the Discord developer portal"],
    ["OPENAI_API_KEY", "sk-abc\ndef", "the key as its provider shows it"],
    ["OPENAI_API_KEY", "sk-abc…def", "the key as its provider shows it"],
    ["OPENAI_API_KEY", "“sk-abc”", "the key as its provider shows it"],
    ["DATABASE_URL", "mysql://localhost/parley", "file:<path>"],
    ["OPENAI_BASE_URL", "ftp://localhost/v1", "an http or https address"],
    ["MAX_REPLIES", "0", "a whole number from 1 to 8"],
    ["MAX_REPLIES", "9", "a whole number from 1 to 8"],
    ["MAX_REPLIES", "2.5", "a whole number from 1 to 8"],
    ["JUDGE_TIMEOUT_SECONDS", "20s", "seconds from 1 to 600"],
    ["JUDGE_TIMEOUT_SECONDS", "601", "seconds from 1 to 600"],
    ["TURN_TIMEOUT_SECONDS", "-1", "seconds from 1 to 3600"],
    ["SEAT_TOKEN_BUDGET", "999", "a whole number from 1000 to 2000000"],
    ["STATUS_LINE", "maybe", "on or off"],
    ["DAILY_TOKENS_PERSON", "0", "a whole number from 1 to"],
    ["PRICES", "gpt-5-mini", "prices such as gpt-5-mini=0.25/2"],
    ["PRICES", "gpt-5-mini=1/free", "prices such as gpt-5-mini=0.25/2"],
    ["MANAGER_ROLES", "@admins", "ids of roles"],
    ["TALK_ROLES", "12", "ids of roles"],
    ["TALK_USERS", "111111111111111111,Ana", "ids of people"],
    ["PLAYGROUND_PORT", "65536", "a whole number from 0 to 65535"],
    ["HTTP_PORT", "65536", "a whole number from 0 to 65535"],
    ["HTTP_HOST", "http://localhost", "an address or a host name"],
    ["EVENTS_TOKEN", "short", "at least 8 characters"],
    ["LOG_LEVEL", "loud", "one of debug, info, warn, error, silent"],
  ])("%s=%s is refused with what was expected", (name, value, expected) => {
    expect(settingNames).toContain(name);
    expect(complaints({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected ${expected}`)),
    ]);
  });

  it("are all checked at once", () => {
    const lines = complaints({ MAX_REPLIES: "99", LOG_LEVEL: "loud", STATUS_LINE: "maybe" });
    expect(new Set(lines.map((line) => line.split(":")[0]))).toEqual(
      new Set(["MAX_REPLIES", "LOG_LEVEL", "STATUS_LINE"]),
    );
  });

  it("are never repeated in a complaint: some are secrets", () => {
    const secret = "s3cret";
    const lines = complaints({
      DISCORD_TOKEN: `${secret} ${secret}`,
      DATABASE_URL: `mysql://parley:${secret}@localhost/parley`,
      OPENAI_BASE_URL: `localhost/${secret}`,
      DISCORD_API_URL: secret,
      MAX_REPLIES: secret,
      MANAGER_ROLES: secret,
      LOG_LEVEL: secret,
      OPENAI_API_KEY: secret,
    });
    expect(lines).toHaveLength(7);
    expect(lines.join("\n")).not.toContain(secret);
  });
});
