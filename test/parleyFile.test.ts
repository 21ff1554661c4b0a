import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../src/config.js";
import {
  applyParleyFile,
  assertMembersAmong,
  assertMembersExist,
  parseParleyFile,
  readParleyFile,
} from "../src/parleyFile.js";
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
    expect(said[0]?.text).toMatch(/^Scholar was not created: /);
    expect(said[2]?.text).toMatch(/^Lonely was not created: .*Nobody/);
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
      /line 2 \(agents\.0\.prompt\): Give the role/,
    ],
    [
      "a wrong kind",
      "groups:\n  - display_name: X\n    members: [a, b]\n    kind: closed\n",
      /line 4 .*no such kind/,
    ],
    [
      "members as a text",
      "groups:\n  - display_name: X\n    members: a and b\n",
      /line 3 .*list of agents/,
    ],
    ["a server without quotes", "server: 123\n", /line 1 .*in quotes/],
    ["something else beside", "agent: []\n", /line 1.*agent/],
    ["a list", "- a\n", /line 1/],
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
      /line 3 .*2 to 6 members; there are 1/,
    ],
    [
      "seven members",
      "groups:\n  - display_name: X\n    members: [a, b, c, d, e, f, g]\n",
      /line 3 .*there are 7/,
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
      /line 13 \(groups\.1\): two entries have the name researcher/,
    ],
    [
      "two agents with one display name",
      "agents:\n  - display_name: X\n    prompt: y\n  - display_name: x\n    name: other\n    prompt: y\n",
      /line 4 \(agents\.1\): two agents have the display name x/,
    ],
  ])("names the line of %s", (_, text, message) => {
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(ConfigError);
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(message);
  });

  it("may be empty, and may be missing unless it was asked for", async () => {
    expect(parseParleyFile("", "parley.yaml")).toEqual({
      server: null,
      agents: [],
      groups: [],
      undeclared: [],
    });
    expect(await readParleyFile("no/such.yaml", { isRequired: false })).toBeNull();
    await expect(readParleyFile("no/such.yaml", { isRequired: true })).rejects.toThrow(/no\/such/);
  });

  it("is refused with the line of a member that is neither declared nor there", async () => {
    const file = parseParleyFile(
      `${FILE}  - display_name: Other\n    members:\n      - Researcher\n      - Editor\n`,
      "parley.yaml",
    );
    await expect(assertMembersExist(services.storage, file)).rejects.toThrow(
      /line 16 \(groups\.1\.members\.1\): there is no agent called Editor/,
    );
    expect(() => assertMembersAmong(file, ["Planner"])).toThrow(ConfigError);
    expect(() => assertMembersAmong(file, ["Editor"])).not.toThrow();
    await addAgent(services, { displayName: "Editor" });
    await expect(assertMembersExist(services.storage, file)).resolves.toBeUndefined();
  });

  it("asks for no member of a group that is there, and always has the coordinator", async () => {
    const text = "groups:\n  - { display_name: Town hall, members: [Researcher, coordinator] }\n";
    const file = parseParleyFile(text, "parley.yaml");
    await expect(assertMembersExist(services.storage, file)).rejects.toThrow(/called Researcher/);
    await apply(FILE);
    const renamed = parseParleyFile(text.replace("Researcher", "Gone"), "parley.yaml");
    await expect(assertMembersExist(services.storage, renamed)).resolves.toBeUndefined();
  });
});
