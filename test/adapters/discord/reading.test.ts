import { ChannelType, OverwriteType, PermissionFlagsBits as Permission } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NEEDED_BITS } from "../../../src/adapters/discord/checkup.js";
import { asId, type UserId } from "../../../src/domain/ids.js";
import { createChannel } from "../../../src/playground/world/channels.js";
import { createRole, removeMember, updateMember } from "../../../src/playground/world/guilds.js";
import { createThread } from "../../../src/playground/world/threadCreation.js";
import { type Connected, connect, failureOf } from "./connected.js";

let connected: Connected;
let ben: UserId;
beforeEach(async () => {
  connected = await connect();
  ben = idOfBen();
});
afterEach(() => connected.close());

function idOfBen(): UserId {
  const [member] = connected.loopback.members;
  if (member === undefined) throw new Error("There is no member.");
  return asId(member.id);
}

/** A channel that Ben does not see, known to the bot. */
async function secretChannel(): Promise<string> {
  const { loopback } = connected;
  const { world, guild, members } = loopback;
  const { id } = createChannel(world, guild, {
    name: "secret",
    type: ChannelType.GuildText,
    overwrites: [
      {
        id: members[0]?.id ?? "",
        type: OverwriteType.Member,
        allow: 0n,
        deny: Permission.ViewChannel,
      },
    ],
  });
  await loopback.until(
    () => (connected.client.channels.cache.has(id) ? true : undefined),
    "the bot hears of the channel",
  );
  return id;
}

describe("a person's rights", () => {
  it("are those of this moment, roles given and taken since included", async () => {
    const { chat, place, loopback } = connected;
    const { world, guild } = loopback;
    expect(await chat.asker(ben, place)).toMatchObject({
      userId: ben,
      name: "Ben",
      canManageChannels: false,
      canWriteHere: true,
    });
    const role = createRole(world, guild, {
      name: "Keepers",
      permissions: Permission.ManageChannels,
    });
    updateMember(world, guild, ben, { roleIds: [role.id] });
    await loopback.until(
      () =>
        connected.client.guilds.cache.get(guild.id)?.roles.cache.has(role.id) ? true : undefined,
      "the bot hears of the role",
    );
    expect(await chat.asker(ben, place)).toMatchObject({
      roleIds: expect.arrayContaining([role.id]),
      canManageChannels: true,
    });
    updateMember(world, guild, ben, { roleIds: [] });
    expect(await chat.asker(ben, place)).toMatchObject({ canManageChannels: false });
  });

  it("are none in a channel that they do not see, and none of somebody who left", async () => {
    const { chat, place, loopback } = connected;
    const channelId = asId<typeof place.channelId>(await secretChannel());
    expect(await chat.asker(ben, { ...place, channelId })).toMatchObject({ canWriteHere: false });
    expect(await chat.sees(ben, place)).toBe(true);
    expect(await chat.sees(ben, { ...place, channelId })).toBe(false);
    expect(await chat.sees(ben, { ...place, channelId: asId("1") })).toBe(false);
    removeMember(loopback.world, loopback.guild, ben);
    expect(await chat.asker(ben, place)).toBeNull();
    expect(await chat.sees(ben, place)).toBe(false);
  });
});

describe("reading a channel for a person", () => {
  it("gives its newest messages, oldest first, by name, mention or id", async () => {
    const { chat, place, loopback } = connected;
    for (const text of ["One", "Two", "Three"]) loopback.people.post(ben, loopback.channelId, text);
    const reading = { guildId: place.guildId, userId: ben, around: null, limit: 2 };
    for (const channel of ["general", "#General", loopback.channelId, `<#${loopback.channelId}>`]) {
      const seen = await chat.read({ ...reading, channel });
      expect(seen?.map(({ authorName, userId, text }) => [authorName, userId, text])).toEqual([
        ["Ben", ben, "Two"],
        ["Ben", ben, "Three"],
      ]);
    }
  });

  it("reads around a message, and threads", async () => {
    const { chat, place, loopback } = connected;
    const posts = ["a", "b", "c", "d", "e"].map((text) =>
      loopback.people.post(ben, loopback.channelId, text),
    );
    const reading = { guildId: place.guildId, userId: ben, limit: 3 };
    const around = await chat.read({
      ...reading,
      channel: "general",
      around: asId(posts[2]?.id ?? ""),
    });
    expect(around?.map(({ text }) => text)).toEqual(["b", "c", "d"]);
    const thread = loopback.people.createThread(ben, loopback.channelId, "Details");
    loopback.people.post(ben, thread.id, "In the thread");
    await loopback.until(
      () => (connected.client.channels.cache.has(thread.id) ? true : undefined),
      "the bot hears of the thread",
    );
    const inside = await chat.read({ ...reading, channel: "Details", around: null });
    expect(inside?.map(({ text }) => text)).toContain("In the thread");
  });

  it("guesses none of several channels of one name, but for those that the person may not read", async () => {
    const { chat, place, loopback } = connected;
    const { world, guild } = loopback;
    const ids = ["Agents", "Groups"].map((category) => {
      const parent = createChannel(world, guild, {
        name: category,
        type: ChannelType.GuildCategory,
      });
      const type = ChannelType.GuildText;
      return createChannel(world, guild, { name: "notes", type, parentId: parent.id }).id;
    });
    await loopback.until(
      () => (connected.client.channels.cache.has(ids[1] ?? "") ? true : undefined),
      "the bot hears of the channels",
    );
    const reading = { guildId: place.guildId, userId: ben, around: null, limit: 5 };
    expect(await failureOf(chat.read({ ...reading, channel: "#notes" }))).toMatchObject({
      kind: "refused",
      detail: `There are 2 channels called notes: <#${ids[0]}> (in Agents), <#${ids[1]}> (in Groups). Say which one by its id or link.`,
    });
    expect(await chat.read({ ...reading, channel: `<#${ids[1]}>` })).toEqual([]);
    await secretChannel();
    const { id } = createChannel(world, guild, { name: "secret", type: ChannelType.GuildText });
    await loopback.until(
      () => (connected.client.channels.cache.has(id) ? true : undefined),
      "the bot hears of the channel",
    );
    expect(await chat.read({ ...reading, channel: "secret" })).toEqual([]);
  });

  it("says in which channel the bot lacks a permission", async () => {
    const { chat, place, loopback } = connected;
    loopback.faults.inject({
      method: "GET",
      route: "/channels/:id/messages",
      fault: { kind: "status", status: 403, body: { message: "Missing Access", code: 50001 } },
    });
    const reading = { guildId: place.guildId, userId: ben, around: null, limit: 5 };
    expect(await failureOf(chat.read({ ...reading, channel: "general" }))).toMatchObject({
      kind: "forbidden",
      detail:
        "I need View Channel and Read Message History to read #general: allow it in the settings of the server or of the channel.",
    });
  });

  it("does not tell a channel that the person may not read from one that there is not", async () => {
    const { chat, place, loopback } = connected;
    await secretChannel();
    const reading = { guildId: place.guildId, userId: ben, around: null, limit: 5 };
    expect(await chat.read({ ...reading, channel: "secret" })).toBeNull();
    expect(await chat.read({ ...reading, channel: "nowhere" })).toBeNull();
    const ada = asId<UserId>(loopback.owner.id);
    expect(await chat.read({ ...reading, userId: ada, channel: "secret" })).toEqual([]);
  });

  it("reads a private thread only for those who are in it", async () => {
    await connected.close();
    const botPermissions = NEEDED_BITS | Permission.ManageThreads;
    connected = await connect({ guild: { botPermissions } });
    const { chat, place, loopback, client } = connected;
    const { world, owner, channelId } = loopback;
    const thread = createThread(world, world.channel(channelId), {
      name: "Quiet",
      ownerId: owner.id,
      type: ChannelType.PrivateThread,
      autoArchiveMinutes: 4320,
    });
    await loopback.until(
      () => (client.channels.cache.has(thread.id) ? true : undefined),
      "the bot hears of the thread",
    );
    const reading = { guildId: place.guildId, around: null, limit: 5, channel: "Quiet" };
    expect(await chat.read({ ...reading, userId: idOfBen() })).toBeNull();
    expect(await chat.read({ ...reading, userId: asId(owner.id) })).not.toBeNull();
  });
});
