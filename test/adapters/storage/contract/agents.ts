import { expect, test } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { agent, agentId, channelId, GUILD, group, OTHER_GUILD } from "../samples.js";

export function agentStoreContract(storage: () => Storage): void {
  test("an agent comes back as it was stored, with and without its optional parts", async () => {
    const bare = agent("editor");
    const full = agent("researcher", {
      displayName: "Researcher 🔎",
      prompt: 'Line one\nLine two\t"quoted"',
      model: "large",
      picture: { emojiId: "123", url: "https://cdn.example/123.png" },
      category: "Agents-lab",
      channelId: channelId("700"),
      tokenBudget: 9_000,
      createdAtMs: 1_700_000_000_123,
      archivedAtMs: 1_700_000_000_456,
    });
    expect(await storage().agents.create(bare)).toBeNull();
    expect(await storage().agents.create(full)).toBeNull();
    expect(await storage().agents.get(bare.id)).toEqual(bare);
    expect(await storage().agents.get(full.id)).toEqual(full);
    expect(await storage().agents.get(agentId("nobody"))).toBeNull();
  });

  test("a name is taken once in a server, by agents and groups together, archived ones included", async () => {
    const first = agent("editor", { archivedAtMs: 5 });
    const second = agent("writer");
    const third = agent("critic");
    for (const one of [first, second, third]) await storage().agents.create(one);
    await storage().groups.create(group("review", [second, third]));

    const again = agent("editor", { id: agentId("other"), displayName: "Another" });
    const asGroup = agent("review", { displayName: "Yet another" });
    expect(await storage().agents.create(again)).toBe("name");
    expect(await storage().agents.create(asGroup)).toBe("name");
    expect(await storage().agents.get(again.id)).toBeNull();
    expect(await storage().agents.create({ ...again, guildId: OTHER_GUILD })).toBeNull();
  });

  test("an agent whose display name is taken claims no name either", async () => {
    await storage().agents.create(agent("editor", { displayName: "Editor" }));
    const copy = agent("copy", { displayName: "Editor" });
    expect(await storage().agents.create(copy)).toBe("displayName");
    expect(await storage().agents.create({ ...copy, displayName: "Copy" })).toBeNull();
  });

  test.each([
    ["case", "ÉDITOR", "éditor"],
    ["composition", "Éditor", "E\u0301ditor"],
    ["width", "Editor 1", "Ｅｄｉｔｏｒ　１"],
    ["ligatures", "Office", "Oﬃce"],
  ])("display names that differ only in %s are the same", async (_difference, one, other) => {
    await storage().agents.create(agent("first", { displayName: one }));
    expect(await storage().agents.create(agent("second", { displayName: other }))).toBe(
      "displayName",
    );
    expect((await storage().agents.find(GUILD, other))?.name).toBe("first");
  });

  test("a display name of an archived agent, of a group or of another server is free", async () => {
    await storage().agents.create(agent("old", { displayName: "Editor", archivedAtMs: 5 }));
    const editor = agent("editor", { displayName: "Editor" });
    expect(await storage().agents.create(editor)).toBeNull();
    expect(
      await storage().agents.create(
        agent("elsewhere", { displayName: "Editor", guildId: OTHER_GUILD }),
      ),
    ).toBeNull();
    const other = agent("other");
    await storage().agents.create(other);
    expect(
      await storage().groups.create(group("g", [editor, other], { displayName: "Editor" })),
    ).toBeNull();
  });

  test("an update changes the fields given and no others", async () => {
    const before = agent("editor", {
      model: "large",
      picture: { emojiId: "1", url: "https://cdn.example/1.png" },
    });
    const bystander = agent("writer");
    await storage().agents.create(before);
    await storage().agents.create(bystander);

    expect(await storage().agents.update(before.id, { prompt: "New role" })).toBeNull();
    expect(await storage().agents.get(before.id)).toEqual({ ...before, prompt: "New role" });

    const change = {
      displayName: "Chief editor",
      prompt: "Newer role",
      model: null,
      picture: null,
      channelId: channelId("701"),
      tokenBudget: 100,
    };
    expect(await storage().agents.update(before.id, change)).toBeNull();
    expect(await storage().agents.update(before.id, {})).toBeNull();
    expect(await storage().agents.get(before.id)).toEqual({ ...before, ...change });
    expect(await storage().agents.get(bystander.id)).toEqual(bystander);
  });

  test("an update to a display name that another agent has changes nothing", async () => {
    const editor = agent("editor", { displayName: "Editor" });
    await storage().agents.create(editor);
    await storage().agents.create(agent("writer", { displayName: "Writer" }));
    expect(
      await storage().agents.update(editor.id, { displayName: "WRITER", prompt: "lost" }),
    ).toBe("displayName");
    expect(await storage().agents.get(editor.id)).toEqual(editor);
    expect(await storage().agents.update(editor.id, { displayName: "EDITOR" })).toBeNull();
  });

  test("an update of an agent that does not exist is an error", async () => {
    await expect(storage().agents.update(agentId("nobody"), { prompt: "x" })).rejects.toMatchObject(
      { name: "StorageError", isTransient: false },
    );
  });

  test("an agent is found by name or display name in its own server only", async () => {
    const editor = agent("editor", { displayName: "Chief Editor" });
    await storage().agents.create(editor);
    expect(await storage().agents.find(GUILD, "EDITOR")).toEqual(editor);
    expect(await storage().agents.find(GUILD, "chief editor")).toEqual(editor);
    expect(await storage().agents.find(GUILD, "chief")).toBeNull();
    expect(await storage().agents.find(GUILD, "")).toBeNull();
    expect(await storage().agents.find(OTHER_GUILD, "editor")).toBeNull();
  });

  test("when several agents fit, one that is not archived wins, then a name, then the latest archived", async () => {
    const archivedName = agent("helper", { displayName: "Old", archivedAtMs: 9 });
    const liveDisplayName = agent("writer", { displayName: "Helper" });
    await storage().agents.create(archivedName);
    await storage().agents.create(liveDisplayName);
    expect((await storage().agents.find(GUILD, "helper"))?.name).toBe("writer");

    await storage().agents.create(agent("scout", { displayName: "Pilot" }));
    await storage().agents.create(agent("pilot", { displayName: "Scout" }));
    expect((await storage().agents.find(GUILD, "Scout"))?.name).toBe("scout");
    expect((await storage().agents.find(GUILD, "Pilot"))?.name).toBe("pilot");

    await storage().agents.create(agent("gone-1", { displayName: "Gone", archivedAtMs: 20 }));
    await storage().agents.create(agent("gone-2", { displayName: "Gone", archivedAtMs: 30 }));
    await storage().agents.create(agent("gone-3", { displayName: "Gone", archivedAtMs: 10 }));
    expect((await storage().agents.find(GUILD, "gone"))?.name).toBe("gone-2");
  });

  test("an agent is found by its channel, one that is not archived first", async () => {
    const archived = agent("old", { channelId: channelId("700"), archivedAtMs: 5 });
    await storage().agents.create(archived);
    expect(await storage().agents.byChannel(channelId("700"))).toEqual(archived);
    const live = agent("new", { channelId: channelId("700") });
    await storage().agents.create(live);
    expect(await storage().agents.byChannel(channelId("700"))).toEqual(live);
    expect(await storage().agents.byChannel(channelId("701"))).toBeNull();
  });

  test("the list of a server is oldest first and holds archived ones", async () => {
    await storage().agents.create(agent("c", { createdAtMs: 30, archivedAtMs: 40 }));
    await storage().agents.create(agent("a10", { createdAtMs: 10 }));
    await storage().agents.create(agent("a9", { createdAtMs: 10 }));
    await storage().agents.create(agent("z", { createdAtMs: 20, guildId: OTHER_GUILD }));
    const names = (await storage().agents.list(GUILD)).map((one) => one.name);
    expect(names).toEqual(["a9", "a10", "c"]);
  });

  test("the servers are those that have an agent, archived or not, each once", async () => {
    expect(await storage().agents.servers()).toEqual([]);
    await storage().agents.create(agent("a"));
    await storage().agents.create(agent("b"));
    await storage().agents.create(agent("z", { guildId: OTHER_GUILD, archivedAtMs: 5 }));
    expect((await storage().agents.servers()).toSorted()).toEqual([OTHER_GUILD, GUILD].toSorted());
  });

  test("of agents created at once with one name, exactly one is stored", async () => {
    const results = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        storage().agents.create(
          agent("editor", { id: agentId(`id-${number}`), displayName: `Editor ${number}` }),
        ),
      ),
    );
    expect(results.filter((result) => result === null)).toHaveLength(1);
    expect(results.filter((result) => result === "name")).toHaveLength(3);
    expect(await storage().agents.list(GUILD)).toHaveLength(1);
  });
}
