import { Events } from "discord.js";
import { ChannelType, PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { createChannel, deleteChannel } from "../../src/playground/world/channels.js";
import {
  createRole,
  removeMember,
  setRolePermissions,
  updateMember,
} from "../../src/playground/world/guilds.js";
import { channelPermissions, has } from "../../src/playground/world/permissions.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask, idOf } from "./api.js";
import { login } from "./client.js";

let loopback: TestLoopback;

beforeEach(async () => {
  loopback = await startTestLoopback();
});

afterEach(() => loopback.close());

const make = (body: object) => ask(loopback, "POST", `/guilds/${loopback.guild.id}/channels`, body);
const errorAt = (body: unknown, field: string) =>
  (body as { errors?: Record<string, { _errors: { code: string }[] }> }).errors?.[field]?._errors[0]
    ?.code;

test("text channel names are normalised, category names kept", async () => {
  const name = async (body: object) => ((await make(body)).body as { name: string }).name;
  expect(await name({ name: "Reading  Room!" })).toBe("reading-room");
  expect(await name({ name: "--Été & Ünï--" })).toBe("été-ünï");
  expect(await name({ name: "a_b 😀" })).toBe("a_b-😀");
  expect(await name({ name: "My Groups", type: 4 })).toBe("My Groups");
});

test("names and topics have their lengths", async () => {
  expect(errorAt((await make({ name: "" })).body, "name")).toBe("BASE_TYPE_BAD_LENGTH");
  expect(errorAt((await make({ name: "x".repeat(101) })).body, "name")).toBe(
    "BASE_TYPE_BAD_LENGTH",
  );
  const long = await make({ name: "x", topic: "t".repeat(1025) });
  expect(errorAt(long.body, "topic")).toBe("BASE_TYPE_MAX_LENGTH");
  expect((await make({ name: "x", topic: "t".repeat(1024) })).status).toBe(201);
});

test("the fifty-first channel of a category is refused under parent_id", async () => {
  const parent_id = idOf(await make({ name: "Groups", type: 4 }));
  for (let count = 0; count < 50; count++) {
    createChannel(loopback.world, loopback.guild, {
      name: `c${count}`,
      type: ChannelType.GuildText,
      parentId: parent_id,
    });
  }
  const refused = await make({ name: "one more", parent_id });
  expect(refused.code).toBe(50035);
  expect(errorAt(refused.body, "parent_id")).toBe("CHANNEL_PARENT_MAX_CHANNELS");
});

test("the five-hundred-and-first channel of a server is refused with 30013", async () => {
  const { world, guild } = loopback;
  for (let count = world.channelsOf(guild.id).length; count < 500; count++) {
    createChannel(world, guild, { name: `c${count}`, type: ChannelType.GuildText });
  }
  expect(await make({ name: "one more" })).toMatchObject({ status: 400, code: 30013 });
});

test("a parent must be a category of this server", async () => {
  const refused = await make({ name: "x", parent_id: loopback.channelId });
  expect(errorAt(refused.body, "parent_id")).toBe("CHANNEL_PARENT_INVALID_TYPE");
  const missing = await make({ name: "x", parent_id: "123456789012345678" });
  expect(errorAt(missing.body, "parent_id")).toBe("CHANNEL_PARENT_INVALID");
});

test("channels need Manage Channels, and banned words are 20031", async () => {
  loopback.world.wordFilters = { channelNames: ["naughty"], messages: [] };
  expect((await make({ name: "a naughty one" })).code).toBe(20031);
  const { world, guild, botRole, channelId } = loopback;
  setRolePermissions(world, guild, botRole, NEEDED_BITS & ~Permission.ManageChannels);
  expect((await make({ name: "x" })).code).toBe(50013);
  expect((await ask(loopback, "PATCH", `/channels/${channelId}`, { topic: "x" })).code).toBe(50013);
  expect((await ask(loopback, "DELETE", `/channels/${channelId}`)).code).toBe(50013);
});

test("deleting a category keeps its channels; deleting a channel takes its webhooks", async () => {
  const parent_id = idOf(await make({ name: "Groups", type: 4 }));
  const child = idOf(await make({ name: "room", parent_id }));
  await ask(loopback, "POST", `/channels/${child}/webhooks`, { name: "Parley" });
  await ask(loopback, "DELETE", `/channels/${parent_id}`);
  expect(loopback.world.channel(child).parentId).toBeNull();
  await ask(loopback, "DELETE", `/channels/${child}`);
  expect(loopback.world.webhooks.size).toBe(0);
  expect((await ask(loopback, "GET", `/channels/${child}`)).code).toBe(10003);
});

test("the bot hands out only permissions that it has itself", async () => {
  const { world, guild, botRole, channelId, owner } = loopback;
  setRolePermissions(world, guild, botRole, NEEDED_BITS | Permission.ManageRoles);
  const put = (allow: bigint) =>
    ask(loopback, "PUT", `/channels/${channelId}/permissions/${owner.id}`, {
      type: 1,
      allow: String(allow),
    });
  expect((await put(Permission.SendMessages)).status).toBe(204);
  expect((await put(Permission.BanMembers)).code).toBe(50013);
  expect((await put(Permission.ManageRoles)).code).toBe(50013);
});

test("overwrites apply in Discord's order: everyone, roles together, then the member", () => {
  const { world, guild, channelId } = loopback;
  const [ben] = loopback.members;
  const userId = ben?.id ?? "";
  const quiet = createRole(world, guild, { name: "quiet", permissions: 0n });
  const loud = createRole(world, guild, { name: "loud", permissions: 0n });
  updateMember(world, guild, userId, { roleIds: [quiet.id, loud.id] });
  const channel = world.channel(channelId);
  const may = () => has(channelPermissions(world, channel, userId), Permission.SendMessages);
  const set = (id: string, allow: bigint, deny: bigint) =>
    channel.overwrites.set(id, { id, type: 0, allow, deny });
  expect(may()).toBe(true);
  set(guild.id, 0n, Permission.SendMessages);
  expect(may()).toBe(false);
  set(quiet.id, 0n, Permission.SendMessages);
  set(loud.id, Permission.SendMessages, 0n);
  expect(may()).toBe(true);
  set(userId, 0n, Permission.SendMessages);
  expect(may()).toBe(false);
  set(userId, Permission.SendMessages, Permission.ViewChannel);
  expect(may()).toBe(false);
  expect(has(channelPermissions(world, channel, loopback.owner.id), Permission.BanMembers)).toBe(
    true,
  );
});

test("listing members needs the members intent, searching and reading one does not", async () => {
  const { guild, owner } = loopback;
  const members = `/guilds/${guild.id}/members`;
  expect((await ask(loopback, "GET", members)).code).toBe(50001);
  expect((await ask(loopback, "GET", `${members}/${owner.id}`)).status).toBe(200);
  const found = await ask(loopback, "GET", `${members}/search?query=ad`);
  expect(found.body).toMatchObject([{ user: { id: owner.id } }]);
});

test("the client follows channels, roles and its own removal", async () => {
  const client = await login(loopback);
  const { world, guild } = loopback;
  const seen: string[] = [];
  client.on(Events.ChannelCreate, (channel) => seen.push(`create ${channel.name}`));
  client.on(Events.ChannelUpdate, (before, after) => {
    if ("topic" in before && "topic" in after) seen.push(`${before.topic} to ${after.topic}`);
  });
  client.on(Events.ChannelDelete, () => seen.push("delete"));
  client.on(Events.GuildRoleCreate, (role) => seen.push(`role ${role.name}`));
  client.on(Events.GuildDelete, (gone) => seen.push(`left ${gone.name}`));
  const made = idOf(await make({ name: "room" }));
  await ask(loopback, "PATCH", `/channels/${made}`, { topic: "Books" });
  deleteChannel(world, world.channel(made));
  createRole(world, guild, { name: "managers", permissions: 0n });
  removeMember(world, guild, world.application.botUserId);
  await loopback.until(() => (seen.length === 5 ? seen : undefined), "five events");
  expect(seen).toEqual([
    "create room",
    "null to Books",
    "delete",
    "role managers",
    "left Workshop",
  ]);
  expect((await ask(loopback, "GET", `/channels/${loopback.channelId}`)).code).toBe(50001);
  await client.destroy();
});
