import { Events } from "discord.js";
import { PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { setRolePermissions } from "../../src/playground/world/guilds.js";
import { updateThread } from "../../src/playground/world/threads.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask, idOf } from "./api.js";
import { login } from "./client.js";
import { PNG } from "./pictures.js";

let loopback: TestLoopback;

beforeEach(async () => {
  loopback = await startTestLoopback();
});

afterEach(() => loopback.close());

const say = (channelId: string, text: string) =>
  loopback.people.post(loopback.owner.id, channelId, text);
const send = (channelId: string) =>
  ask(loopback, "POST", `/channels/${channelId}/messages`, { content: "x" });

test("a thread from a message has the message's id and starts with a notice of it", async () => {
  const { id } = say(loopback.channelId, "topic");
  const route = `/channels/${loopback.channelId}/messages/${id}/threads`;
  const made = await ask(loopback, "POST", route, { name: "Aside" });
  expect(made).toMatchObject({
    status: 201,
    body: { id, type: 11, parent_id: loopback.channelId },
  });
  expect((await ask(loopback, "POST", route, { name: "Again" })).code).toBe(160004);
  const { body } = await ask(loopback, "GET", `/channels/${id}/messages`);
  expect(body).toMatchObject([{ type: 21, content: "", referenced_message: { content: "topic" } }]);
});

test("a thread of its own is announced in its channel", async () => {
  const route = `/channels/${loopback.channelId}/threads`;
  const made = await ask(loopback, "POST", route, { name: "Free", type: 11 });
  const { body } = await ask(loopback, "GET", `/channels/${loopback.channelId}/messages`);
  expect(body).toMatchObject([{ type: 18, content: "Free" }]);
  expect((await ask(loopback, "GET", `/channels/${idOf(made)}`)).body).toMatchObject({
    thread_metadata: { archived: false, locked: false },
  });
});

test("writing opens an archived thread again but not a locked one", async () => {
  const thread = loopback.people.createThread(loopback.owner.id, loopback.channelId, "Aside");
  updateThread(loopback.world, thread, { archived: true });
  expect((await send(thread.id)).status).toBe(200);
  expect(thread.archived).toBe(false);
  updateThread(loopback.world, thread, { archived: true, locked: true });
  expect((await send(thread.id)).code).toBe(160005);
});

test("threads need their own permission to write", async () => {
  const { world, guild, botRole } = loopback;
  const thread = loopback.people.createThread(loopback.owner.id, loopback.channelId, "Aside");
  const everyone = guild.roles.get(guild.id);
  if (everyone) {
    const without = everyone.permissions & ~Permission.SendMessagesInThreads;
    setRolePermissions(world, guild, everyone, without);
  }
  setRolePermissions(world, guild, botRole, NEEDED_BITS & ~Permission.SendMessagesInThreads);
  expect((await send(thread.id)).code).toBe(50013);
  expect((await send(loopback.channelId)).status).toBe(200);
});

test("a private thread is hidden from who is not in it", async () => {
  const { world, guild, botRole, people, owner, channelId } = loopback;
  setRolePermissions(world, guild, botRole, NEEDED_BITS | Permission.CreatePrivateThreads);
  const route = `/channels/${channelId}/threads`;
  const made = idOf(await ask(loopback, "POST", route, { name: "Secret", type: 12 }));
  const outsider = loopback.members[0]?.id ?? "";
  expect(() => people.post(outsider, made, "x")).toThrow("Missing Access");
  expect(people.post(owner.id, made, "x").channel_id).toBe(made);
});

test("the client hears of threads made, changed and deleted by people", async () => {
  const client = await login(loopback);
  const seen: string[] = [];
  client.on(Events.ThreadCreate, (thread, isNew) => seen.push(`made ${thread.name} ${isNew}`));
  client.on(Events.ThreadUpdate, (_before, after) => seen.push(`archived ${after.archived}`));
  client.on(Events.ThreadDelete, (thread) => seen.push(`deleted ${thread.name}`));
  const { people, owner, world } = loopback;
  const thread = people.createThread(owner.id, loopback.channelId, "Aside");
  updateThread(world, thread, { archived: true });
  people.deleteChannel(owner.id, thread.id);
  await loopback.until(() => (seen.length === 3 ? seen : undefined), "three events");
  expect(seen).toEqual(["made Aside true", "archived true", "deleted Aside"]);
  await client.destroy();
});

test("reactions of people reach the client, and the bot's are counted", async () => {
  const client = await login(loopback);
  const { people, owner, channelId } = loopback;
  const { id } = say(channelId, "nice");
  const reacted = new Promise<string | null>((resolve) => {
    client.once(Events.MessageReactionAdd, (reaction) => resolve(reaction.emoji.name));
  });
  people.react(owner.id, channelId, id, "👍");
  expect(await reacted).toBe("👍");
  const route = `/channels/${channelId}/messages/${id}/reactions`;
  expect((await ask(loopback, "PUT", `${route}/${encodeURIComponent("👍")}/@me`)).status).toBe(204);
  expect((await ask(loopback, "PUT", `${route}/notanemoji/@me`)).code).toBe(10014);
  const message = await ask(loopback, "GET", `/channels/${channelId}/messages/${id}`);
  expect(message.body).toMatchObject({
    reactions: [{ count: 2, me: true, emoji: { name: "👍" } }],
  });
  await client.destroy();
});

test("an application's emojis have rules, and their pictures are served", async () => {
  const route = `/applications/${loopback.world.application.id}/emojis`;
  const image = `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`;
  const make = (body: object) => ask(loopback, "POST", route, body);
  const made = await make({ name: "editor_1", image });
  expect(made).toMatchObject({ status: 201, body: { name: "editor_1", available: true } });
  const served = await fetch(`${loopback.url}/emojis/${idOf(made)}.png`);
  expect(served.headers.get("content-type")).toBe("image/png");
  expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
  expect((await make({ name: "editor_1", image })).code).toBe(50035);
  expect((await make({ name: "x", image })).code).toBe(50035);
  expect((await make({ name: "bad-name", image })).code).toBe(50035);
  expect((await make({ name: "fine", image: "data:image/png;base64,AAAA" })).code).toBe(50035);
  const big = Buffer.concat([Buffer.from(PNG), Buffer.alloc(256 * 1024)]).toString("base64");
  expect((await make({ name: "big", image: `data:image/png;base64,${big}` })).code).toBe(50035);
  expect((await ask(loopback, "DELETE", `${route}/${idOf(made)}`)).status).toBe(204);
  expect((await ask(loopback, "GET", `${route}/${idOf(made)}`)).code).toBe(10014);
});

test("pins are listed, announced, and need a permission of their own", async () => {
  const { world, guild, botRole, channelId } = loopback;
  const { id } = say(channelId, "keep");
  const pin = () => ask(loopback, "PUT", `/channels/${channelId}/messages/pins/${id}`);
  expect((await pin()).code).toBe(50013);
  setRolePermissions(world, guild, botRole, NEEDED_BITS | Permission.PinMessages);
  expect((await pin()).status).toBe(204);
  const { body } = await ask(loopback, "GET", `/channels/${channelId}/messages/pins`);
  expect(body).toMatchObject({
    items: [{ message: { id, pinned: true, edited_timestamp: null } }],
  });
});
