import { existsSync, readFileSync } from "node:fs";
import { PermissionFlagsBits } from "discord.js";
import { describe, expect, it } from "vitest";
import { operations } from "../src/app/operations/index.js";
import { settingNames } from "../src/config.js";
import { readEnvExample } from "./support/envExample.js";

const ROOT = new URL("../", import.meta.url);
const README = readFileSync(new URL("README.md", ROOT), "utf8");

/** First and second cell of the rows of the table that follows `before`. */
function rowsAfter(before: string): readonly (readonly [string, string])[] {
  const table = README.slice(README.indexOf(before)).match(/(?:^ *\|.*\n)+/m)?.[0] ?? "";
  return table
    .split("\n")
    .slice(2, -1)
    .map((row) => {
      const [, first = "", second = ""] = row.split("|").map((cell) => cell.trim());
      return [first, second];
    });
}

describe("the README", () => {
  it("has every setting, in the order of the program", () => {
    expect(rowsAfter("\n## Settings").map(([name]) => name.replaceAll("`", ""))).toEqual(
      settingNames,
    );
  });

  it("gives the same defaults as .env.example where a default is a plain value", () => {
    const shown = rowsAfter("\n## Settings").map(
      ([name, value]) => [name.replaceAll("`", ""), /^`([^`]+)`$/.exec(value)?.[1]] as const,
    );
    const plain = shown.filter(([, value]) => value !== undefined);
    expect(plain.length).toBeGreaterThan(6);
    const example = readEnvExample();
    expect(plain).toEqual(plain.map(([name]) => [name, example.get(name)]));
  });

  it("invites with exactly the permissions that it lists", () => {
    const bits = new Map<string, bigint>([
      ["View Channels", PermissionFlagsBits.ViewChannel],
      ["Read Message History", PermissionFlagsBits.ReadMessageHistory],
      ["Send Messages", PermissionFlagsBits.SendMessages],
      ["Send Messages in Threads", PermissionFlagsBits.SendMessagesInThreads],
      ["Create Public Threads", PermissionFlagsBits.CreatePublicThreads],
      ["Manage Webhooks", PermissionFlagsBits.ManageWebhooks],
      ["Manage Channels", PermissionFlagsBits.ManageChannels],
      ["Embed Links", PermissionFlagsBits.EmbedLinks],
      ["Attach Files", PermissionFlagsBits.AttachFiles],
    ]);
    const listed = rowsAfter("exactly these permissions").map(([name]) => name);
    expect(new Set(listed)).toEqual(new Set(bits.keys()));
    const asked = /scope=bot\+applications\.commands&permissions=(\d+)/.exec(README)?.[1];
    const wanted = [...bits.values()].reduce((sum, bit) => sum | bit, 0n);
    expect(asked).toBe(String(wanted));
  });

  it("links only to headings and files that exist", () => {
    const headings = new Set(
      [...README.matchAll(/^#+ (.+)$/gm)].map(
        ([, title = ""]) =>
          `#${title
            .toLowerCase()
            .replace(/[^\w -]/g, "")
            .replaceAll(" ", "-")}`,
      ),
    );
    const targets = [...README.matchAll(/\[[^\]]*\]\(([^)]+)\)/g)].map(([, to = ""]) => to);
    const broken = targets.filter((to) =>
      to.startsWith("#")
        ? !headings.has(to)
        : !/^https?:/.test(to) && !existsSync(new URL(to, ROOT)),
    );
    expect(targets.length).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  it("names only scripts that package.json has", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...README.matchAll(/^\| `npm (?:run )?([\w:]+)`/gm)].map(
      ([, name = ""]) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it("says of no slash command that it is missing when it is there", () => {
    const missing = /## Not there yet\n([\s\S]*?)\n## /.exec(README)?.[1] ?? "";
    const named = [...missing.matchAll(/`\/(\w+)`/g)].map(([, name = ""]) => name);
    const steps = /## The first ten minutes\n([\s\S]*?)\n## /.exec(README)?.[1] ?? "";
    const used = [...steps.matchAll(/`\/(\w+)`/g)].map(([, name = ""]) => name);
    const there = new Set(operations.map((operation) => operation.name));
    expect(named.filter((name) => there.has(name))).toEqual([]);
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !there.has(name))).toEqual([]);
  });
});
