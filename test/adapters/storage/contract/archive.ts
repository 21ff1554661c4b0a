import { beforeEach, expect, test } from "vitest";
import type { Agent } from "../../../../src/domain/agent.js";
import type { Group } from "../../../../src/domain/group.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { agent, agentId, channelId, GUILD, group, groupId, OTHER_GUILD } from "../samples.js";

export function archiveStoreContract(storage: () => Storage): void {
  const editor = agent("editor", { channelId: channelId("701") });
  const writer = agent("writer", { channelId: channelId("702") });
  const critic = agent("critic");
  const scout = agent("scout", { channelId: channelId("704") });
  const archive = () => storage().archive;
  const stored = (one: Agent | Group) =>
    "members" in one ? storage().groups.get(one.id) : storage().agents.get(one.id);

  beforeEach(async () => {
    for (const one of [editor, writer, critic, scout]) await storage().agents.create(one);
  });

  async function make(
    name: string,
    members: readonly Agent[],
    fields: Partial<Group> = {},
  ): Promise<Group> {
    const made = group(name, members, fields);
    expect(await storage().groups.create(made)).toBeNull();
    return made;
  }

  test("an archived agent leaves its groups, and who remains keeps order and being muted", async () => {
    const review = await make("review", [writer, editor, critic], {
      muted: [editor.id, critic.id],
    });
    const other = await make("other", [writer, critic]);
    expect(await archive().archiveAgent(editor.id, 77)).toEqual([
      {
        group: { ...review, members: [writer.id, critic.id], muted: [critic.id] },
        wasHost: false,
        isEnded: false,
      },
    ]);
    expect(await stored(editor)).toEqual({ ...editor, archivedAtMs: 77 });
    expect(await stored(other)).toEqual(other);
    expect(await storage().groups.withMember(editor.id)).toEqual([]);
  });

  test("the first member that remains is host where the archived one was", async () => {
    const review = await make("review", [writer, editor, critic], { hostId: editor.id });
    expect(await archive().archiveAgent(editor.id, 77)).toEqual([
      {
        group: { ...review, members: [writer.id, critic.id], hostId: writer.id },
        wasHost: true,
        isEnded: false,
      },
    ]);
    expect((await stored(review)) as Group).toMatchObject({ hostId: writer.id });
  });

  test("an archived agent is no participant of hosted chats any more, also when it is back", async () => {
    const chat = {
      groupId: null,
      guildId: GUILD,
      channelId: channelId("702"),
      hostId: writer.id,
      participants: [editor.id, critic.id],
      startedAtMs: 5,
    };
    await storage().hostedChats.start(chat);
    await archive().archiveAgent(editor.id, 77);
    await archive().restoreAgent(editor.id, channelId("701"));
    const stored = await storage().hostedChats.byChannel(chat.channelId);
    expect(stored?.participants).toEqual([critic.id]);
  });

  test("a group of two is archived with its member and keeps both, and its host", async () => {
    const pair = await make("pair", [editor, writer], {
      createdAtMs: 10,
      channelId: channelId("801"),
    });
    const trio = await make("trio", [critic, editor, writer], { createdAtMs: 20 });
    const left = await archive().archiveAgent(editor.id, 77);
    expect(left).toEqual([
      { group: { ...pair, archivedAtMs: 77 }, wasHost: true, isEnded: true },
      { group: { ...trio, members: [critic.id, writer.id] }, wasHost: false, isEnded: false },
    ]);
    expect(await archive().leftGroups(editor.id)).toEqual(left);
  });

  test("a hosted group goes on with whoever is left, and ends with the last", async () => {
    const salon = await make("salon", [editor, writer, critic], { kind: "hosted" });
    await archive().archiveAgent(critic.id, 76);
    expect(await archive().archiveAgent(editor.id, 77)).toEqual([
      {
        group: { ...salon, members: [writer.id], hostId: writer.id },
        wasHost: true,
        isEnded: false,
      },
    ]);
    expect(await archive().archiveAgent(writer.id, 78)).toMatchObject([
      { group: { id: salon.id, archivedAtMs: 78 }, isEnded: true },
    ]);
  });

  test("groups that were archived before stay as they are and are not left", async () => {
    const old = await make("old", [editor, writer, critic], { archivedAtMs: 5 });
    expect(await archive().archiveAgent(editor.id, 77)).toEqual([]);
    expect(await stored(old)).toEqual(old);
  });

  test("an agent is archived once, and one that does not exist never", async () => {
    await make("trio", [editor, writer, critic]);
    await archive().archiveAgent(editor.id, 77);
    expect(await archive().archiveAgent(editor.id, 88)).toBeNull();
    expect(await stored(editor)).toMatchObject({ archivedAtMs: 77 });
    expect(await archive().leftGroups(editor.id)).toHaveLength(1);
    expect(await archive().archiveAgent(agentId("nobody"), 77)).toBeNull();
  });

  test("of members archived at once, the group ends with the one that leaves a single member", async () => {
    const trio = await make("trio", [editor, writer, critic]);
    const results = await Promise.all([
      archive().archiveAgent(editor.id, 77),
      archive().archiveAgent(writer.id, 78),
    ]);
    const ended = results.filter((left) => left?.[0]?.isEnded === true);
    expect(ended).toHaveLength(1);
    const kept = (await stored(trio)) as Group;
    expect(kept.members).toHaveLength(2);
    expect(kept.archivedAtMs).not.toBeNull();
  });

  test("the groups that an agent left are those of the last time", async () => {
    const first = await make("first", [editor, writer, critic]);
    await archive().archiveAgent(editor.id, 77);
    await archive().restoreAgent(editor.id, channelId("701"));
    expect((await archive().leftGroups(editor.id)).map((left) => left.group.id)).toEqual([
      first.id,
    ]);
    await make("second", [editor, scout, critic]);
    await archive().archiveAgent(editor.id, 88);
    const [left, ...others] = await archive().leftGroups(editor.id);
    expect(left?.group.name).toBe("second");
    expect(others).toEqual([]);
    expect(await archive().leftGroups(scout.id)).toEqual([]);
  });

  test("the channels of all that is archived are noted until they are settled", async () => {
    await make("pair", [editor, writer], { channelId: channelId("801") });
    await make("trio", [editor, writer, scout], { channelId: channelId("802") });
    await make("bare", [critic, writer, scout]);
    const pause = await make("pause", [scout, critic], { channelId: channelId("803") });
    await archive().archiveAgent(editor.id, 77);
    await archive().archiveAgent(critic.id, 78);
    expect(await archive().unmovedChannels(GUILD)).toEqual(["701", "801", "803"]);
    expect(await archive().unmovedChannels(OTHER_GUILD)).toEqual([]);
    await archive().settleChannel(channelId("801"));
    await archive().settleChannel(channelId("999"));
    expect(await archive().unmovedChannels(GUILD)).toEqual(["701", "803"]);
    expect((await stored(pause)) as Group).toMatchObject({ archivedAtMs: 78 });
  });

  test("a channel that is taken out of the archive is noted until its owner is back", async () => {
    await archive().archiveAgent(editor.id, 77);
    await archive().settleChannel(channelId("701"));
    await archive().unsettleChannel(GUILD, channelId("701"));
    await archive().unsettleChannel(GUILD, channelId("701"));
    expect(await archive().unmovedChannels(GUILD)).toEqual(["701"]);
    await archive().restoreAgent(editor.id, channelId("701"));
    expect(await archive().unmovedChannels(GUILD)).toEqual([]);
  });

  test("a channel that is gone belongs to nobody, and is not to be moved", async () => {
    const review = await make("review", [editor, writer], { channelId: channelId("801") });
    await archive().archiveGroup(review.id, 77);
    await archive().loseChannel(channelId("801"));
    await archive().loseChannel(channelId("701"));
    expect(await stored(review)).toEqual({ ...review, channelId: null, archivedAtMs: 77 });
    expect(await stored(editor)).toEqual({ ...editor, channelId: null });
    expect(await stored(writer)).toEqual(writer);
    expect(await archive().unmovedChannels(GUILD)).toEqual([]);
  });

  test("a group is archived once, with its members and channel as they are", async () => {
    const review = await make("review", [editor, writer], { channelId: channelId("801") });
    expect(await archive().archiveGroup(review.id, 77)).toBe(true);
    expect(await archive().archiveGroup(review.id, 88)).toBe(false);
    expect(await archive().archiveGroup(groupId("nothing"), 88)).toBe(false);
    expect(await stored(review)).toEqual({ ...review, archivedAtMs: 77 });
    expect(await stored(editor)).toEqual(editor);
    expect(await archive().unmovedChannels(GUILD)).toEqual(["801"]);
  });

  test("an agent comes back with a channel and in no group, and is not unmoved any more", async () => {
    await make("trio", [editor, writer, critic]);
    await archive().archiveAgent(editor.id, 77);
    expect(await archive().restoreAgent(editor.id, channelId("709"))).toBeNull();
    expect(await stored(editor)).toEqual({ ...editor, channelId: channelId("709") });
    expect(await storage().groups.withMember(editor.id)).toEqual([]);
    expect(await archive().unmovedChannels(GUILD)).toEqual([]);
    expect(await archive().restoreAgent(editor.id, channelId("701"))).toBe("changed");
    expect(await stored(editor)).toMatchObject({ channelId: channelId("709") });
  });

  test("an agent whose display name is taken by now stays archived", async () => {
    await archive().archiveAgent(editor.id, 77);
    await storage().agents.create(agent("copy", { displayName: editor.displayName }));
    expect(await archive().restoreAgent(editor.id, channelId("701"))).toBe("displayName");
    expect(await stored(editor)).toMatchObject({ archivedAtMs: 77 });
    expect(await archive().unmovedChannels(GUILD)).toEqual(["701"]);
  });

  test("a group comes back with the members and the host given", async () => {
    const review = await make("review", [editor, writer, critic], {
      channelId: channelId("801"),
      muted: [critic.id],
    });
    await archive().archiveGroup(review.id, 77);
    const state = {
      members: [writer.id, critic.id],
      hostId: writer.id,
      channelId: channelId("809"),
    };
    expect(await archive().restoreGroup(review.id, state)).toBeNull();
    expect(await stored(review)).toEqual({ ...review, ...state });
    expect(await archive().unmovedChannels(GUILD)).toEqual([]);
    expect(await archive().restoreGroup(review.id, state)).toBe("changed");
  });

  test("a group does not come back with an archived member, nor under a taken display name", async () => {
    const review = await make("review", [editor, writer]);
    await archive().archiveGroup(review.id, 77);
    const state = { members: review.members, hostId: editor.id, channelId: channelId("809") };
    await archive().archiveAgent(writer.id, 78);
    expect(await archive().restoreGroup(review.id, state)).toBe("changed");
    await archive().restoreAgent(writer.id, channelId("702"));
    await make("copy", [critic, scout], { displayName: review.displayName });
    expect(await archive().restoreGroup(review.id, state)).toBe("displayName");
    expect(await stored(review)).toEqual({ ...review, archivedAtMs: 77 });
  });

  test("an archived agent is made a member of no group", async () => {
    const review = await make("review", [editor, writer]);
    await archive().archiveAgent(critic.id, 77);
    const wanted = group("other", [editor, critic]);
    expect(await storage().groups.create(wanted)).toBe("member");
    expect(await storage().groups.get(wanted.id)).toBeNull();
    const change = { displayName: "Lost", members: [critic.id, editor.id] };
    expect(await storage().groups.update(review.id, change)).toBe("member");
    expect(await stored(review)).toEqual(review);
  });
}
