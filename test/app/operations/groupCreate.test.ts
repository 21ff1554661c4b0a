import { describe, expect, test } from "vitest";
import { groupCreate } from "../../../src/app/operations/groupCreate.js";
import type { Agent } from "../../../src/domain/agent.js";
import { ChatError } from "../../../src/ports/chat.js";
import { addAgent, addGroup, aPerson, GUILD, OTHER_GUILD } from "../../support/builders.js";
import { only, type Setup, setUp } from "./setup.js";

const REVIEW = { display_name: "Review", members: ["Researcher", "Editor"] };

async function withAgents(): Promise<Setup & { readonly agents: readonly Agent[] }> {
  const setup = await setUp();
  const agents: Agent[] = [];
  for (const displayName of ["Researcher", "Editor", "Notes"]) {
    agents.push(await addAgent(setup, { displayName }));
  }
  return { ...setup, agents };
}

/** No group, and no channel but those of the three agents. */
async function expectNothingLeft({ chat, storage }: Setup): Promise<void> {
  expect(await storage.groups.list(GUILD)).toEqual([]);
  expect(chat.channels.size).toBe(3);
}

describe("group_create", () => {
  test("makes a group with a channel whose topic says who is there", async () => {
    const setup = await withAgents();
    const answer = await setup.run(groupCreate, { ...REVIEW, host: "@editor" });
    const [researcher, editor] = setup.agents;
    const group = only(await setup.storage.groups.list(GUILD));
    expect(group).toMatchObject({
      name: "review",
      displayName: "Review",
      kind: "open",
      category: "Groups",
      members: [researcher?.id, editor?.id],
      hostId: editor?.id,
      muted: [],
    });
    const { channelId, channel } = only(setup.chat.effectsOf("createChannel"));
    expect(group.channelId).toBe(channelId);
    expect(channel).toEqual({
      guildId: GUILD,
      name: "review",
      category: "Groups",
      topic: "Review | Members: Researcher, Editor | Host: Editor",
    });
    expect(answer).toBe(
      `**Review** is ready in <#${channelId}> with **Researcher** and **Editor**; **Editor** is the host.\nWrite there, and those who have something to add will answer.`,
    );
  });

  test("says what keeps agents from speaking there", async () => {
    const setup = await withAgents();
    setup.chat.lacks = ["Send Messages", "Manage Webhooks"];
    expect((await setup.run(groupCreate, REVIEW)).split("\n").at(-1)).toBe(
      "**Agents cannot speak there yet**. I need Send Messages and Manage Webhooks in that channel: allow it in the settings of the server or of the channel.",
    );
  });

  test("finds members whose old names have commas", async () => {
    const setup = await withAgents();
    await addAgent(setup, { displayName: "Law, money and order" });
    const members = ["Law", "money and order", "Editor"];
    expect(await setup.run(groupCreate, { ...REVIEW, members })).toContain(
      "with **Law, money and order** and **Editor**",
    );
  });

  test("makes the category that was asked for, and derives the name", async () => {
    const setup = await withAgents();
    await setup.run(groupCreate, {
      ...REVIEW,
      display_name: "Reading room",
      category: "Groups-Books",
    });
    expect(setup.chat.effectsOf("createCategory").map((effect) => effect.name)).toEqual([
      "Groups-Books",
    ]);
    expect(only(await setup.storage.groups.list(GUILD)).name).toBe("reading-room");
  });

  test("makes the first member host where there is no coordinator", async () => {
    const setup = await withAgents();
    await setup.run(groupCreate, REVIEW);
    expect(only(await setup.storage.groups.list(GUILD)).hostId).toBe(setup.agents[0]?.id);
  });

  test("makes the member named coordinator host, whatever it is called now", async () => {
    const setup = await withAgents();
    const lead = await addAgent(setup, { displayName: "Lead", name: "coordinator" });
    await setup.run(groupCreate, { ...REVIEW, members: ["Researcher", "Lead"] });
    expect(only(await setup.storage.groups.list(GUILD)).hostId).toBe(lead.id);
  });

  test.each([
    ["too few members", ["Researcher"], "A group has 2 to 6 members; you gave 1."],
    ["too many members", Array(7).fill("Editor"), "A group has 2 to 6 members; you gave 7."],
    ["empty entries", ["Editor", " "], "A group has 2 to 6 members; you gave 1."],
    ["an unknown member", ["Editor", "Ed*tor"], "There is no agent called “Ed\\*tor”."],
    [
      "an archived member",
      ["Editor", "Old"],
      "**Old** is archived; `/agent_restore` brings it back.",
    ],
    ["a member of another server", ["Editor", "Far"], "There is no agent called “Far”."],
    [
      "a member given twice",
      ["Editor", "@editor"],
      "**Editor** is in the list twice; the members have to be different agents.",
    ],
  ])("refuses %s", async (_, members, sentence) => {
    const setup = await withAgents();
    await addAgent(setup, { displayName: "Old", archivedAtMs: 1, channelId: null });
    await addAgent(setup, { displayName: "Far", guildId: OTHER_GUILD, channelId: null });
    const channels = setup.chat.channels.size;
    expect(await setup.refusal(groupCreate, { ...REVIEW, members })).toBe(sentence);
    expect(setup.chat.channels.size).toBe(channels);
    expect(await setup.storage.groups.list(GUILD)).toEqual([]);
  });

  test("refuses a host that is not a member, and one that does not exist", async () => {
    const setup = await withAgents();
    expect(await setup.refusal(groupCreate, { ...REVIEW, host: "Notes" })).toBe(
      "**Notes** is not a member of the group, so it cannot be the host.",
    );
    expect(await setup.refusal(groupCreate, { ...REVIEW, host: "Nobody" })).toBe(
      "There is no agent called “Nobody”.",
    );
    await expectNothingLeft(setup);
  });

  test("makes a hosted group, whose host alone will answer", async () => {
    const setup = await withAgents();
    const answer = await setup.run(groupCreate, { ...REVIEW, kind: "hosted" });
    expect(answer).toContain("`!gc help`");
    expect((await setup.storage.groups.find(GUILD, "review"))?.kind).toBe("hosted");
  });

  test("makes a moderated group, and says how turns are given", async () => {
    const setup = await withAgents();
    const answer = await setup.run(groupCreate, { ...REVIEW, kind: "moderated" });
    expect(answer).toContain("`/floor_open` opens the floor, `/floor_turns` gives turns");
    expect((await setup.storage.groups.find(GUILD, "review"))?.kind).toBe("moderated");
  });

  test("refuses a kind that there is not", async () => {
    const setup = await withAgents();
    expect(await setup.refusal(groupCreate, { ...REVIEW, kind: "closed" })).toBe(
      "`kind`: A group is open, hosted or moderated.",
    );
  });

  test("refuses the name of an agent and the display name of another group", async () => {
    const setup = await withAgents();
    expect(await setup.refusal(groupCreate, { ...REVIEW, name: "notes" })).toMatch(
      /^The name `notes` is taken/,
    );
    await addGroup(setup, { displayName: "Review", name: "first", members: setup.agents });
    expect(await setup.refusal(groupCreate, REVIEW)).toBe(
      "There is a group called **Review** already; choose another display name.",
    );
    expect(setup.chat.effects).toEqual([]);
  });

  test("two at once with the same name: one is made, the other leaves nothing behind", async () => {
    const setup = await withAgents();
    const results = await Promise.allSettled([
      setup.run(groupCreate, REVIEW),
      setup.run(groupCreate, { ...REVIEW, display_name: "Other", name: "review" }),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await setup.storage.groups.list(GUILD)).toHaveLength(1);
    expect(setup.chat.channels.size).toBe(4);
  });

  test.each([
    new ChatError("forbidden", "I may not make channels here: give me Manage Channels."),
    new ChatError("full", "The category Groups is full."),
  ])("says why the channel was not made ($kind) and stores nothing", async (error) => {
    const setup = await withAgents();
    setup.chat.failNext("createChannel", error);
    expect(await setup.refusal(groupCreate, REVIEW)).toBe(error.detail);
    await expectNothingLeft(setup);
  });

  test("refuses people who may not change groups", async () => {
    const setup = await withAgents();
    await setup.refusal(groupCreate, REVIEW, aPerson());
    await expectNothingLeft(setup);
  });
});
