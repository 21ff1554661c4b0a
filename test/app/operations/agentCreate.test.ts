import { describe, expect, test } from "vitest";
import { agentCreate } from "../../../src/app/operations/agentCreate.js";
import { ChatError } from "../../../src/ports/chat.js";
import type { Storage } from "../../../src/ports/storage.js";
import { StorageError } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aPerson, GUILD, OTHER_GUILD } from "../../support/builders.js";
import { PNG_SIGNATURE } from "../../support/services.js";
import { openTestStorage } from "../../support/storage.js";
import { only, type Setup, setUp } from "./setup.js";

const RESEARCHER = { display_name: "Researcher", prompt: "You find sources and check them." };

/** Nothing on Discord and nothing in the database. */
async function expectNothingLeft({ chat, storage }: Setup, agents = 0): Promise<void> {
  expect(chat.pictures.size).toBe(0);
  expect(chat.channels.size).toBe(agents);
  expect(await storage.agents.list(GUILD)).toHaveLength(agents);
}

describe("agent_create", () => {
  test("makes an agent with a channel, a topic and a drawn picture", async () => {
    const setup = await setUp();
    const answer = await setup.run(agentCreate, RESEARCHER);

    const agent = only(await setup.storage.agents.list(GUILD));
    expect(agent).toMatchObject({
      name: "researcher",
      displayName: "Researcher",
      prompt: RESEARCHER.prompt,
      model: null,
      category: "Agents",
      archivedAtMs: null,
    });
    const { channelId, channel } = only(setup.chat.effectsOf("createChannel"));
    expect(agent.channelId).toBe(channelId);
    expect(channel).toEqual({
      guildId: GUILD,
      name: "researcher",
      category: "Agents",
      topic: "Researcher: You find sources and check them.",
    });
    const upload = only(setup.chat.effectsOf("uploadPicture"));
    expect(upload.picture).toEqual(agent.picture);
    expect(upload.image).toEqual(setup.painter.draw("Researcher"));
    expect(answer).toContain(`<#${channelId}>`);
  });

  test("takes name, model and category as given", async () => {
    const setup = await setUp();
    const more = { name: "finder", model: "small-1", category: "agents-Lab" };
    await setup.run(agentCreate, { ...RESEARCHER, ...more });
    expect(only(await setup.storage.agents.list(GUILD))).toMatchObject({
      name: "finder",
      model: "small-1",
      category: "Agents-Lab",
    });
  });

  test("takes the word default for the model that everybody uses", async () => {
    const setup = await setUp();
    await setup.run(agentCreate, { ...RESEARCHER, model: "default" });
    expect(only(await setup.storage.agents.list(GUILD)).model).toBeNull();
  });

  test("uploads the picture that was given", async () => {
    const setup = await setUp();
    const image = Buffer.concat([PNG_SIGNATURE, Buffer.from("mine")]);
    await setup.run(agentCreate, { ...RESEARCHER, avatar: setup.files.add("me.png", image) });
    expect(only(setup.chat.effectsOf("uploadPicture")).image).toEqual(image);
  });

  test.each([
    ["a PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["a JPEG", [0xff, 0xd8, 0xff, 0xe0]],
    ["a GIF", [...Buffer.from("GIF89a")]],
    ["a WebP image", [...Buffer.from("RIFF\n\n\n\nWEBP")]],
  ])("accepts %s whatever it is called", async (_, bytes) => {
    const setup = await setUp();
    const avatar = setup.files.add("me.bin", Uint8Array.from(bytes));
    await setup.run(agentCreate, { ...RESEARCHER, avatar });
    expect(only(setup.chat.effectsOf("uploadPicture")).image).toEqual(Uint8Array.from(bytes));
  });

  test("refuses a file that is no picture before anything is made", async () => {
    const setup = await setUp();
    const avatar = setup.files.add("me.png", Buffer.from("<svg></svg>"));
    expect(await setup.refusal(agentCreate, { ...RESEARCHER, avatar })).toBe(
      "The picture has to be a PNG, JPEG, GIF or WebP image.",
    );
    expect(setup.chat.effects).toEqual([]);
    await expectNothingLeft(setup);
  });

  test("refuses a picture that is too large, with both sizes", async () => {
    const setup = await setUp();
    const avatar = setup.files.add("me.png", PNG_SIGNATURE, { bytes: 300 * 1024 });
    expect(await setup.refusal(agentCreate, { ...RESEARCHER, avatar })).toBe(
      "The picture is too large: it has 300 KiB, and at most 256 KiB are allowed.",
    );
    await expectNothingLeft(setup);
  });

  test("draws a picture when the given one cannot be fetched, and says so", async () => {
    const setup = await setUp();
    const avatar = { name: "a.png", type: null, bytes: 5, url: "https://elsewhere.example/a.png" };
    const answer = await setup.run(agentCreate, { ...RESEARCHER, avatar });
    expect(answer).toContain("so I drew one: The file could not be fetched.");
    const drawn = setup.painter.draw("Researcher");
    expect(only(setup.chat.effectsOf("uploadPicture")).image).toEqual(drawn);
  });

  test("makes the agent without a picture when uploading fails, and says so", async () => {
    const setup = await setUp();
    setup.chat.failNext("uploadPicture", new ChatError("full", "There is no room for emojis."));
    const answer = await setup.run(agentCreate, RESEARCHER);
    expect(answer).toContain("There is no room for emojis.");
    expect(only(await setup.storage.agents.list(GUILD)).picture).toBeNull();
  });

  test("refuses people who may not change agents", async () => {
    const setup = await setUp();
    expect(await setup.refusal(agentCreate, RESEARCHER, aPerson())).toMatch(/^Only managers/);
    await expectNothingLeft(setup);
  });

  test.each([
    ["an empty role", { prompt: "  " }, "`prompt`: The role must not be empty."],
    [
      "a role in which nothing is seen",
      { prompt: "\u200b\u3164" },
      "`prompt`: The role must not be empty.",
    ],
    ["a task that shows nothing", { task: "** **" }, "`task`: The task must not be empty."],
    ["a role that is too long", { prompt: "x".repeat(4001) }, "The role can have 4,000"],
    ["a display name with a sign", { display_name: "a@b" }, 'must not contain "@"'],
    ["a permanent name with capitals", { name: "Finder" }, "lower-case"],
    ["another category", { category: "Groups" }, 'A category is "Agents"'],
    ["a model with a space", { model: "a b" }, "`model`: The name of a model has no spaces."],
    ["a display name that gives no name", { display_name: "研究" }, "give a name of your own"],
  ])("refuses %s in one sentence", async (_, change, sentence) => {
    const setup = await setUp();
    expect(await setup.refusal(agentCreate, { ...RESEARCHER, ...change })).toContain(sentence);
    expect(setup.chat.effects).toEqual([]);
    await expectNothingLeft(setup);
  });

  test("refuses the name of a group, and of an archived agent", async () => {
    const setup = await setUp();
    const a = await addAgent(setup, { displayName: "A" });
    const b = await addAgent(setup, { displayName: "B" });
    await addGroup(setup, { displayName: "Review", members: [a, b] });
    await addAgent(setup, { displayName: "Old", archivedAtMs: 1 });
    expect(await setup.refusal(agentCreate, { ...RESEARCHER, name: "review" })).toBe(
      "The name `review` is taken or was used before; choose another one.",
    );
    expect(await setup.refusal(agentCreate, { ...RESEARCHER, display_name: "Old" })).toBe(
      "The name `old` is taken or was used before; give another one with `name`.",
    );
    expect(setup.chat.effects).toEqual([]);
  });

  test("refuses a display name that another agent has, in any case", async () => {
    const setup = await setUp();
    await addAgent(setup, { displayName: "Researcher" });
    const input = { ...RESEARCHER, display_name: "RESEARCHER", name: "second" };
    expect(await setup.refusal(agentCreate, input)).toBe(
      "There is an agent called **RESEARCHER** already; choose another display name.",
    );
  });

  test("allows the display name of an archived agent and the names of another server", async () => {
    const setup = await setUp();
    await addAgent(setup, { displayName: "Researcher", name: "first", archivedAtMs: 1 });
    await addAgent(setup, { displayName: "Researcher", guildId: OTHER_GUILD });
    await setup.run(agentCreate, RESEARCHER);
    expect(await setup.storage.agents.list(GUILD)).toHaveLength(2);
  });

  test("two at once with the same name: one is made, the other leaves nothing behind", async () => {
    const setup = await setUp();
    const results = await Promise.allSettled([
      setup.run(agentCreate, RESEARCHER),
      setup.run(agentCreate, { ...RESEARCHER, display_name: "Finder", name: "researcher" }),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    const agent = only(await setup.storage.agents.list(GUILD));
    expect([...setup.chat.channels.keys()]).toEqual([agent.channelId]);
    expect([...setup.chat.pictures.values()]).toEqual([agent.picture]);
  });

  test("leaves nothing behind when the channel cannot be made", async () => {
    const setup = await setUp();
    setup.chat.failNext("createChannel", new ChatError("full", "The category is full."));
    expect(await setup.refusal(agentCreate, RESEARCHER)).toBe("The category is full.");
    await expectNothingLeft(setup);
  });

  test("leaves nothing behind when the database fails, and the name stays free", async () => {
    const setup = await setUp({ storage: await failingOnce("before") });
    expect(await setup.refusal(agentCreate, RESEARCHER)).toMatch(/^I cannot reach my data/);
    await expectNothingLeft(setup);
    expect(setup.chat.effects.slice(-2).map((effect) => effect.do)).toEqual([
      "discardChannel",
      "discardPicture",
    ]);
    await setup.run(agentCreate, RESEARCHER);
    expect(await setup.storage.agents.list(GUILD)).toHaveLength(1);
  });

  test("keeps an agent that was stored although the database reported a failure", async () => {
    const setup = await setUp({ storage: await failingOnce("after") });
    const answer = await setup.run(agentCreate, RESEARCHER);
    const agent = only(await setup.storage.agents.list(GUILD));
    expect(answer).toContain(`<#${agent.channelId}>`);
    expect([...setup.chat.channels.keys()]).toEqual([agent.channelId]);
  });

  test("says which channel is left when it cannot be deleted again", async () => {
    const setup = await setUp({ storage: await failingOnce("before") });
    setup.chat.failNext("discardChannel", new ChatError("forbidden", "No permission."));
    const sentence = await setup.refusal(agentCreate, RESEARCHER);
    const { channelId } = only(setup.chat.effectsOf("createChannel"));
    expect(sentence).toContain(`The empty channel <#${channelId}> was left behind`);
    expect(setup.chat.pictures.size).toBe(0);
  });

  test("does not complain when the channel to be taken back is gone already", async () => {
    const setup = await setUp({ storage: await failingOnce("before") });
    setup.chat.failNext("discardChannel", new ChatError("gone", "Gone."));
    expect(await setup.refusal(agentCreate, RESEARCHER)).toBe(
      "I cannot reach my database just now. Nothing was changed; try again in a moment.",
    );
  });

  test("writes names so that nothing in them is taken for Markdown", async () => {
    const setup = await setUp();
    const answer = await setup.run(agentCreate, {
      ...RESEARCHER,
      display_name: "**Big** `x`",
      name: "big",
    });
    expect(answer).toContain("**\\*\\*Big\\*\\* \\`x\\`**");
  });
});

/** A database whose next storing of an agent fails, before or after it was done. */
async function failingOnce(time: "before" | "after"): Promise<Storage> {
  const storage = await openTestStorage();
  let isDue = true;
  const away = () => new StorageError("connection lost", { isTransient: true });
  return {
    ...storage,
    close: () => storage.close(),
    agents: {
      ...storage.agents,
      async create(agent) {
        if (!isDue) return storage.agents.create(agent);
        isDue = false;
        if (time === "after") await storage.agents.create(agent);
        throw away();
      },
    },
  };
}
