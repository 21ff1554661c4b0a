import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../../../src/app/operations/index.js";
import { metaOf } from "../../../src/app/operations/operation.js";

const FOLDER = new URL("../../../src/app/operations/", import.meta.url);

describe("the list of operations", () => {
  test("holds everything in the folder that is an operation", async () => {
    const files = (await readdir(FOLDER)).filter((file) => file !== "index.ts");
    const found: string[] = [];
    for (const file of files) {
      const module: Record<string, unknown> = await import(new URL(file, FOLDER).href);
      for (const value of Object.values(module)) if (isOperation(value)) found.push(value.name);
    }
    expect(found.sort()).toEqual(operations.map((operation) => operation.name).sort());
  });

  test("has the fields of each command in the order of its options", () => {
    const fields = operations.map((one) => [one.name, Object.keys(one.input.shape)]);
    expect(Object.fromEntries(fields)).toEqual({
      agent_create: ["display_name", "prompt", "name", "model", "avatar", "category", "task"],
      agent_update: ["agent", "display_name", "prompt", "model", "avatar"],
      agent_get: ["agent"],
      agent_list: [],
      agent_archive: ["agent"],
      agent_restore: ["agent"],
      group_create: ["display_name", "members", "name", "host", "category", "kind"],
      group_update: ["group", "display_name", "members", "host"],
      group_list: [],
      group_archive: ["group"],
      group_restore: ["group"],
      help: [],
      round_stop: [],
      round_why: ["message"],
      round_preview: ["text"],
      ask: ["agent", "text"],
      mute: ["agent"],
      unmute: ["agent"],
      usage: ["group", "days"],
      floor_open: ["topic"],
      floor_turns: ["order", "agents", "rounds", "instruction"],
      floor_vote: ["question", "options", "agents", "secret", "quorum"],
      floor_results: [],
      floor_moderate: ["goal"],
      floor_close: ["summary"],
      gc_start: ["agents"],
      gc_add: ["agent"],
      gc_remove: ["agent"],
      gc_join: ["agent", "chat"],
      gc_leave: ["agent", "chat"],
      gc_list: [],
      gc_status: ["chat"],
      gc_debate: ["topic", "passes"],
      gc_end: [],
      gc_help: [],
    });
  });

  test("lets only managers change anything", () => {
    const managed = operations.filter((one) => one.permission === "manager");
    expect(managed.map((one) => one.name).sort()).toEqual([
      "agent_archive",
      "agent_create",
      "agent_restore",
      "agent_update",
      "group_archive",
      "group_create",
      "group_restore",
      "group_update",
    ]);
  });

  test.each(operations)("$name says what it and its fields are, as Discord allows", (operation) => {
    const texts = [operation.description];
    for (const schema of Object.values(operation.input.shape)) {
      texts.push(metaOf(schema as z.ZodType).description);
    }
    // Descriptions of commands and options have 1-100 characters (Discord API, "Application Command Object").
    for (const text of texts)
      expect([text, text.length <= 100 && text !== ""]).toEqual([text, true]);
  });

  test.each(operations)("$name can be given to a model as a tool", (operation) => {
    const schema = z.toJSONSchema(operation.input, { io: "input" });
    expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(operation.input.shape));
  });
});

function isOperation(value: unknown): value is { readonly name: string } {
  return typeof value === "object" && value !== null && "permission" in value && "run" in value;
}
