import { ChannelType, Events, GatewayDispatchEvents, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asId, type ChannelId, type GuildId } from "../../../src/domain/ids.js";
import { createChannel, deleteChannel } from "../../../src/playground/world/channels.js";
import { setRolePermissions } from "../../../src/playground/world/guilds.js";
import type { NewChannel } from "../../../src/ports/chat.js";
import { PNG_SIGNATURE } from "../../support/services.js";
import { type Connected, connect, failureOf } from "./connected.js";

let connected: Connected;

beforeEach(async () => {
  connected = await connect();
});
afterEach(() => connected.close());

const MAKE_ROUTE = { method: "POST", route: "/guilds/:id/channels" } as const;
const MAKE = /^POST \/guilds\/\d+\/channels$/;

function make(change: Partial<NewChannel> = {}): Promise<ChannelId> {
  return connected.chat.createChannel({
    guildId: connected.place.guildId,
    name: "review",
    category: "Groups",
    topic: "Review | Members: Researcher, Editor | Host: Editor",
    ...change,
  });
}

/** `Groups/review` for each channel in a category, and the categories themselves. */
function tree(): readonly string[] {
  const { world, guild } = connected.loopback;
  const channels = world.channelsOf(guild.id);
  return channels.map((channel) => {
    const parent = channels.find(({ id }) => id === channel.parentId);
    return parent === undefined ? channel.name : `${parent.name}/${channel.name}`;
  });
}

describe("making a channel", () => {
  it("makes its category where there is none, and uses it from then on", async () => {
    const id = await make();
    await make({ name: "planning", topic: "Planning" });
    expect(tree()).toEqual(["general", "Groups", "Groups/review", "Groups/planning"]);
    expect(connected.chat.topic(id)).toBe("Review | Members: Researcher, Editor | Host: Editor");
  });

  it("makes one category for two commands at the same moment", async () => {
    await Promise.all([make(), make({ name: "planning", topic: "Planning" })]);
    expect(tree().filter((path) => path === "Groups")).toHaveLength(1);
  });

  it("knows the channel and its category before their events arrive", async () => {
    connected.loopback.interference.holdBack(({ t }) => t === GatewayDispatchEvents.ChannelCreate);
    const id = await make();
    expect(connected.chat.topic(id)).toContain("Host: Editor");
    await make({ name: "planning", topic: "Planning" });
    expect(tree()).toEqual(["general", "Groups", "Groups/review", "Groups/planning"]);
  });

  it("tells categories apart by the exact name", async () => {
    await make({ category: "groups" });
    await make();
    expect(tree()).toEqual(["general", "groups", "groups/review", "Groups", "Groups/review"]);
  });

  it("says that the category is full", async () => {
    const { world, guild } = connected.loopback;
    const id = await make();
    const parentId = world.channel(id).parentId;
    for (let made = 1; made < 50; made += 1) {
      createChannel(world, guild, { name: `c${made}`, type: ChannelType.GuildText, parentId });
    }
    expect(await failureOf(make({ name: "one-more" }))).toMatchObject({
      kind: "full",
      detail: expect.stringContaining("50 channels"),
    });
    expect(tree()).toHaveLength(52);
  });

  it("uses a second category of the same name when the first is full", async () => {
    const { world, guild } = connected.loopback;
    const first = await make();
    const parentId = world.channel(first).parentId;
    const known = new Promise<void>((resolve) => {
      connected.client.on("channelCreate", ({ name }) => {
        if (name === "last") resolve();
      });
    });
    for (let made = 1; made < 50; made += 1) {
      createChannel(world, guild, { name: `c${made}`, type: ChannelType.GuildText, parentId });
    }
    const second = createChannel(world, guild, { name: "Groups", type: ChannelType.GuildCategory });
    createChannel(world, guild, { name: "last", type: ChannelType.GuildText, parentId: second.id });
    await known;
    expect(world.channel(await make({ name: "one-more" })).parentId).toBe(second.id);
  });

  it("says that the server is full", async () => {
    const { world, guild } = connected.loopback;
    for (let made = 1; made < 500; made += 1) {
      createChannel(world, guild, { name: `c${made}`, type: ChannelType.GuildCategory });
    }
    expect(await failureOf(make())).toMatchObject({
      kind: "full",
      detail: expect.stringContaining("500 channels"),
    });
  });

  it("leaves no empty category behind when the channel cannot be made", async () => {
    connected.loopback.faults.inject({
      ...MAKE_ROUTE,
      nth: 2,
      fault: { kind: "status", status: 400, body: { message: "No such words", code: 20031 } },
    });
    expect(await failureOf(make())).toMatchObject({ kind: "refused" });
    expect(tree()).toEqual(["general"]);
  });

  it("knows what keeps agents from speaking in a channel", async () => {
    const { client, chat, loopback } = connected;
    const id = await make();
    expect(chat.lacking(id)).toEqual([]);
    const told = new Promise((resolve) => client.once(Events.GuildRoleUpdate, resolve));
    const { botRole, guild, world } = loopback;
    const kept = botRole.permissions & ~PermissionFlagsBits.ManageWebhooks;
    setRolePermissions(world, guild, botRole, kept);
    await told;
    expect(chat.lacking(id)).toEqual(["Manage Webhooks"]);
  });

  it("names only what is missing when no thread can be made", async () => {
    const { client, chat, loopback } = connected;
    const { botRole, guild, world } = loopback;
    const channelId = await make();
    const everyone = guild.roles.get(guild.id);
    if (everyone === undefined) throw new Error("A server has a role of everybody.");
    for (const role of [everyone, botRole]) {
      const told = new Promise((resolve) => client.once(Events.GuildRoleUpdate, resolve));
      const kept = role.permissions & ~PermissionFlagsBits.CreatePublicThreads;
      setRolePermissions(world, guild, role, kept);
      await told;
    }
    const wanted = { guildId: asId<GuildId>(guild.id), channelId, name: "Aside", known: null };
    await expect(chat.openThread(wanted)).rejects.toMatchObject({
      kind: "forbidden",
      needs: "Create Public Threads",
    });
  });

  it("knows that speaking in a thread is a permission of its own", async () => {
    const { client, chat, loopback } = connected;
    const { botRole, guild, world } = loopback;
    const opened = new Promise((resolve) => client.once(Events.ThreadCreate, resolve));
    const threadId = await chat.openThread({
      guildId: asId(guild.id),
      channelId: await make(),
      name: "Aside",
      known: null,
    });
    await opened;
    const everyone = guild.roles.get(guild.id);
    if (everyone === undefined) throw new Error("A server has a role of everybody.");
    const give = async (role: typeof everyone, permissions: bigint) => {
      const told = new Promise((resolve) => client.once(Events.GuildRoleUpdate, resolve));
      setRolePermissions(world, guild, role, permissions);
      await told;
    };
    const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;
    const { permissions } = botRole;
    await give(everyone, PermissionFlagsBits.ViewChannel);
    await give(botRole, permissions & ~SendMessagesInThreads);
    expect(chat.lacking(threadId)).toEqual(["Send Messages in Threads"]);
    await give(botRole, (permissions | SendMessagesInThreads) & ~SendMessages);
    expect(chat.lacking(threadId)).toEqual([]);
  });

  it("names the permission that is missing", async () => {
    connected.loopback.botRole.permissions &= ~PermissionFlagsBits.ManageChannels;
    expect(await failureOf(make())).toMatchObject({
      kind: "forbidden",
      detail: expect.stringContaining("Manage Channels"),
    });
  });

  it("finds what was made although the answer was lost, and makes no second one", async () => {
    connected.loopback.faults.inject({
      ...MAKE_ROUTE,
      times: 2,
      fault: { kind: "statusAfter", status: 502, body: {} },
    });
    const id = await make();
    expect(tree()).toEqual(["general", "Groups", "Groups/review"]);
    expect(connected.loopback.world.channel(id).name).toBe("review");
    expect(connected.asked(MAKE)).toHaveLength(2);
  });

  it("does not say that it was made when it was not", async () => {
    await make();
    connected.loopback.faults.inject({
      ...MAKE_ROUTE,
      fault: { kind: "status", status: 500, body: {} },
    });
    expect(await failureOf(make())).toMatchObject({ kind: "unknown" });
    expect(tree()).toEqual(["general", "Groups", "Groups/review"]);
  });

  it("knows no server that the bot is not in", async () => {
    const guildId = asId<never>("900000000000000009");
    expect(await failureOf(make({ guildId }))).toMatchObject({ kind: "gone" });
  });

  it("can be taken back, also twice", async () => {
    const id = await make();
    await connected.chat.discardChannel(id);
    await connected.chat.discardChannel(id);
    expect(tree()).toEqual(["general", "Groups"]);
  });
});

describe("moving a channel", () => {
  const MOVE = /^PATCH \/channels\/\d+$/;
  const MOVE_ROUTE = { method: "PATCH", route: "/channels/:id" } as const;
  const toArchive = (id: ChannelId) => connected.chat.moveChannel(id, "Archive", "another");

  it("makes the category where there is none, once for two moves at the same moment", async () => {
    const [review, planning] = [await make(), await make({ name: "planning", topic: "Planning" })];
    await Promise.all([toArchive(review), toArchive(planning)]);
    expect(tree()).toEqual(["general", "Groups", "Archive/review", "Archive/planning", "Archive"]);
  });

  it("fills the categories of the name before it makes another one", async () => {
    const { world, guild } = connected.loopback;
    const [review, planning] = [await make(), await make({ name: "planning", topic: "Planning" })];
    const first = createChannel(world, guild, { name: "Archive", type: ChannelType.GuildCategory });
    for (let made = 0; made < 50; made += 1) {
      const type = ChannelType.GuildText;
      createChannel(world, guild, { name: `c${made}`, type, parentId: first.id });
    }
    await connected.loopback.until(
      () => connected.client.channels.cache.find((one) => "name" in one && one.name === "c49"),
      "the full category",
    );
    await toArchive(review);
    await toArchive(planning);
    const second = world.channel(review).parentId;
    expect(second).not.toBe(first.id);
    expect(world.channel(planning).parentId).toBe(second);
    expect(tree().filter((path) => path === "Archive")).toHaveLength(2);
  });

  it("makes another category when the one that is known turns out to be deleted", async () => {
    const review = await make();
    const { world, guild, interference } = connected.loopback;
    await toArchive(review);
    await connected.chat.moveChannel(review, "Groups", "refuse");
    const archive = world.channelsOf(guild.id).find(({ name }) => name === "Archive");
    interference.holdBack(({ t }) => t === GatewayDispatchEvents.ChannelDelete);
    deleteChannel(world, world.channel(archive?.id ?? ""));
    await toArchive(review);
    expect(tree()).toEqual(["general", "Groups", "Archive/review", "Archive"]);
  });

  it("waits while Discord moves another channel", async () => {
    const review = await make();
    connected.loopback.faults.inject({
      ...MOVE_ROUTE,
      times: 2,
      fault: { kind: "status", status: 400, body: { message: "Moving", code: 40009 } },
    });
    await toArchive(review);
    expect(tree()).toContain("Archive/review");
    expect(connected.asked(MOVE)).toHaveLength(3);
    expect(connected.clock.pauses).toHaveLength(2);
  });

  it("leaves a channel that is there already, for which it needs no permission", async () => {
    const review = await make();
    connected.loopback.interference.holdBack(({ t }) => t === GatewayDispatchEvents.ChannelUpdate);
    await toArchive(review);
    // What is known here is old by now: it moves all the same.
    await connected.chat.moveChannel(review, "Groups", "refuse");
    expect(tree()).toContain("Groups/review");
    const moves = connected.asked(MOVE).length;
    await connected.chat.moveChannel(review, "Groups", "refuse");
    expect(connected.asked(MOVE)).toHaveLength(moves);
  });

  it("says which category has no room", async () => {
    const review = await make();
    const { world, guild } = connected.loopback;
    await toArchive(review);
    const groups = world.channelsOf(guild.id).find(({ name }) => name === "Groups");
    for (let made = 0; made < 50; made += 1) {
      const type = ChannelType.GuildText;
      createChannel(world, guild, { name: `c${made}`, type, parentId: groups?.id ?? null });
    }
    expect(await failureOf(connected.chat.moveChannel(review, "Groups", "refuse"))).toMatchObject({
      kind: "full",
      detail:
        "The category **Groups** is full (50 channels). Move a channel out of it, then try again.",
    });
  });

  it("leaves no empty category behind when the channel may not be moved", async () => {
    const review = await make();
    connected.loopback.faults.inject({
      ...MOVE_ROUTE,
      fault: { kind: "status", status: 403, body: { message: "No", code: 50013 } },
    });
    expect(await failureOf(toArchive(review))).toMatchObject({
      kind: "forbidden",
      detail: expect.stringContaining("Manage Channels"),
    });
    expect(tree()).toEqual(["general", "Groups", "Groups/review"]);
  });

  it("says that the server has no room for the category", async () => {
    const { world, guild } = connected.loopback;
    const review = await make();
    while (world.channelsOf(guild.id).length < 500) {
      createChannel(world, guild, { name: "more", type: ChannelType.GuildCategory });
    }
    expect(await failureOf(toArchive(review))).toMatchObject({
      kind: "full",
      detail: expect.stringContaining("500 channels"),
    });
    expect(tree()).toContain("Groups/review");
  });
});

describe("whether a channel exists", () => {
  it("is not told by whether the bot may see it", async () => {
    const review = await make();
    const { world, botRole } = connected.loopback;
    botRole.permissions &= ~PermissionFlagsBits.ViewChannel;
    world.channel(review).overwrites.set(connected.loopback.guild.id, {
      id: connected.loopback.guild.id,
      type: 0,
      allow: 0n,
      deny: PermissionFlagsBits.ViewChannel,
    });
    expect(await connected.chat.hasChannel(review)).toBe(true);
    deleteChannel(world, world.channel(review));
    expect(await connected.chat.hasChannel(review)).toBe(false);
  });

  it.each([
    ["trouble of Discord", { kind: "status", status: 503, body: {} }],
    ["a page of a proxy", { kind: "html", status: 404 }],
    [
      "another code of not found",
      { kind: "status", status: 404, body: { message: "404", code: 0 } },
    ],
  ] as const)("is not known in case of %s", async (_what, fault) => {
    const route = "/channels/:id";
    connected.loopback.faults.inject({ method: "GET", route, times: 9, fault });
    await failureOf(connected.chat.hasChannel(connected.place.channelId));
  });
});

describe("the topic of a channel", () => {
  it("is changed, and known once Discord says so", async () => {
    const id = await make();
    const changed = new Promise((resolve) => {
      connected.client.once("channelUpdate", resolve);
    });
    await connected.chat.setTopic(id, "Review | Host: Researcher");
    await changed;
    expect(connected.chat.topic(id)).toBe("Review | Host: Researcher");
  });

  it("is empty where there is none, and null where there is no channel", async () => {
    expect(connected.chat.topic(connected.place.channelId)).toBe("");
    expect(connected.chat.topic(asId("900000000000000009"))).toBeNull();
  });

  it("of a channel that is gone cannot be changed", async () => {
    const id = await make();
    await connected.chat.discardChannel(id);
    expect(await failureOf(connected.chat.setTopic(id, "x"))).toMatchObject({ kind: "gone" });
  });
});

describe("a picture", () => {
  it("gets an address at Discord that stays", async () => {
    const picture = await connected.chat.uploadPicture("editor_1", PNG);
    expect(picture.url).toBe(`https://cdn.discordapp.com/emojis/${picture.emojiId}.png?size=256`);
    expect(connected.loopback.world.emojis.has(picture.emojiId)).toBe(true);
  });

  it("is deleted, and one that is gone already is fine", async () => {
    const picture = await connected.chat.uploadPicture("editor_1", PNG);
    await connected.chat.discardPicture(picture);
    await connected.chat.discardPicture(picture);
    expect(connected.loopback.world.emojis.size).toBe(0);
  });

  it("is told apart from other files by its first bytes", async () => {
    const text = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>");
    expect(await failureOf(connected.chat.uploadPicture("editor_1", text))).toMatchObject({
      kind: "refused",
      detail: expect.stringContaining("PNG"),
    });
  });

  it("is refused when it is too large, and when there is no room", async () => {
    const large = Buffer.concat([PNG_SIGNATURE, Buffer.alloc(256 * 1024)]);
    expect(await failureOf(connected.chat.uploadPicture("editor_1", large))).toMatchObject({
      kind: "refused",
      detail: expect.stringContaining("256 KiB"),
    });
    connected.loopback.faults.inject({
      method: "POST",
      route: "/applications/:id/emojis",
      fault: { kind: "status", status: 400, body: { message: "Too many", code: 30008 } },
    });
    expect(await failureOf(connected.chat.uploadPicture("editor_1", PNG))).toMatchObject({
      kind: "full",
    });
  });
});

/** One transparent pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
