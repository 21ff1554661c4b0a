import { beforeEach, expect, test } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { agent, agentId, channelId, GUILD, group, groupId, OTHER_GUILD } from "../samples.js";

export function groupStoreContract(storage: () => Storage): void {
  const editor = agent("editor");
  const writer = agent("writer");
  const critic = agent("critic");
  const scout = agent("scout");

  beforeEach(async () => {
    for (const one of [editor, writer, critic, scout]) await storage().agents.create(one);
  });

  test("a group comes back as it was stored, members in their order", async () => {
    const bare = group("review", [writer, editor, critic]);
    const full = group("floor", [critic, scout], {
      displayName: "Floor 🎤",
      kind: "moderated",
      category: "Groups-lab",
      channelId: channelId("800"),
      hostId: scout.id,
      muted: [critic.id],
      createdAtMs: 1_700_000_000_123,
      archivedAtMs: 1_700_000_000_456,
    });
    expect(await storage().groups.create(bare)).toBeNull();
    expect(await storage().groups.create(full)).toBeNull();
    expect(await storage().groups.get(bare.id)).toEqual(bare);
    expect(await storage().groups.get(full.id)).toEqual(full);
    expect(await storage().groups.get(groupId("nothing"))).toBeNull();
  });

  test("a group cannot take the name of an agent or of a group", async () => {
    await storage().groups.create(group("review", [editor, writer]));
    const again = group("review", [editor, critic], {
      id: groupId("other"),
      displayName: "Other",
    });
    expect(await storage().groups.create(again)).toBe("name");
    expect(await storage().groups.create({ ...again, name: "editor" })).toBe("name");
    expect(await storage().groups.get(again.id)).toBeNull();
    expect(await storage().groups.create({ ...again, name: "fresh" })).toBeNull();
  });

  test("a display name is taken once among groups that are not archived", async () => {
    const old = group("old", [editor, writer], { displayName: "Review", archivedAtMs: 5 });
    await storage().groups.create(old);
    expect(
      await storage().groups.create(group("one", [editor, writer], { displayName: "Review" })),
    ).toBeNull();
    const two = group("two", [editor, writer], { displayName: "REVIEW" });
    expect(await storage().groups.create(two)).toBe("displayName");
    expect(await storage().groups.create({ ...two, displayName: "Two" })).toBeNull();
    expect(await storage().groups.update(two.id, { displayName: "review" })).toBe("displayName");
    expect((await storage().groups.get(two.id))?.displayName).toBe("Two");
  });

  test("a group with a member that does not exist is not stored", async () => {
    const broken = group("broken", [editor, agent("stranger")]);
    expect(await storage().groups.create(broken)).toBe("member");
    expect(await storage().groups.get(broken.id)).toBeNull();
    const whole = group("broken", [editor, writer]);
    expect(await storage().groups.create(whole)).toBeNull();
  });

  test("an update changes the fields given and no others", async () => {
    const before = group("review", [editor, writer], { muted: [writer.id] });
    await storage().groups.create(before);
    const change = {
      displayName: "Review room",
      hostId: writer.id,
    };
    expect(await storage().groups.update(before.id, change)).toBeNull();
    expect(await storage().groups.update(before.id, {})).toBeNull();
    expect(await storage().groups.get(before.id)).toEqual({ ...before, ...change });
  });

  test("a new list of members replaces the old one, and those who stay keep being muted", async () => {
    const before = group("review", [editor, writer, critic], { muted: [writer.id, critic.id] });
    await storage().groups.create(before);
    await storage().groups.update(before.id, { members: [scout.id, writer.id, editor.id] });
    expect(await storage().groups.get(before.id)).toEqual({
      ...before,
      members: [scout.id, writer.id, editor.id],
      muted: [writer.id],
    });
  });

  test("a list of muted members replaces the old one, also together with new members", async () => {
    const before = group("review", [editor, writer, critic], { muted: [writer.id] });
    await storage().groups.create(before);
    await storage().groups.update(before.id, { muted: [critic.id, editor.id] });
    expect((await storage().groups.get(before.id))?.muted).toEqual([editor.id, critic.id]);
    await storage().groups.update(before.id, { muted: [] });
    expect((await storage().groups.get(before.id))?.muted).toEqual([]);
    await storage().groups.update(before.id, {
      members: [scout.id, editor.id],
      hostId: scout.id,
      muted: [scout.id],
    });
    expect(await storage().groups.get(before.id)).toEqual({
      ...before,
      members: [scout.id, editor.id],
      hostId: scout.id,
      muted: [scout.id],
    });
  });

  test("one member is muted and unmuted at a time, whatever happens to the others", async () => {
    const before = group("review", [editor, writer, critic], { muted: [writer.id] });
    await storage().groups.create(before);
    const changed = await Promise.all([
      storage().groups.setMuted(before.id, editor.id, true),
      storage().groups.setMuted(before.id, critic.id, true),
      storage().groups.setMuted(before.id, writer.id, false),
    ]);
    expect(changed).toEqual([true, true, true]);
    expect((await storage().groups.get(before.id))?.muted).toEqual([editor.id, critic.id]);
    expect(await storage().groups.setMuted(before.id, editor.id, true)).toBe(false);
    expect(await storage().groups.setMuted(before.id, writer.id, false)).toBe(false);
    expect(await storage().groups.setMuted(before.id, scout.id, true)).toBe(false);
    expect((await storage().groups.get(before.id))?.muted).toEqual([editor.id, critic.id]);
  });

  test("an update with a member that does not exist changes nothing", async () => {
    const before = group("review", [editor, writer], { muted: [writer.id] });
    await storage().groups.create(before);
    expect(
      await storage().groups.update(before.id, {
        displayName: "Lost",
        members: [critic.id, agentId("stranger")],
      }),
    ).toBe("member");
    expect(await storage().groups.get(before.id)).toEqual(before);
  });

  test("an update of a group that does not exist is an error", async () => {
    await expect(storage().groups.update(groupId("nothing"), { muted: [] })).rejects.toMatchObject({
      name: "StorageError",
      isTransient: false,
    });
  });

  test("a group is found by name or display name in its own server only", async () => {
    const review = group("review", [editor, writer], { displayName: "Reading Room" });
    await storage().groups.create(review);
    expect(await storage().groups.find(GUILD, "Review")).toEqual(review);
    expect(await storage().groups.find(GUILD, "reading room")).toEqual(review);
    expect(await storage().groups.find(GUILD, "editor")).toBeNull();
    expect(await storage().groups.find(OTHER_GUILD, "review")).toBeNull();
  });

  test("when several groups fit, one that is not archived wins, then a name", async () => {
    const make = (name: string, displayName: string, archivedAtMs: number | null = null) =>
      storage().groups.create(group(name, [editor, writer], { displayName, archivedAtMs }));
    await make("den", "Old", 9);
    await make("attic", "Den");
    expect((await storage().groups.find(GUILD, "den"))?.name).toBe("attic");
    await make("hall", "Yard");
    await make("yard", "Hall");
    expect((await storage().groups.find(GUILD, "hall"))?.name).toBe("hall");
  });

  test("a group is found by its channel", async () => {
    const review = group("review", [editor, writer], { channelId: channelId("800") });
    await storage().groups.create(review);
    expect(await storage().groups.byChannel(channelId("800"))).toEqual(review);
    expect(await storage().groups.byChannel(channelId("801"))).toBeNull();
  });

  test("the groups of an agent are those that are not archived, with all their members", async () => {
    const second = group("second", [writer, editor], { createdAtMs: 20 });
    const first = group("first", [editor, critic], { createdAtMs: 10 });
    await storage().groups.create(second);
    await storage().groups.create(first);
    await storage().groups.create(group("other", [critic, scout]));
    await storage().groups.create(group("old", [editor, scout], { archivedAtMs: 5 }));
    expect(await storage().groups.withMember(editor.id)).toEqual([first, second]);
    expect(await storage().groups.withMember(agentId("nobody"))).toEqual([]);
  });

  test("the list of a server is oldest first and holds archived ones", async () => {
    const make = (name: string, createdAtMs: number, archivedAtMs: number | null) =>
      storage().groups.create(group(name, [editor, writer], { createdAtMs, archivedAtMs }));
    await make("b", 20, 99);
    await make("c", 30, null);
    await make("a", 10, null);
    const names = (await storage().groups.list(GUILD)).map((one) => one.name);
    expect(names).toEqual(["a", "b", "c"]);
    expect(await storage().groups.list(OTHER_GUILD)).toEqual([]);
  });
}
