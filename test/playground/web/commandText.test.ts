import { ApplicationCommandOptionType as OptionType } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import type { PlaygroundCommand } from "../../../src/playground/peopleApi.js";
import {
  matchingCommands,
  readCommandText,
  slashCommands,
} from "../../../src/playground/web/page/commandText.js";

const text = (name: string, required = false) =>
  ({ name, description: name, type: OptionType.String, required }) as const;

const COMMANDS: readonly PlaygroundCommand[] = [
  { id: "1", name: "help", description: "Help", type: 1, options: [] },
  {
    id: "2",
    name: "ask",
    description: "Ask",
    type: 1,
    options: [text("agent", true), text("text", true)],
  },
  { id: "3", name: "export", description: "Export", type: 1, options: [text("format")] },
  {
    id: "4",
    name: "gc",
    description: "Chat",
    type: 1,
    options: [
      { name: "end", description: "End it", type: OptionType.Subcommand },
      {
        name: "start",
        description: "Start it",
        type: OptionType.Subcommand,
        options: [text("agents", true)],
      },
      {
        name: "vote",
        description: "Votes",
        type: OptionType.SubcommandGroup,
        options: [{ name: "open", description: "Open it", type: OptionType.Subcommand }],
      },
    ],
  },
  { id: "5", name: "Why this?", description: "", type: 3, options: [] },
];

const SLASH = slashCommands(COMMANDS);

describe("the list of slash commands", () => {
  it("holds every subcommand as a command, by name, and no menu commands", () => {
    expect(SLASH.map(({ path, description }) => `${path}: ${description}`)).toEqual([
      "ask: Ask",
      "export: Export",
      "gc end: End it",
      "gc start: Start it",
      "gc vote open: Open it",
      "help: Help",
    ]);
  });

  it.each([
    ["", ["ask", "export", "gc end", "gc start", "gc vote open", "help"]],
    ["GC", ["gc end", "gc start", "gc vote open"]],
    ["st", ["gc start"]],
    ["e", ["export", "gc end", "gc vote open", "help"]],
    ["nothing", []],
  ])("after /%s offers what begins so before what contains it", (typed, expected) => {
    expect(matchingCommands(SLASH, typed).map(({ path }) => path)).toEqual(expected);
  });
});

describe("a command that was typed to the end", () => {
  it.each([
    ["/help ", "help", {}],
    ["/gc start Editor, Planner", "gc start", { agents: "Editor, Planner" }],
    ["/gc vote open ", "gc vote open", {}],
    ["/ask agent: Editor text: Hello", "ask", { agent: "Editor", text: "Hello" }],
    ["/ask agent:Editor text:a\nb", "ask", { agent: "Editor", text: "a\nb" }],
    [
      "/ask Editor text: note: see https://a.example",
      "ask",
      { agent: "Editor", text: "note: see https://a.example" },
    ],
    ["/ask text: only", "ask", { text: "only" }],
    ["/export JSON", "export", { format: "JSON" }],
  ])("%j is /%s", (written, path, values) => {
    expect(readCommandText(written, SLASH)).toMatchObject({ command: { path }, values });
    expect(readCommandText(written, SLASH)?.values).toEqual(values);
  });

  it.each(["/", "/help", "/gc ", "/gc sta", "/helping ", "/nothing ", "help "])(
    "%j is none yet",
    (written) => {
      expect(readCommandText(written, SLASH)).toBeUndefined();
    },
  );
});
