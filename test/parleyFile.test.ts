import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../src/config.js";
import { applyParleyFile, parseParleyFile, readParleyFile } from "../src/parleyFile.js";
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

const apply = (text: string, guildId = GUILD) =>
  applyParleyFile(services, parseParleyFile(text, "parley.yaml"), guildId);

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
    const said = await apply(`
agents:
  - { display_name: "Clyde's friend", prompt: No. }
  - { display_name: Editor, prompt: Yes. }
groups:
  - { display_name: Lonely, members: [Editor] }
`);
    expect(said[0]).toMatch(/^Clyde's friend was not created: .*clyde/i);
    expect(said[2]).toMatch(/^Lonely was not created: /);
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
  ])("names the line of %s", (_, text, message) => {
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(ConfigError);
    expect(() => parseParleyFile(text, "parley.yaml")).toThrow(message);
  });

  it("may be empty, and may be missing unless it was asked for", async () => {
    expect(parseParleyFile("", "parley.yaml")).toEqual({ server: null, agents: [], groups: [] });
    expect(await readParleyFile("no/such.yaml", { isRequired: false })).toBeNull();
    await expect(readParleyFile("no/such.yaml", { isRequired: true })).rejects.toThrow(/no\/such/);
  });
});
