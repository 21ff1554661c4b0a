import { describe, expect, test } from "vitest";
import { agentUpdate } from "../../../src/app/operations/agentUpdate.js";
import type { Agent } from "../../../src/domain/agent.js";
import { ChatError } from "../../../src/ports/chat.js";
import { StorageError } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aPerson, OTHER_GUILD } from "../../support/builders.js";
import { PNG_SIGNATURE } from "../../support/services.js";
import { openTestStorage } from "../../support/storage.js";
import { only, type Setup, setUp } from "./setup.js";

/** An agent whose picture is really there. */
async function withPicture(setup: Setup): Promise<Agent> {
  const picture = await setup.chat.uploadPicture("old_picture", PNG_SIGNATURE);
  return addAgent(setup, { displayName: "Editor", picture });
}

describe("agent_update", () => {
  test("changes what is given and leaves the rest", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor", model: "m1" });
    const answer = await setup.run(agentUpdate, {
      agent: "@EDITOR",
      display_name: "Chief editor",
      prompt: "You cut.",
    });
    expect(await setup.storage.agents.get(editor.id)).toEqual({
      ...editor,
      displayName: "Chief editor",
      prompt: "You cut.",
    });
    expect(answer).toBe(
      "**Editor** is now called **Chief editor** and has a new role, from its next turn on.",
    );
  });

  test("says that nothing changes when everything is like that already", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor", model: "m1" });
    const same = { display_name: "Editor", prompt: editor.prompt, model: "m1" };
    expect(await setup.run(agentUpdate, { agent: "editor", ...same })).toBe(
      "Nothing changed: **Editor** is like that already.",
    );
    expect(await setup.run(agentUpdate, { agent: "editor", ...same, model: "m2" })).toBe(
      "**Editor** has a new model, from its next turn on.",
    );
  });

  test.each(["", " ", "@"])("asks which agent where the name is “%s”", async (agent) => {
    const setup = await setUp();
    expect(await setup.refusal(agentUpdate, { agent, model: "m" })).toBe(
      "Which agent? Give its name.",
    );
  });

  test("gives a model of its own and takes it away again", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor" });
    await setup.run(agentUpdate, { agent: "editor", model: "m2" });
    expect((await setup.storage.agents.get(editor.id))?.model).toBe("m2");
    await setup.run(agentUpdate, { agent: "editor", model: "Default" });
    expect((await setup.storage.agents.get(editor.id))?.model).toBeNull();
  });

  test("lets the topics of its channel and its groups follow, without waiting for them", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor" });
    const notes = await addAgent(setup, { displayName: "Notes" });
    const group = await addGroup(setup, { displayName: "Review", members: [editor, notes] });
    const held = setup.chat.holdNext("setTopic");
    await setup.run(agentUpdate, { agent: "Editor", display_name: "Chief" });
    held.release();
    await setup.topics.onIdle();
    const topics = setup.chat.effectsOf("setTopic");
    expect(new Map(topics.map((effect) => [effect.channelId, effect.topic]))).toEqual(
      new Map([
        [editor.channelId, "Chief: You are Editor."],
        [group.channelId, "Review | Members: Chief, Notes | Host: Chief"],
      ]),
    );
  });

  test("replaces the picture and deletes the old one", async () => {
    const setup = await setUp();
    const editor = await withPicture(setup);
    await setup.run(agentUpdate, {
      agent: "Editor",
      avatar: setup.files.add("new.png", PNG_SIGNATURE),
    });
    const picture = (await setup.storage.agents.get(editor.id))?.picture;
    expect([...setup.chat.pictures.values()]).toEqual([picture]);
    expect(picture).not.toEqual(editor.picture);
  });

  test("keeps the change when the old picture cannot be deleted, and logs it", async () => {
    const setup = await setUp();
    const editor = await withPicture(setup);
    setup.chat.failNext("discardPicture", new ChatError("unavailable", "Discord is away."));
    const avatar = setup.files.add("new.png", PNG_SIGNATURE);
    await setup.run(agentUpdate, { agent: "Editor", avatar });
    expect((await setup.storage.agents.get(editor.id))?.picture).not.toEqual(editor.picture);
    expect(setup.log.messages("warn")).toEqual(["an old picture was not deleted"]);
  });

  test("keeps the picture when only the display name changes", async () => {
    const setup = await setUp();
    const editor = await withPicture(setup);
    await setup.run(agentUpdate, { agent: "Editor", display_name: "Chief" });
    expect((await setup.storage.agents.get(editor.id))?.picture).toEqual(editor.picture);
    expect(setup.chat.pictures.size).toBe(1);
  });

  test("changes nothing when the picture cannot be uploaded", async () => {
    const setup = await setUp();
    const editor = await withPicture(setup);
    setup.chat.failNext("uploadPicture", new ChatError("full", "There is no room for emojis."));
    const avatar = setup.files.add("new.png", PNG_SIGNATURE);
    const input = { agent: "Editor", prompt: "You cut.", avatar };
    expect(await setup.refusal(agentUpdate, input)).toBe("There is no room for emojis.");
    expect(await setup.storage.agents.get(editor.id)).toEqual(editor);
  });

  test("keeps a picture that was stored although the database reported a failure", async () => {
    const storage = await openTestStorage();
    const agents = {
      ...storage.agents,
      update: async (...args: Parameters<typeof storage.agents.update>) => {
        await storage.agents.update(...args);
        throw new StorageError("connection lost", { isTransient: true });
      },
    };
    const setup = await setUp({ storage: { ...storage, agents } });
    const editor = await withPicture(setup);
    const avatar = setup.files.add("new.png", PNG_SIGNATURE);
    await setup.run(agentUpdate, { agent: "Editor", avatar });
    const picture = (await storage.agents.get(editor.id))?.picture;
    expect([...setup.chat.pictures.values()]).toEqual([picture]);
  });

  test("drops the new picture when the database fails", async () => {
    const storage = await openTestStorage();
    const agents = {
      ...storage.agents,
      update: () => Promise.reject(new StorageError("locked", { isTransient: true })),
    };
    const setup = await setUp({ storage: { ...storage, agents } });
    const editor = await withPicture(setup);
    const avatar = setup.files.add("new.png", PNG_SIGNATURE);
    expect(await setup.refusal(agentUpdate, { agent: "Editor", avatar })).toMatch(/database/u);
    expect([...setup.chat.pictures.values()]).toEqual([editor.picture]);
  });

  test("changes nothing when the display name is taken, and drops the new picture", async () => {
    const setup = await setUp();
    const editor = await withPicture(setup);
    await addAgent(setup, { displayName: "Notes" });
    const avatar = setup.files.add("new.png", PNG_SIGNATURE);
    const input = { agent: "Editor", display_name: "notes", prompt: "You cut.", avatar };
    expect(await setup.refusal(agentUpdate, input)).toBe(
      "There is an agent called **notes** already; choose another display name.",
    );
    expect(await setup.storage.agents.get(editor.id)).toEqual(editor);
    expect([...setup.chat.pictures.values()]).toEqual([editor.picture]);
  });

  test("may change the case of its own display name", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor" });
    await setup.run(agentUpdate, { agent: "Editor", display_name: "EDITOR" });
    expect((await setup.storage.agents.get(editor.id))?.displayName).toBe("EDITOR");
  });

  test("refuses an unknown agent, an archived one, one of another server, and nothing to change", async () => {
    const setup = await setUp();
    await addAgent(setup, { displayName: "Editor" });
    await addAgent(setup, { displayName: "Old", archivedAtMs: 1 });
    await addAgent(setup, { displayName: "Far", guildId: OTHER_GUILD });
    const prompt = "You cut.";
    expect(await setup.refusal(agentUpdate, { agent: "Edit", prompt })).toBe(
      "There is no agent called “Edit”.",
    );
    expect(await setup.refusal(agentUpdate, { agent: "old", prompt })).toBe(
      "**Old** is archived; `/agent_restore` brings it back.",
    );
    expect(await setup.refusal(agentUpdate, { agent: "far", prompt })).toBe(
      "There is no agent called “far”.",
    );
    expect(await setup.refusal(agentUpdate, { agent: "Editor" })).toMatch(/^Say what to change/);
  });

  test("refuses people who may not change agents", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Editor" });
    const input = { agent: "Editor", prompt: "You cut." };
    await setup.refusal(agentUpdate, input, aPerson());
    expect(only(await setup.storage.agents.list(editor.guildId))).toEqual(editor);
  });
});
