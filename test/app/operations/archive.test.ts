import { describe, expect, test } from "vitest";
import { agentArchive } from "../../../src/app/operations/agentArchive.js";
import { agentCreate } from "../../../src/app/operations/agentCreate.js";
import { groupArchive } from "../../../src/app/operations/groupArchive.js";
import { groupList } from "../../../src/app/operations/groupList.js";
import { groupUpdate } from "../../../src/app/operations/groupUpdate.js";
import { runOperation } from "../../../src/app/operations/operation.js";
import type { Agent } from "../../../src/domain/agent.js";
import type { Group } from "../../../src/domain/group.js";
import { ChatError } from "../../../src/ports/chat.js";
import { StorageError } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aManager, aPerson, GUILD, placeOf } from "../../support/builders.js";
import { type Setup, setUp } from "./setup.js";

interface Scene extends Setup {
  readonly editor: Agent;
  readonly notes: Agent;
  readonly researcher: Agent;
  /** Editor (host), Notes and Researcher. */
  readonly review: Group;
  /** Editor (host) and Notes. */
  readonly pair: Group;
  readonly category: (owner: Agent | Group) => string | undefined;
}

async function scene(): Promise<Scene> {
  const setup = await setUp();
  const editor = await addAgent(setup, { displayName: "Editor" });
  const notes = await addAgent(setup, { displayName: "Notes" });
  const researcher = await addAgent(setup, { displayName: "Researcher" });
  const review = await addGroup(setup, {
    displayName: "Review",
    members: [editor, notes, researcher],
  });
  const pair = await addGroup(setup, { displayName: "Pair", members: [editor, notes] });
  const category = (owner: Agent | Group) =>
    setup.chat.channels.get(placeOf(owner).channelId)?.category;
  return { ...setup, editor, notes, researcher, review, pair, category };
}

describe("agent_archive", () => {
  test("takes the agent out of its groups and tells all that follows from it", async () => {
    const { run, storage, editor, notes, researcher, review, pair } = await scene();
    expect(await run(agentArchive, { agent: "@Editor" })).toBe(
      [
        "**Editor** is archived; `/agent_restore` brings it back.",
        "It is no longer in **Review**.",
        "**Notes** is now the host of **Review**.",
        "The group **Pair** is archived too, since fewer than two members are left.",
      ].join("\n"),
    );
    expect((await storage.agents.get(editor.id))?.archivedAtMs).not.toBeNull();
    expect(await storage.groups.get(review.id)).toEqual({
      ...review,
      members: [notes.id, researcher.id],
      hostId: notes.id,
    });
    expect((await storage.groups.get(pair.id))?.archivedAtMs).not.toBeNull();
  });

  test("keeps a hosted group of which the host alone is left, and says there who has left", async () => {
    const { run, storage, chat, ...setup } = await scene();
    const hosted = await addGroup(
      { ...setup, storage, chat },
      { displayName: "Salon", kind: "hosted", members: [setup.notes, setup.editor] },
    );
    expect(await run(agentArchive, { agent: "editor" })).toContain(
      "It is no longer in **Review** or **Salon**.",
    );
    expect(chat.lines(placeOf(hosted))).toEqual(["(bot) **Editor** has left the group chat."]);
    expect(await storage.groups.get(hosted.id)).toMatchObject({
      members: [setup.notes.id],
      archivedAtMs: null,
    });
    expect(await run(agentArchive, { agent: "notes" })).toContain(
      "**Salon** is archived too, since nobody is left.",
    );
    expect((await storage.groups.get(hosted.id))?.archivedAtMs).not.toBeNull();
  });

  test("moves the channels of all that is archived, and no others", async () => {
    const { run, storage, category, editor, notes, review, pair } = await scene();
    await run(agentArchive, { agent: "editor" });
    expect([editor, pair, review, notes].map(category)).toEqual([
      "Archive",
      "Archive",
      "Groups",
      "Agents",
    ]);
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  test("lets the topics of its groups follow", async () => {
    const { run, chat, topics, review } = await scene();
    await run(agentArchive, { agent: "editor" });
    await topics.onIdle();
    expect(chat.topic(placeOf(review).channelId)).toBe(
      "Review | Members: Notes, Researcher | Host: Notes",
    );
  });

  test("says what could not be moved, and leaves it archived and noted", async () => {
    const { run, chat, storage, category, editor, pair } = await scene();
    chat.failNext("moveChannel", new ChatError("full", "The server has 500 channels."));
    const answer = await run(agentArchive, { agent: "editor" });
    expect(answer.split("\n").at(-1)).toBe(
      `<#${editor.channelId}> could not be moved to the category Archive: The server has 500 channels. No agent answers there, and I try to move it again at my next start.`,
    );
    expect([editor, pair].map(category)).toEqual(["Agents", "Archive"]);
    expect((await storage.agents.get(editor.id))?.archivedAtMs).not.toBeNull();
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([editor.channelId]);
  });

  test("uses a full category no more and makes another one of the name", async () => {
    const { run, chat, category, researcher } = await scene();
    for (let made = 0; made < 50; made += 1)
      chat.addChannel({ guildId: GUILD, category: "Archive" });
    const answer = await run(agentArchive, { agent: "researcher" });
    expect(answer).not.toContain("could not");
    expect(category(researcher)).toBe("Archive");
    expect(chat.effectsOf("createCategory")).toHaveLength(1);
  });

  test("keeps the name reserved, and the display name free", async () => {
    const { run, refusal } = await scene();
    await run(agentArchive, { agent: "editor" });
    expect(await refusal(agentCreate, { display_name: "Editor", prompt: "Cut." })).toContain(
      "The name `editor` is taken or was used before",
    );
    await run(agentCreate, { display_name: "Editor", name: "editor-2", prompt: "Cut." });
  });

  test("refuses the coordinator", async () => {
    const { refusal, storage, ...setup } = await scene();
    const first = await addAgent({ ...setup, storage }, { displayName: "Coordinator" });
    expect(await refusal(agentArchive, { agent: "coordinator" })).toBe(
      "**Coordinator** cannot be archived: it is the place to begin.",
    );
    expect(await storage.agents.get(first.id)).toEqual(first);
  });

  test("refuses an agent that archives itself, and lets it archive another", async () => {
    const { storage, editor, notes, ...setup } = await scene();
    const context = {
      ...setup,
      storage,
      asker: aManager(),
      place: placeOf(editor),
      actingAgentId: editor.id,
    };
    await expect(runOperation(agentArchive, context, { agent: "editor" })).rejects.toThrow(
      "An agent cannot archive itself.",
    );
    expect(await storage.agents.get(editor.id)).toEqual(editor);
    await runOperation(agentArchive, context, { agent: "notes" });
    expect((await storage.agents.get(notes.id))?.archivedAtMs).not.toBeNull();
  });

  test("refuses what is archived, what is unknown, and people without the right", async () => {
    const { run, refusal, storage, notes } = await scene();
    await run(agentArchive, { agent: "editor" });
    expect(await refusal(agentArchive, { agent: "editor" })).toBe(
      "**Editor** is archived already.",
    );
    expect(await refusal(agentArchive, { agent: "Nope" })).toBe("There is no agent called “Nope”.");
    expect(await refusal(agentArchive, { agent: "notes" }, aPerson())).toContain(
      "can change agents and groups",
    );
    expect(await storage.agents.get(notes.id)).toEqual(notes);
  });

  test("leaves everything as it is when the database fails", async () => {
    const { refusal, storage, chat, editor, review } = await scene();
    const broken = {
      ...storage.archive,
      archiveAgent: async () => {
        throw new StorageError("The database is away.", { isTransient: true });
      },
    };
    Object.assign(storage, { archive: broken });
    expect(await refusal(agentArchive, { agent: "editor" })).toContain("Nothing was changed");
    expect(await storage.agents.get(editor.id)).toEqual(editor);
    expect(await storage.groups.get(review.id)).toEqual(review);
    expect(chat.effects).toEqual([]);
  });

  test("can be told to the members of a group no more", async () => {
    const { run, refusal } = await scene();
    await run(agentArchive, { agent: "editor" });
    expect(await refusal(groupUpdate, { group: "review", members: ["Editor", "Notes"] })).toBe(
      "**Editor** is archived; `/agent_restore` brings it back.",
    );
    expect(await run(groupList, {})).toContain(": Notes (host), Researcher");
  });
});

describe("group_archive", () => {
  test("moves the channel and leaves the members as they are", async () => {
    const { run, storage, category, review, editor } = await scene();
    expect(await run(groupArchive, { group: "review" })).toBe(
      "The group **Review** is archived; `/group_restore` brings it back. Its members stay as they are.",
    );
    expect(await storage.groups.get(review.id)).toEqual({
      ...review,
      archivedAtMs: expect.any(Number),
    });
    expect(await storage.agents.get(editor.id)).toEqual(editor);
    expect(category(review)).toBe("Archive");
    expect(category(editor)).toBe("Agents");
  });

  test("says that the channel stays, and why", async () => {
    const { run, chat, storage, review } = await scene();
    chat.failNext("moveChannel", new ChatError("forbidden", "The bot may not do that here."));
    expect(await run(groupArchive, { group: "review" })).toContain(
      `<#${review.channelId}> could not be moved to the category Archive: The bot may not do that here.`,
    );
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([review.channelId]);
  });

  test("refuses an archived group and people without the right", async () => {
    const { run, refusal, storage, pair } = await scene();
    await run(groupArchive, { group: "review" });
    expect(await refusal(groupArchive, { group: "Review" })).toBe(
      "The group **Review** is archived already.",
    );
    expect(await refusal(groupArchive, { group: "pair" }, aPerson())).toContain("Only managers");
    expect(await storage.groups.get(pair.id)).toEqual(pair);
  });
});
