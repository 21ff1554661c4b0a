import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as Type,
} from "discord.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { commands } from "../../commands/index.js";
import { listFrom, slash, slashGroup } from "../../commands/slash.js";
import { operations } from "../../src/app/operations/index.js";
import { field, type Operation } from "../../src/app/operations/operation.js";

const FOLDER = fileURLToPath(new URL("../../commands", import.meta.url));
const SHARED = ["buttons", "index", "menus", "slash"];

function anOperation(shape: z.ZodRawShape, change: Partial<Operation> = {}): Operation {
  return {
    name: "probe",
    description: "A probe",
    permission: "anyone",
    input: z.object(shape),
    run: async () => ({ text: "" }),
    ...change,
  };
}

function optionsOf(shape: z.ZodRawShape): readonly APIApplicationCommandBasicOption[] {
  return (slash(anOperation(shape)).data.options ?? []) as APIApplicationCommandBasicOption[];
}

describe("the list of commands", () => {
  it("has every file of the folder, by the name of its command", () => {
    const files = readdirSync(FOLDER)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => name.slice(0, -3))
      .filter((name) => !SHARED.includes(name));
    expect(commands.map(({ data }) => data.name).sort()).toEqual(files.sort());
  });

  it("reaches every operation", () => {
    const reached = commands.flatMap((command) => command.operations.map(({ name }) => name));
    for (const { name } of operations) expect(reached).toContain(name);
  });

  it.each(commands.map(({ data }) => [data.name, data] as const))(
    "has %s within Discord's limits",
    (name, data) => {
      expect(name).toMatch(/^[a-z_]{1,32}$/);
      expect(data.description.length).toBeLessThanOrEqual(100);
      const options = (data.options ?? []) as readonly APIApplicationCommandBasicOption[];
      expect(options.length).toBeLessThanOrEqual(25);
      for (const option of options) {
        expect(option.name).toMatch(/^[a-z_]{1,32}$/);
        expect(option.description.length).toBeGreaterThan(0);
        expect(option.description.length).toBeLessThanOrEqual(100);
      }
      const required = options.map((option) => option.required === true);
      expect(required.lastIndexOf(true)).toBeLessThan(
        required.includes(false) ? required.indexOf(false) : options.length,
      );
      expect(JSON.stringify(data).length).toBeLessThanOrEqual(8000);
    },
  );

  it("has the options of the documentation, in its order", () => {
    const shown = Object.fromEntries(
      commands.map(({ data }) => [
        data.name,
        ((data.options ?? []) as readonly APIApplicationCommandBasicOption[])
          .map(({ name, required }) => (required === true ? name : `${name}?`))
          .join(" "),
      ]),
    );
    expect(shown).toMatchObject({
      agent_update: "agent display_name? prompt? model? avatar?",
      agent_get: "agent",
      agent_list: "",
      group_create: "display_name members name? host? category? kind?",
      group_update: "group display_name? members? host?",
      group_list: "",
      help: "",
      round_why: "message?",
      round_preview: "text",
    });
    expect(shown["agent_create"]).toMatch(
      /^display_name prompt name\? model\? avatar\? category\?/,
    );
  });
});

describe("an option", () => {
  it("is made of each kind of field", () => {
    const file = z.object({ name: z.string() });
    const options = optionsOf({
      text: field(z.string().min(1).max(4000), { description: "A text" }),
      agent: field(z.string(), { description: "An agent", suggests: "agent" }),
      members: field(z.array(z.string()), { description: "Some", option: "list" }),
      avatar: field(file, { description: "A picture", option: "attachment" }),
      passes: field(z.int().min(1).max(3), { description: "How often" }),
      any: field(z.int(), { description: "Any number" }),
      secret: field(z.boolean(), { description: "Whether" }),
      kind: field(z.enum(["open", "hosted"]), { description: "Which" }),
    });
    expect(options).toMatchObject([
      { name: "text", type: Type.String, min_length: 1, max_length: 4000, required: true },
      { name: "agent", type: Type.String, autocomplete: true },
      { name: "members", type: Type.String },
      { name: "avatar", type: Type.Attachment },
      { name: "passes", type: Type.Integer, min_value: 1, max_value: 3 },
      { name: "any", type: Type.Integer },
      { name: "secret", type: Type.Boolean },
      {
        name: "kind",
        type: Type.String,
        choices: [
          { name: "open", value: "open" },
          { name: "hosted", value: "hosted" },
        ],
      },
    ]);
    expect(options[5]).not.toHaveProperty("min_value");
  });

  it("is not required when its field may be left out", () => {
    const text = field(z.string().trim().max(10), { description: "A text" });
    const [optional, defaulted] = optionsOf({ a: text.optional(), b: text.default("x") });
    expect(optional).toMatchObject({ required: false, max_length: 10 });
    expect(defaulted).toMatchObject({ required: false, max_length: 10 });
  });

  it("cannot be made of a field that nobody can type", () => {
    expect(() => optionsOf({ x: field(z.date(), { description: "A day" }) })).toThrow("x");
  });

  it("as a list is cut at commas", () => {
    expect(listFrom(" Researcher, Copy editor ,, ")).toEqual(["Researcher", "Copy editor"]);
    expect(listFrom("")).toEqual([]);
  });
});

describe("a command with subcommands", () => {
  it("has the options of each under its name", () => {
    const group = slashGroup("gc", "The hosted chat", {
      add: anOperation({ agent: field(z.string(), { description: "Which" }) }),
      list: anOperation({}, { description: "Who is here" }),
    });
    expect(group.operation).toBeNull();
    expect(group.data).toMatchObject({
      name: "gc",
      options: [
        { name: "add", type: Type.Subcommand, options: [{ name: "agent", required: true }] },
        { name: "list", type: Type.Subcommand, description: "Who is here", options: [] },
      ],
    });
  });
});
