import { describe, expect, test } from "vitest";
import { groupUpdate } from "../../../src/app/operations/groupUpdate.js";
import type { Agent } from "../../../src/domain/agent.js";
import type { Group } from "../../../src/domain/group.js";
import { addAgent, addGroup, aPerson } from "../../support/builders.js";
import { type Setup, setUp } from "./setup.js";

interface Scene extends Setup {
  readonly editor: Agent;
  readonly notes: Agent;
  readonly researcher: Agent;
  readonly review: Group;
  readonly stored: () => Promise<Group | null>;
}

/** `Review` with Editor (host) and Notes; Researcher is not in it. */
async function scene(change: Partial<Group> = {}): Promise<Scene> {
  const setup = await setUp();
  const editor = await addAgent(setup, { displayName: "Editor" });
  const notes = await addAgent(setup, { displayName: "Notes" });
  const researcher = await addAgent(setup, { displayName: "Researcher" });
  const review = await addGroup(setup, {
    displayName: "Review",
    ...change,
    members: [editor, notes],
  });
  const stored = () => setup.storage.groups.get(review.id);
  return { ...setup, editor, notes, researcher, review, stored };
}

describe("group_update", () => {
  test("changes the display name and never the name", async () => {
    const { run, stored, review } = await scene();
    const answer = await run(groupUpdate, { group: "review", display_name: "Reading room" });
    expect(await stored()).toEqual({ ...review, displayName: "Reading room" });
    expect(answer).toBe(
      "**Review** is now called **Reading room**. Members: **Editor** and **Notes**; host: **Editor**. This counts from the next round; the channel topic follows within ten minutes.",
    );
  });

  test("replaces the whole list and keeps the host that is still a member", async () => {
    const { run, stored, editor, researcher } = await scene();
    await run(groupUpdate, { group: "Review", members: ["Researcher", "Editor"] });
    expect(await stored()).toMatchObject({
      members: [researcher.id, editor.id],
      hostId: editor.id,
    });
  });

  test("makes the first member host when the host was dropped, even beside a coordinator", async () => {
    const { run, stored, notes, ...setup } = await scene();
    await addAgent(setup, { displayName: "Coordinator" });
    await run(groupUpdate, { group: "Review", members: ["Notes", "Coordinator"] });
    expect((await stored())?.hostId).toBe(notes.id);
  });

  test("takes a new host from the new list", async () => {
    const { run, stored, researcher } = await scene();
    await run(groupUpdate, {
      group: "Review",
      members: ["Notes", "Researcher"],
      host: "researcher",
    });
    expect((await stored())?.hostId).toBe(researcher.id);
  });

  test("changes only the host", async () => {
    const { run, stored, review, notes } = await scene();
    await run(groupUpdate, { group: "@Review", host: "Notes" });
    expect(await stored()).toEqual({ ...review, hostId: notes.id });
  });

  test("forgets that somebody was muted who is no longer a member", async () => {
    const { run, stored, storage, review, editor, notes } = await scene();
    await storage.groups.update(review.id, { muted: [editor.id, notes.id] });
    await run(groupUpdate, { group: "Review", members: ["Researcher", "Notes"] });
    expect((await stored())?.muted).toEqual([notes.id]);
  });

  test("lets the topic follow in the background", async () => {
    const { run, chat, topics, review } = await scene();
    await run(groupUpdate, { group: "Review", members: ["Notes", "Researcher"] });
    await topics.onIdle();
    expect(review.channelId && chat.topic(review.channelId)).toBe(
      "Review | Members: Notes, Researcher | Host: Notes",
    );
  });

  test.each([
    ["an unknown group", { group: "Nope", host: "Notes" }, "There is no group called “Nope”."],
    ["nothing to change", { group: "Review" }, "Say what to change: "],
    ["one member", { group: "Review", members: ["Notes"] }, "A group has 2 to 6 members"],
    ["a host outside", { group: "Review", host: "Researcher" }, "**Researcher** is not a member"],
    [
      "a host that the new list drops",
      { group: "Review", members: ["Notes", "Researcher"], host: "Editor" },
      "**Editor** is not a member",
    ],
    ["a display name with a line break", { group: "Review", display_name: "a\nb" }, "one line"],
  ])("refuses %s and changes nothing", async (_, input, sentence) => {
    const { refusal, stored, review } = await scene();
    expect(await refusal(groupUpdate, input)).toContain(sentence);
    expect(await stored()).toEqual(review);
  });

  test("refuses a display name that another group has", async () => {
    const { refusal, stored, review, ...setup } = await scene();
    await addGroup(setup, { displayName: "Desk", members: [setup.notes, setup.researcher] });
    expect(await refusal(groupUpdate, { group: "Review", display_name: "DESK" })).toBe(
      "There is a group called **DESK** already; choose another display name.",
    );
    expect(await stored()).toEqual(review);
  });

  test("refuses an archived group", async () => {
    const { refusal } = await scene({ archivedAtMs: 1 });
    expect(await refusal(groupUpdate, { group: "Review", host: "Notes" })).toBe(
      "**Review** is archived; `/group_restore` brings it back.",
    );
  });

  test("refuses people who may not change groups", async () => {
    const { refusal, stored, review } = await scene();
    await refusal(groupUpdate, { group: "Review", host: "Notes" }, aPerson());
    expect(await stored()).toEqual(review);
  });
});
