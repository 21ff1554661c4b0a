import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyParleyFile } from "../src/applyParleyFile.js";
import { ConfigError } from "../src/config.js";
import { parseParleyFile, readParleyFile } from "../src/parleyFile.js";
import { ParleyFileError } from "../src/parleyFileError.js";
import { assertFits, assertFitsOneOf } from "../src/parleyFileFit.js";
import { addAgent, GUILD, OTHER_GUILD } from "./support/builders.js";
import { createTestServices, type TestServices } from "./support/services.js";

const FILE = `
agents:
  - display_name: Researcher
    prompt: You find facts.
  - display_name: Reading room
    name: library
    prompt: You read.
    category: Agents-quiet
groups:
  - display_name: Town hall
    members: [Researcher, library]
    host: library
`;

const BOMB = ["a", "b", "c", "d"]
  .map(
    (name, at, names) =>
      `${name}: &${name} [${`${at === 0 ? "x" : `*${names[at - 1]}`},`.repeat(9)}]`,
  )
  .concat("agents: *d\n")
  .join("\n");

let services: TestServices;
beforeEach(async () => {
  services = await createTestServices();
});
afterEach(async () => {
  await services.topics.onIdle();
  await services.storage.close();
});

const apply = async (text: string, guildId = GUILD) => {
  const applied = await applyParleyFile(services, parseParleyFile(text, "parley.yaml"), guildId);
  return applied.map((one) => one.text);
};

describe("parley.yaml", () => {
  it("creates what is missing, and at the second time nothing", async () => {
    expect(await apply(FILE)).toHaveLength(3);
    const { agents, groups } = services.storage;
    const library = await agents.find(GUILD, "library");
    expect(library).toMatchObject({ displayName: "Reading room", category: "Agents-quiet" });
    expect(await groups.find(GUILD, "town-hall")).toMatchObject({ hostId: library?.id });

    const channels = services.chat.channels.size;
    expect(await apply(FILE)).toEqual([
      "Agent Researcher is there already.",
      "Agent Reading room is there already.",
      "Group Town hall is there already.",
    ]);
    expect(services.chat.channels.size).toBe(channels);
  });

  it("changes nothing that exists", async () => {
    await addAgent(services, { displayName: "Researcher", prompt: "Another role." });
    await apply(FILE);
    const found = await services.storage.agents.find(GUILD, "researcher");
    expect(found?.prompt).toBe("Another role.");
  });

  it("goes on after something that is refused, and says what stood in the way", async () => {
    const file = parseParleyFile(
      `
agents:
  - { display_name: Scholar, name: review, prompt: No. }
  - { display_name: Editor, prompt: Yes. }
groups:
  - { display_name: Lonely, members: [Editor, Nobody] }
`,
      "parley.yaml",
    );
    await addAgent(services, { displayName: "Scholar" });
    const said = await applyParleyFile(services, file, GUILD);
    expect(said.map(({ isFailed }) => isFailed)).toEqual([true, false, true]);
    expect(said[0]?.text).toBe(
      "parley.yaml, line 3 (agents.0): Scholar was not created: There is an agent called Scholar already; choose another display name.",
    );
    expect(said[2]?.text).toMatch(
      /^parley.yaml, line 6 \(groups.0\): Lonely was not created: .*Nobody/,
    );
    expect(await services.storage.agents.find(GUILD, "editor")).not.toBeNull();
  });

  it("is only for the server that it names", async () => {
    const text = `server: "${GUILD}"\n${FILE}`;
    expect(await apply(text, OTHER_GUILD)).toEqual([]);
    expect(await apply(text)).toHaveLength(3);
  });

  it.each([
    ["a tab for indentation", "agents:\n\t- display_name: X\n", /line 2: /],
    [
      "an unknown field",
      "agents:\n  - display_name: X\n    prompt: y\n    colour: red\n",
      /line 4 .*colour/,
    ],
    [
      "a missing field",
      "agents:\n  - display_name: X\n",
      /line 2 \(agents\.0\.prompt\): `prompt` is missing: the agent's role, as a text\./,
    ],
    [
      "a wrong kind",
      "groups:\n  - display_name: X\n    members: [a, b]\n    kind: closed\n",
      /line 4 .*A group is open, hosted or moderated/,
    ],
    [
      "members as a text",
      "groups:\n  - display_name: X\n    members: a and b\n",
      /line 3 .*expected a list of agents, such as `\[Researcher, Editor\]`/,
    ],
    ["a server without quotes", "server: 123\n", /line 1 .*in quotes/],
    ["something else beside", "agent: []\n", /line 1.*agent/],
    ["a list", "- a\n", /line 1/],
    [
      "a field that is there twice",
      "agents:\n  - display_name: X\n    prompt: y\n    prompt: z\n",
      /line 4: `prompt` stands here twice\./,
    ],
    [
      "a display name that is not allowed",
      "agents:\n  - prompt: y\n    display_name: Clyde\n",
      /line 3 \(agents\.0\.display_name\): .*clyde/i,
    ],
    [
      "a permanent name that is not allowed",
      "agents:\n  - display_name: X\n    prompt: y\n    name: A B\n",
      /line 4 \(agents\.0\.name\)/,
    ],
    [
      "a category of another kind",
      "agents:\n  - display_name: X\n    prompt: y\n    category: Groups\n",
      /line 4 \(agents\.0\.category\)/,
    ],
    [
      "a single member",
      "groups:\n  - display_name: X\n    members: [a]\n",
      /line 3 .*2 to 6 members; you gave 1/,
    ],
    [
      "seven members",
      "groups:\n  - display_name: X\n    members: [a, b, c, d, e, f, g]\n",
      /line 3 .*you gave 7/,
    ],
    [
      "a member that is there twice",
      "groups:\n  - display_name: X\n    members:\n      - a\n      - '@A'\n",
      /line 5 .*@A is in the list twice/,
    ],
    [
      "a host that is no member",
      `${FILE}  - display_name: Other\n    members: [Researcher, library]\n    host: Nobody\n`,
      /line 15 \(groups\.1\.host\): Nobody is not among the members/,
    ],
    [
      "two entries with one name",
      `${FILE}  - display_name: Researcher\n    members: [Researcher, library]\n`,
      /line 13 \(groups\.1\): an agent and a group have the name `researcher`; give one/,
    ],
    [
      "two agents with one display name",
      "agents:\n  - display_name: X\n    prompt: y\n  - display_name: x\n    name: other\n    prompt: y\n",
      /line 4 \(agents\.1\): two agents have the display name x/,
    ],
    [
      "a field that is mistyped",
      "agents:\n  - display_name: X\n    promt: y\n",
      /line 3 \(agents\.0\): there is no field `promt`; did you mean `prompt`\?/,
    ],
    [
      "a picture, which only a command takes",
      "agents:\n  - display_name: X\n    prompt: y\n    avatar: x.png\n",
      /line 4 \(agents\.0\): there is no field `avatar`\./,
    ],
    [
      "a text for a list",
      "agents: Researcher\n",
      /line 1 \(agents\): `agents` needs a list, or remove the line\./,
    ],
    [
      "a name for an entry",
      "agents:\n  - Researcher\n",
      /line 2 \(agents\.0\): expected the fields of an agent/,
    ],
    [
      "no display name",
      "agents:\n  - prompt: y\n",
      /line 2 \(agents\.0\.display_name\): `display_name` is missing: the name/,
    ],
    [
      "a number for a name",
      "agents:\n  - display_name: 42\n    prompt: y\n",
      /line 2 .*expected a text; put it in quotes/,
    ],
    [
      "two documents",
      "agents: []\n---\nagents: []\n",
      /line 2: the file may hold one document only \(remove `---`\)\./,
    ],
    [
      "what is no YAML",
      "agents:\n  - display_name: A\n   prompt: x\n",
      /line 3: [^\n]*(?<!column \d+:?)$/,
    ],
    [
      "an alias to nothing",
      "groups: []\nagents: *x\n",
      /line 2: there is no anchor `&x` before the alias `\*x`\./,
    ],
    ["an alias to itself", "agents: &a [*a]\n", /line 1 \(agents\.0\): expected the fields/],
    [
      "aliases that stand for too much",
      BOMB,
      /line 2: the aliases \(`\*name`\) stand for too much/,
    ],
  ])("names the line of %s", (_, text, message) => {
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(ConfigError);
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(message);
  });

  it("names everything that is wrong at once, in the order of the lines", () => {
    const text = `agents:
  - { display_name: a@b, prompt: x }
  - { display_name: everyone, prompt: x }
  - prompt: x
  - display_name: Clyde
    prompt: ''
    category: Agents-
`;
    let said: readonly string[] = [];
    try {
      parseParleyFile(text, "parley.yaml");
    } catch (error) {
      if (error instanceof ParleyFileError) said = error.faults;
    }
    expect(said.map((line) => /^line \d+ \(agents\.\d\.\w+\)/u.exec(line)?.[0])).toEqual([
      "line 2 (agents.0.display_name)",
      "line 3 (agents.1.display_name)",
      "line 4 (agents.2.display_name)",
      "line 5 (agents.3.display_name)",
      "line 6 (agents.3.prompt)",
      "line 7 (agents.3.category)",
    ]);
  });

  it("may be empty, and may be missing unless it was asked for", async () => {
    for (const text of [
      "",
      "# nothing\n",
      "agents:\n  # - display_name: X\ngroups:\n",
      "agents: []\n",
    ]) {
      expect(parseParleyFile(text, "parley.yaml")).toMatchObject({ agents: [], groups: [] });
    }
    expect(await readParleyFile("no/such.yaml", { isRequired: false })).toBeNull();
    await expect(readParleyFile("no/such.yaml", { isRequired: true })).rejects.toThrow(
      "no/such.yaml (PARLEY_FILE) is not there.",
    );
  });

  it("is refused in another encoding, with the line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-file-"));
    try {
      const path = join(folder, "parley.yaml");
      const text = "agents:\n  - prompt: x\n    display_name: André\n";
      await writeFile(path, text, "latin1");
      await expect(readParleyFile(path, { isRequired: true })).rejects.toThrow(
        `${path}, line 3: this is not UTF-8; save the file in that encoding.`,
      );
      await writeFile(path, `\ufeff${text}`);
      expect((await readParleyFile(path, { isRequired: true }))?.agents[0]).toMatchObject({
        display_name: "André",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is refused with the line of a member that is neither declared nor there", async () => {
    const file = parseParleyFile(
      `${FILE}  - display_name: Other\n    members:\n      - Researcher\n      - Editor\n`,
      "parley.yaml",
    );
    await expect(assertFits(services.storage, file)).rejects.toThrow(
      /line 16 \(groups\.1\.members\.1\): there is no agent called Editor/,
    );
    const having = (name: string) => [{ agents: [{ name, displayName: name }], groups: [] }];
    expect(() => assertFitsOneOf(file, having("planner"))).toThrow(ConfigError);
    expect(() => assertFitsOneOf(file, having("editor"))).not.toThrow();
    await addAgent(services, { displayName: "Editor" });
    await expect(assertFits(services.storage, file)).resolves.toBeUndefined();
  });

  it("asks for no member of a group that is there, and always has the coordinator", async () => {
    const text = "groups:\n  - { display_name: Town hall, members: [Researcher, coordinator] }\n";
    const file = parseParleyFile(text, "parley.yaml");
    await expect(assertFits(services.storage, file)).rejects.toThrow(/called Researcher/);
    await apply(FILE);
    const renamed = parseParleyFile(text.replace("Researcher", "Gone"), "parley.yaml");
    await expect(assertFits(services.storage, renamed)).resolves.toBeUndefined();
  });

  it("may use anchors", () => {
    const text =
      "agents:\n  - { display_name: A, prompt: &p Be short. }\n  - { display_name: B, prompt: *p }\n";
    expect(parseParleyFile(text, "parley.yaml").agents[1]?.["prompt"]).toBe("Be short.");
  });

  it.each([
    ["is unknown", "Nobody", /line 3 \(groups\.0\.host\): there is no agent called Nobody/],
    [
      "is there and no member",
      "Planner",
      /line 3 \(groups\.0\.host\): Planner is not among the members/,
    ],
    [
      "is the coordinator and no member",
      "coordinator",
      /\(groups\.0\.host\): coordinator is not among/,
    ],
  ])("is refused with the line of a host that %s", async (_, host, message) => {
    const text = `groups:\n  - { display_name: Duo, members: [Editor, Critic],\n      host: ${host} }\n`;
    const file = parseParleyFile(text, "parley.yaml");
    for (const displayName of ["Editor", "Critic", "Planner"]) {
      await addAgent(services, { displayName });
    }
    await expect(assertFits(services.storage, file)).rejects.toThrow(message);
    const right = parseParleyFile(text.replace(host, "'@critic'"), "parley.yaml");
    await expect(assertFits(services.storage, right)).resolves.toBeUndefined();
  });

  it("is refused when two names of the list are one agent", async () => {
    await addAgent(services, { displayName: "Wordsmith", name: "editor" });
    const text = "groups:\n  - { display_name: Duo, members: [editor, Wordsmith] }\n";
    await expect(
      assertFits(services.storage, parseParleyFile(text, "parley.yaml")),
    ).rejects.toThrow(/\(groups\.0\.members\.1\): Wordsmith is in the list twice/);
  });

  it("is taken where one of several servers has what it needs", async () => {
    await addAgent(services, { displayName: "Other", guildId: OTHER_GUILD });
    for (const displayName of ["Editor", "Critic"]) await addAgent(services, { displayName });
    const text = "groups:\n  - { display_name: Duo, members: [Editor, Critic] }\n";
    const file = parseParleyFile(text, "parley.yaml");
    await expect(assertFits(services.storage, file)).resolves.toBeUndefined();
  });

  it("says with the line what people have changed there, and starts", async () => {
    await addAgent(services, { displayName: "Editor" });
    await addAgent(services, { displayName: "Researcher", archivedAtMs: 1 });
    const text = `
agents:
  - { display_name: Researcher, prompt: x }
  - { display_name: Editor, name: editor-2, prompt: x }
groups:
  - { display_name: Duo, members: [Researcher, Editor] }
`;
    const file = parseParleyFile(text, "parley.yaml");
    await expect(assertFits(services.storage, file)).resolves.toBeUndefined();
    expect(await apply(text)).toEqual([
      "Agent Researcher is there already, but archived; /agent_restore brings it back.",
      "parley.yaml, line 4 (agents.1): Editor was not created: There is an agent called Editor already; choose another display name.",
      "parley.yaml, line 6 (groups.0): Duo was not created: Researcher is archived; /agent_restore brings it back.",
    ]);
  });

  it("knows what is there by its permanent name", async () => {
    await addAgent(services, { displayName: "library", name: "books" });
    expect((await apply(FILE))[1]).toMatch(/^Reading room \(library\) is ready/);
  });

  it("says what it did in plain words", async () => {
    const [first, , third] = await apply(FILE);
    expect(first).toContain(
      "Researcher (researcher) is ready, with a channel of its own: #researcher.",
    );
    expect(third).toContain("Town hall is ready in #town-hall with Researcher and Reading room");
  });
});
