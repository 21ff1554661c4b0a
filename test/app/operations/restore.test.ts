import { describe, expect, test } from "vitest";
import { agentArchive } from "../../../src/app/operations/agentArchive.js";
import { agentGet } from "../../../src/app/operations/agentGet.js";
import { agentRestore } from "../../../src/app/operations/agentRestore.js";
import { groupArchive } from "../../../src/app/operations/groupArchive.js";
import { groupRestore } from "../../../src/app/operations/groupRestore.js";
import type { Agent } from "../../../src/domain/agent.js";
import type { Group } from "../../../src/domain/group.js";
import { StorageError } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aPerson, GUILD, placeOf } from "../../support/builders.js";
import { only, type Setup, setUp } from "./setup.js";

interface Scene extends Setup {
  readonly editor: Agent;
  readonly notes: Agent;
  readonly researcher: Agent;
  /** Editor (host), Notes and Researcher. */
  readonly review: Group;
  readonly category: (owner: Agent | Group) => string | undefined;
}

async function scene(): Promise<Scene> {
  const setup = await setUp();
  const editor = await addAgent(setup, { displayName: "Editor" });
  const notes = await addAgent(setup, { displayName: "Notes", category: "Agents-desk" });
  const researcher = await addAgent(setup, { displayName: "Researcher" });
  const review = await addGroup(setup, {
    displayName: "Review",
    members: [editor, notes, researcher],
  });
  const category = (owner: Agent | Group) =>
    setup.chat.channels.get(placeOf(owner).channelId)?.category;
  return { ...setup, editor, notes, researcher, review, category };
}

describe("agent_restore", () => {
  test("brings the agent and its channel back, in no group, and lists where it was", async () => {
    const { run, storage, category, notes, editor, ...setup } = await scene();
    await addGroup({ ...setup, storage }, { displayName: "Pair", members: [notes, editor] });
    await run(agentArchive, { agent: "notes" });
    expect(category(notes)).toBe("Archive");
    expect(await run(agentRestore, { agent: "@Notes" })).toBe(
      [
        `**Notes** is back, in <#${notes.channelId}>.`,
        "It was in the group **Review** and is not any more; `/group_update` puts it back.",
        "It was in the group **Pair**, which is archived; see `/group_restore`.",
      ].join("\n"),
    );
    expect(await storage.agents.get(notes.id)).toEqual(notes);
    expect(await storage.groups.withMember(notes.id)).toEqual([]);
    expect(category(notes)).toBe("Agents-desk");
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  test("makes a new channel with its topic when the old one is gone", async () => {
    const { run, storage, chat, editor } = await scene();
    await run(agentArchive, { agent: "editor" });
    chat.dropChannel(placeOf(editor).channelId);
    const answer = await run(agentRestore, { agent: "editor" });
    const { channelId, channel } = only(chat.effectsOf("createChannel"));
    expect(channel).toMatchObject({ name: "editor", category: "Agents", guildId: GUILD });
    expect(channel.topic).toContain("Editor: You are Editor.");
    expect((await storage.agents.get(editor.id))?.channelId).toBe(channelId);
    expect(answer).toContain(
      `**Editor** is back, in a new channel, <#${channelId}>, since the old one is gone.`,
    );
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  test("refuses a display name that is taken by now, before anything is moved", async () => {
    const { run, refusal, storage, category, ...setup } = await scene();
    await run(agentArchive, { agent: "editor" });
    await addAgent({ ...setup, storage }, { displayName: "EDITOR", name: "editor-2" });
    expect(await refusal(agentRestore, { agent: "Editor" })).toBe(
      "Another agent is called **Editor** by now: give that one another display name with `/agent_update` first.",
    );
    expect(category(setup.editor)).toBe("Archive");
  });

  test("finds the one that is archived by a display name that two have", async () => {
    const { run, storage, ...setup } = await scene();
    await run(agentArchive, { agent: "editor" });
    const other = await addAgent(
      { ...setup, storage },
      { displayName: "Editor", name: "editor-2", archivedAtMs: 1 },
    );
    await run(agentRestore, { agent: "Editor" });
    expect(await storage.agents.get(setup.editor.id)).toEqual(setup.editor);
    expect(await storage.agents.get(other.id)).toEqual(other);
  });

  test("leaves the agent archived when its category is full", async () => {
    const { run, refusal, chat, storage, category, editor } = await scene();
    await run(agentArchive, { agent: "editor" });
    // Researcher's is the first of the fifty.
    for (let made = 1; made < 50; made += 1)
      chat.addChannel({ guildId: GUILD, category: "Agents" });
    expect(await refusal(agentRestore, { agent: "editor" })).toBe("The category has 50 channels.");
    expect((await storage.agents.get(editor.id))?.archivedAtMs).not.toBeNull();
    expect(category(editor)).toBe("Archive");
  });

  test("moves the channel back to the archive when the database fails", async () => {
    const { run, refusal, storage, category, editor } = await scene();
    await run(agentArchive, { agent: "editor" });
    const failing = async () => {
      throw new StorageError("The database is away.", { isTransient: true });
    };
    Object.assign(storage, { archive: { ...storage.archive, restoreAgent: failing } });
    expect(await refusal(agentRestore, { agent: "editor" })).toContain("Nothing was changed");
    expect(category(editor)).toBe("Archive");
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  test("takes a permanent name to mean the one that has it, and says what the other is called", async () => {
    const { run, refusal, storage, ...setup } = await scene();
    await addAgent(
      { ...setup, storage },
      { displayName: "Editor", name: "editor-2", archivedAtMs: 1 },
    );
    expect(await refusal(agentRestore, { agent: "editor" })).toBe(
      "**Editor** is not archived. The archived one of this name is `editor-2`.",
    );
    await storage.agents.update(setup.editor.id, { displayName: "Chief" });
    expect(await run(agentRestore, { agent: "editor" })).toContain("**Editor** is back");
  });

  test("refuses what is not archived, what is unknown, and people without the right", async () => {
    const { run, refusal, storage, editor } = await scene();
    expect(await refusal(agentRestore, { agent: "notes" })).toBe("**Notes** is not archived.");
    expect(await refusal(agentRestore, { agent: "Nope" })).toContain("There is no agent called");
    await run(agentArchive, { agent: "editor" });
    expect(await refusal(agentRestore, { agent: "editor" }, aPerson())).toContain("Only managers");
    expect((await storage.agents.get(editor.id))?.archivedAtMs).not.toBeNull();
  });

  test("shows the agent as one that is there", async () => {
    const { run, review } = await scene();
    await run(agentArchive, { agent: "editor" });
    const answer = await run(agentGet, { agent: "editor" });
    expect(answer).toContain("**Editor** (`editor`), archived");
    expect(answer).toContain(`Was in, before it was archived: Review <#${review.channelId}>`);
    await run(agentRestore, { agent: "editor" });
    expect(await run(agentGet, { agent: "editor" })).not.toContain("archived");
  });
});

describe("group_restore", () => {
  test("brings the group back as it was", async () => {
    const { run, storage, category, review } = await scene();
    await run(groupArchive, { group: "review" });
    expect(await run(groupRestore, { group: "Review" })).toBe(
      `**Review** is back, in <#${review.channelId}>, with **Editor**, **Notes** and **Researcher**; **Editor** is the host.`,
    );
    expect(await storage.groups.get(review.id)).toEqual(review);
    expect(category(review)).toBe("Groups");
    expect(await storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  test("leaves out archived members, passes the host on, and lets the topic follow", async () => {
    const { run, storage, chat, topics, review, editor, notes, researcher } = await scene();
    await storage.groups.update(review.id, { muted: [editor.id, notes.id] });
    await run(groupArchive, { group: "review" });
    await run(agentArchive, { agent: "editor" });
    expect(await run(groupRestore, { group: "review" })).toBe(
      [
        `**Review** is back, in <#${review.channelId}>, with **Notes** and **Researcher**; **Notes** is the host.`,
        "Left out, since archived: **Editor**.",
      ].join("\n"),
    );
    expect(await storage.groups.get(review.id)).toEqual({
      ...review,
      members: [notes.id, researcher.id],
      hostId: notes.id,
      muted: [notes.id],
    });
    await topics.onIdle();
    expect(chat.topic(placeOf(review).channelId)).toBe(
      "Review | Members: Notes (muted), Researcher | Host: Notes",
    );
  });

  test("refuses a group with a single member that is not archived, and names the others", async () => {
    const { run, refusal, storage, category, review } = await scene();
    await run(groupArchive, { group: "review" });
    await run(agentArchive, { agent: "editor" });
    await run(agentArchive, { agent: "researcher" });
    expect(await refusal(groupRestore, { group: "review" })).toBe(
      "**Review** needs at least 2 active members: bring **Editor** or **Researcher** back with `/agent_restore` first.",
    );
    expect((await storage.groups.get(review.id))?.archivedAtMs).not.toBeNull();
    expect(category(review)).toBe("Archive");
  });

  test("brings back a group that ended with its member once that member is back", async () => {
    const { run, refusal, storage, notes, researcher, ...setup } = await scene();
    const pair = await addGroup(
      { ...setup, storage },
      { displayName: "Pair", members: [researcher, notes] },
    );
    await run(agentArchive, { agent: "researcher" });
    expect(await refusal(groupRestore, { group: "pair" })).toContain("bring **Researcher** back");
    await run(agentRestore, { agent: "researcher" });
    await run(groupRestore, { group: "pair" });
    expect(await storage.groups.get(pair.id)).toEqual(pair);
  });

  test("makes a new channel with the topic of the present members when the old one is gone", async () => {
    const { run, storage, chat, review } = await scene();
    await run(groupArchive, { group: "review" });
    await run(agentArchive, { agent: "editor" });
    chat.dropChannel(placeOf(review).channelId);
    await run(groupRestore, { group: "review" });
    const { channelId, channel } = only(chat.effectsOf("createChannel"));
    expect(channel).toEqual({
      guildId: GUILD,
      name: "review",
      category: "Groups",
      topic: "Review | Members: Notes, Researcher | Host: Notes",
    });
    expect(await storage.groups.byChannel(channelId)).toMatchObject({ id: review.id });
  });

  test("refuses when a member is archived at the same moment, and moves the channel back", async () => {
    const { run, refusal, chat, category, review } = await scene();
    await run(groupArchive, { group: "review" });
    const held = chat.holdNext("moveChannel");
    const restoring = refusal(groupRestore, { group: "review" });
    await held.reached;
    await run(agentArchive, { agent: "notes" });
    held.release();
    expect(await restoring).toContain("Somebody else changed **Review**, or one of its members");
    expect(category(review)).toBe("Archive");
  });

  test("refuses a display name that is taken by now", async () => {
    const { run, refusal, storage, notes, researcher, ...setup } = await scene();
    await run(groupArchive, { group: "review" });
    await addGroup(
      { ...setup, storage },
      { displayName: "Review", name: "review-2", members: [notes, researcher] },
    );
    expect(await refusal(groupRestore, { group: "review" })).toBe(
      "Another group is called **Review** by now: give that one another display name with `/group_update` first.",
    );
  });

  test("refuses what is not archived, and people without the right", async () => {
    const { run, refusal, storage, review } = await scene();
    expect(await refusal(groupRestore, { group: "review" })).toBe("**Review** is not archived.");
    await run(groupArchive, { group: "review" });
    expect(await refusal(groupRestore, { group: "review" }, aPerson())).toContain("Only managers");
    expect((await storage.groups.get(review.id))?.archivedAtMs).not.toBeNull();
  });
});
