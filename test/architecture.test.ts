import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type SourceFile, violations } from "./support/architecture.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function sources(): readonly SourceFile[] {
  return ["src", "commands", "test"].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".ts"))
      .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, "utf8") })),
  );
}

describe("the sources of this repository", () => {
  it("keep to the rules of structure", () => {
    expect(violations(sources()).join("\n")).toBe("");
  });

  it("are read from every layer", () => {
    const paths = sources().map(({ path }) => path);
    for (const layer of ["src/domain", "src/ports", "src/app", "src/adapters", "src/playground"]) {
      expect(paths.filter((path) => path.startsWith(`${layer}/`)).length).toBeGreaterThan(2);
    }
    expect(paths).toContain("src/config.ts");
    expect(paths).toContain("test/architecture.test.ts");
  });
});

/** Apart, so that a search for such tests does not find this one. */
const [MOCK, ONLY] = ["mock", "only"];

const LEFTWARDS = "an arrow is followed only leftwards";

/** Made-up sources that each break one rule: [what, path, text, rule]. */
const BROKEN: readonly (readonly [string, string, string, string])[] = [
  [
    "domain on ports",
    "src/domain/a.ts",
    `import type { Chat } from "../ports/chat.js";`,
    LEFTWARDS,
  ],
  ["domain on app", "src/domain/round/a.ts", `export { b } from "../../app/b.js";`, LEFTWARDS],
  ["ports on app", "src/ports/a.ts", `import type { B } from "../app/b.js";`, LEFTWARDS],
  ["app on an adapter", "src/app/a.ts", `import { b } from "../adapters/storage/b.js";`, LEFTWARDS],
  ["app on commands", "src/app/a.ts", `import { b } from "../../commands/b.js";`, LEFTWARDS],
  ["app on config", "src/app/a.ts", `import type { Config } from "../config.js";`, LEFTWARDS],
  [
    "an adapter on another",
    "src/adapters/discord/a.ts",
    `import {\n  type B,\n  c,\n} from "../storage/b.js";`,
    "adapters never import each other",
  ],
  ["a command on an adapter", "commands/help.ts", `import "../src/adapters/system.js";`, LEFTWARDS],
  [
    "a command on the types of an adapter",
    "commands/help.ts",
    `import type { B } from "../src/adapters/discord/b.js";`,
    LEFTWARDS,
  ],
  ["an adapter on main", "src/adapters/system.ts", `import { b } from "../main.js";`, LEFTWARDS],
  ["the playground on app", "src/playground/a.ts", `import { b } from "../app/b.js";`, LEFTWARDS],
  [
    "the playground on an adapter, late",
    "src/playground/rest/a.ts",
    `const b = await import("../../adapters/openai/b.js");`,
    LEFTWARDS,
  ],
  ["the program on its tests", "src/app/a.ts", `import { b } from "../../test/b.js";`, LEFTWARDS],
  ["discord.js in app", "src/app/a.ts", `import { Client } from "discord.js";`, "discord.js is"],
  [
    "discord.js in the playground",
    "src/playground/a.ts",
    `import { Client } from "discord.js";`,
    "discord.js is",
  ],
  [
    "@discordjs/rest in main",
    "src/main.ts",
    `import { REST } from "@discordjs/rest";`,
    "@discordjs/rest is",
  ],
  [
    "discord-api-types in app",
    "src/app/a.ts",
    `import type { A } from "discord-api-types/v10";`,
    "discord-api-types is",
  ],
  ["hono in an adapter", "src/adapters/discord/a.ts", `import { Hono } from "hono";`, "hono is"],
  ["ws in an adapter", "src/adapters/discord/a.ts", `import { WebSocket } from "ws";`, "ws is"],
  ["openai in app", "src/app/a.ts", `import OpenAI from "openai";`, "openai is"],
  [
    "drizzle-orm in main",
    "src/main.ts",
    `import { eq } from "drizzle-orm/sqlite-core";`,
    "drizzle-orm is",
  ],
  [
    "better-sqlite3 in the playground",
    "src/playground/a.ts",
    `import Database from "better-sqlite3";`,
    "better-sqlite3 is",
  ],
  ["pg in another adapter", "src/adapters/system.ts", `import pg from "pg";`, "pg is"],
  ["a package in the domain", "src/domain/a.ts", `import { z } from "zod";`, "zod is"],
  ["an unknown package", "src/app/a.ts", `import { b } from "left-pad";`, "left-pad has no place"],
  [
    "Node.js in the domain",
    "src/domain/a.ts",
    `import { createHash } from "node:crypto";`,
    "domain imports no module of Node.js",
  ],
  ["the clock in the domain", "src/domain/a.ts", `const a = () => Date.now();`, "uses no clock"],
  ["the date in the domain", "src/domain/a.ts", `const a = () => new Date();`, "uses no clock"],
  ["chance in the domain", "src/domain/a.ts", `const a = () => Math.random();`, "uses no clock"],
  ["a timer in the domain", "src/domain/a.ts", `const a = () => setTimeout(b);`, "uses no clock"],
  [
    "code in a template in the domain",
    "src/domain/a.ts",
    "const a = () => `${{ a: Date.now() }.a} ms`;",
    "uses no clock",
  ],
  [
    "a function in ports",
    "src/ports/a.ts",
    `export function a(): void {\n}`,
    "ports hold interfaces",
  ],
  ["a constant in ports", "src/ports/a.ts", `export const A = 1;`, "ports hold interfaces"],
  ["the environment", "src/main.ts", `const a = process.env["A"];`, "only src/config.ts reads"],
  ["a variable of a module", "src/app/a.ts", `let a = 1;`, "no module-level state"],
  [
    "a collection of a module",
    "src/app/a.ts",
    `const seen = new Map<string, number>();`,
    "no module-level state",
  ],
  ["a long file", "src/app/a.ts", "// a\n".repeat(401), "no file is longer than 400 lines"],
  [
    "a command that is not listed",
    "commands/help.ts",
    `export default slash(help);`,
    "nothing is missing from commands/index.ts",
  ],
  [
    "an operation that is not listed",
    "src/app/operations/ask.ts",
    `export const ask = defineOperation({});`,
    "nothing is missing from src/app/operations/index.ts",
  ],
  [
    "an adapter on commands",
    "src/adapters/discord/a.ts",
    `import type { B } from "../../../commands/b.js";`,
    LEFTWARDS,
  ],
  ["a mock of a module", "test/app/a.test.ts", `vi.${MOCK}("discord.js");`, "tests use real parts"],
  ["a focused test", "test/app/a.test.ts", `it.${ONLY}("a", b);`, "no test is focused"],
  [
    "a test of the domain on the app",
    "test/domain/a.test.ts",
    `import { b } from "../../src/app/b.js";`,
    "tests of the domain",
  ],
];

describe("the checker", () => {
  it.each(BROKEN)("finds %s", (_what, path, text, rule) => {
    const broken = violations([{ path, text: `/** About. */\n${text}\n` }]);
    expect(broken.length, broken.join("\n")).toBeGreaterThan(0);
    expect(broken[0]).toContain(rule);
    expect(broken[0]).toContain(path);
  });

  it("tells the line of a violation", () => {
    const [first] = violations([
      { path: "src/domain/a.ts", text: `// one\n/*\n*/\nimport { z } from "zod";\n` },
    ]);
    expect(first).toContain("src/domain/a.ts:4");
  });

  it("finds every violation of a file", () => {
    const text = `import { z } from "zod";\nimport { b } from "../app/b.js";\n`;
    expect(violations([{ path: "src/domain/a.ts", text }])).toHaveLength(2);
  });

  it("accepts what the rules allow", () => {
    const allowed: readonly SourceFile[] = [
      {
        path: "src/domain/a.ts",
        text: [
          `import { b } from "./b.js";`,
          `// Date.now() in a comment`,
          `const QUOTE = /["'\`]/;`,
          `export const A = "import { z } from 'zod'; setTimeout";`,
          "export const T = `new Date() ${b(`Math.random()`)} Date.now()`;",
          `export const at = (ms: number) => new Date(ms);`,
        ].join("\n"),
      },
      {
        path: "src/ports/a.ts",
        text: `import type { B } from "../domain/b.js";\nexport type A =\n  | "x" // y\n  | B;\nexport interface C {\n  a(): B;\n}\nexport class E extends Error {\n  override readonly name = "E";\n}\n`,
      },
      {
        path: "src/app/a.ts",
        text: `import { z } from "zod";\nimport type {} from "../ports/b.js";`,
      },
      {
        path: "src/adapters/discord/a.ts",
        text: `import { Client } from "discord.js";\nimport type { B } from "../../app/b.js";\nconst NONE: ReadonlyMap<string, string> = new Map();`,
      },
      { path: "src/adapters/storage/a.ts", text: `import pg from "pg";\nimport "node:fs";` },
      { path: "src/config.ts", text: `export const port = process.env["PORT"];` },
      { path: "src/playground/a.ts", text: `import { Hono } from "hono";` },
      {
        path: "src/playground/main.ts",
        text: `import { a } from "../adapters/openai/a.js";\nimport { Hono } from "hono";`,
      },
      { path: "src/main.ts", text: `import { a } from "./playground/main.js";` },
      { path: "commands/index.ts", text: `import help from "./help.js";` },
      { path: "commands/help.ts", text: `export default slash(help);` },
      { path: "src/app/operations/index.ts", text: `import { ask } from "./ask.js";` },
      { path: "src/app/operations/ask.ts", text: `export const ask = defineOperation({});` },
      {
        path: "commands/menus.ts",
        text: `import type { Menu } from "./slash.js";\nexport const menus: readonly Menu[] = [];`,
      },
      { path: "commands/slash.ts", text: `export const listFrom = (text: string) => [text];` },
      { path: "test/domain/a.test.ts", text: `import { a } from "../../src/domain/a.js";` },
    ];
    expect(violations(allowed)).toEqual([]);
  });
});
