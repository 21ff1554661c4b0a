import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../../commands/index.js";
import { addAgent, addGroup } from "../../support/builders.js";
import { connectInteracting, type Interacting, manyAgents } from "./interacting.js";

let connected: Interacting;

beforeEach(async () => {
  connected = await connectInteracting();
});
afterEach(() => connected.close());

describe("suggestions", () => {
  const suggestions = async (path: string, option: string, typed: string, others = {}) => {
    const { people, owner, channelId } = connected.loopback;
    const values = { ...others, [option]: typed };
    const choices = await people.autocomplete(owner.id, channelId, path, option, values);
    return choices.map(({ name, value }) => (name === value ? name : `${name} = ${value}`));
  };

  it("are the agents of this server that are not archived, best match first", async () => {
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Copy editor",
      name: "copy-editor",
    });
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Editor",
      name: "editor",
    });
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Old editor",
      name: "old",
      archivedAtMs: 1,
    });
    await addAgent(connected.doubles, { displayName: "Editor elsewhere", name: "elsewhere" });
    await connected.start({ commands });
    expect(await suggestions("agent_get", "agent", "@EDI")).toEqual([
      "Editor (editor) = editor",
      "Copy editor (copy-editor) = copy-editor",
    ]);
    expect(await suggestions("agent_get", "agent", "")).toHaveLength(2);
    expect(await suggestions("agent_get", "agent", "zzz")).toEqual([]);
  });

  it("complete the last entry of a list and leave out those before", async () => {
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "researcher",
    });
    await addAgent(connected.doubles, { guildId: connected.place.guildId, displayName: "reader" });
    await connected.start({ commands });
    expect(await suggestions("group_create", "members", "researcher, re")).toEqual([
      "researcher, reader",
    ]);
  });

  it("are for a group chat who is in it, or could come, several with commas between them", async () => {
    const { guildId, channelId } = connected.place;
    const add = (displayName: string) => addAgent(connected.doubles, { guildId, displayName });
    const [host, inside, outside] = [await add("host"), await add("inside"), await add("outside")];
    const { storage } = connected.doubles;
    const elsewhere = outside.channelId ?? channelId;
    const chat = { groupId: null, guildId };
    await storage.hostedChats.start({
      ...chat,
      channelId,
      hostId: host.id,
      participants: [inside.id],
      startedAtMs: 1,
    });
    await storage.hostedChats.start({
      ...chat,
      channelId: elsewhere,
      hostId: outside.id,
      participants: [],
      startedAtMs: 2,
    });
    await connected.start({ commands });
    expect(await suggestions("gc remove", "agent", "")).toEqual(["inside"]);
    expect(await suggestions("gc leave", "agent", "")).toEqual(["inside"]);
    expect(await suggestions("gc add", "agent", "")).toEqual(["outside"]);
    expect(await suggestions("gc start", "agents", "inside, out")).toEqual(["inside, outside"]);
    expect(await suggestions("gc status", "chat", "")).toEqual(["host", "outside"]);
  });

  it("leave out of a list who is in it already, in whatever way it was typed", async () => {
    const { guildId } = connected.place;
    await addAgent(connected.doubles, { guildId, displayName: "The Editor", name: "editor" });
    await addAgent(connected.doubles, { guildId, displayName: "Ed", name: "ed" });
    await connected.start({ commands });
    for (const typed of ["editor", "EDITOR", "The editor", "@The Editor"]) {
      expect(await suggestions("group_create", "members", `${typed}, ed`)).toEqual([
        `${typed}, ed`,
      ]);
    }
  });

  it("are groups, categories and models where those are asked for", async () => {
    const editor = await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Editor",
      model: "own-model",
      category: "Agents-Desk",
    });
    const reader = await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Reader",
    });
    await addGroup(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Review",
      members: [editor, reader],
    });
    await connected.start({ commands });
    expect(await suggestions("group_update", "group", "rev")).toEqual(["Review (review) = review"]);
    expect(await suggestions("agent_create", "category", "")).toEqual(["Agents", "Agents-Desk"]);
    expect(await suggestions("group_create", "category", "")).toEqual(["Groups"]);
    expect(await suggestions("agent_create", "model", "")).toEqual([
      "default",
      "test-model",
      "own-model",
    ]);
  });

  it("are for a floor the members of the group whose channel it is", async () => {
    const { guildId, channelId } = connected.place;
    const [editor, reader, muted] = await Promise.all(
      ["Editor", "Reader", "Muted", "Stranger"].map((displayName) =>
        addAgent(connected.doubles, { guildId, displayName }),
      ),
    );
    if (!editor || !reader || !muted) throw new Error("There are no agents.");
    await addGroup(connected.doubles, {
      guildId,
      channelId,
      displayName: "Forum",
      kind: "moderated",
      members: [editor, reader, muted],
      muted: [muted.id],
    });
    await connected.start({ commands });
    const offered = ["Editor (editor) = editor", "Reader (reader) = reader"];
    expect(await suggestions("floor_turns", "agents", "")).toEqual(offered);
    expect(await suggestions("floor_vote", "agents", "")).toEqual(offered);
    expect(await suggestions("floor_turns", "agents", "editor, ")).toEqual(["editor, reader"]);
  });

  it("are never more than Discord takes", async () => {
    await manyAgents(connected, 40);
    await connected.start({ commands });
    expect(await suggestions("agent_get", "agent", "agent")).toHaveLength(25);
  });

  it("are none when the database fails", async () => {
    const failing = {
      ...connected.storage,
      agents: { ...connected.storage.agents, list: () => Promise.reject(new Error("away")) },
    };
    await connected.start({ commands }, { storage: failing });
    expect(await suggestions("agent_get", "agent", "e")).toEqual([]);
  });
});
