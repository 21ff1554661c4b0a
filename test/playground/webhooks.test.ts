import { Events } from "discord.js";
import { PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { setOverwrite } from "../../src/playground/world/channels.js";
import { setRolePermissions } from "../../src/playground/world/guilds.js";
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  updateWebhook,
} from "../../src/playground/world/webhooks.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask, idOf } from "./api.js";
import { login, textChannel } from "./client.js";

let loopback: TestLoopback;
let id: string;
let token: string;

beforeEach(async () => {
  loopback = await startTestLoopback();
  const made = await make("Parley");
  id = idOf(made);
  token = loopback.world.webhooks.get(id)?.token ?? "";
});

afterEach(() => loopback.close());

const make = (name: string) =>
  ask(loopback, "POST", `/channels/${loopback.channelId}/webhooks`, { name });
const execute = (body: object, query = "?wait=true") =>
  ask(loopback, "POST", `/webhooks/${id}/${token}${query}`, body, { token: false });
const usernameError = async (username: string) => {
  const { body } = await execute({ content: "x", username });
  const errors = (body as { errors?: { username?: { _errors: { code: string }[] } } }).errors;
  return errors?.username?._errors[0]?.code;
};

test("names that Discord refuses are refused with its codes", async () => {
  expect(await usernameError("My Clyde")).toBe("USERNAME_INVALID_CONTAINS");
  expect(await usernameError("DISCORDIAN")).toBe("USERNAME_INVALID_CONTAINS");
  expect(await usernameError("everyone")).toBe("USERNAME_INVALID");
  expect(await usernameError(" Here ")).toBe("USERNAME_INVALID");
  expect(await usernameError("Groundsphere")).toBeUndefined();
  expect(await usernameError("x".repeat(80))).toBeUndefined();
  expect(await usernameError("x".repeat(81))).toBe("BASE_TYPE_BAD_LENGTH");
  expect(await usernameError("  ")).toBe("BASE_TYPE_BAD_LENGTH");
  expect((await make("clyde")).body).toMatchObject({
    errors: { name: { _errors: [{ code: "USERNAME_INVALID_CONTAINS" }] } },
  });
});

test("a persona's message is that of no real user", async () => {
  const { body } = await execute({
    content: "  hi  ",
    username: " The   Editor ",
    avatar_url: "https://example.org/a.png",
  });
  expect(body).toMatchObject({
    content: "hi",
    webhook_id: id,
    application_id: loopback.world.application.id,
    author: { id, username: "The Editor", discriminator: "0000", bot: true },
  });
});

test("without wait there is no answer, and the message stands all the same", async () => {
  expect(await execute({ content: "x" }, "")).toMatchObject({ status: 204, body: undefined });
  expect(loopback.world.messages.get(loopback.channelId)?.size).toBe(1);
});

test("bad texts and pictures are refused", async () => {
  expect((await execute({ content: " " })).code).toBe(50006);
  expect((await execute({ content: "x".repeat(2001) })).code).toBe(50035);
  expect((await execute({ content: "x", avatar_url: "not a url" })).code).toBe(50035);
  expect((await execute({ content: "x", avatar_url: "data:image/png;base64,AAAA" })).code).toBe(
    50035,
  );
  expect(
    (await execute({ content: "x", avatar_url: `https://e.org/${"x".repeat(2048)}` })).code,
  ).toBe(50035);
});

test("a persona mentions users only, unless allowed more", async () => {
  const content = `<@${loopback.owner.id}> @everyone`;
  expect((await execute({ content })).body).toMatchObject({
    mentions: [{ id: loopback.owner.id }],
    mention_everyone: false,
  });
  const silent = await execute({ content, allowed_mentions: { parse: [] } });
  expect(silent.body).toMatchObject({ mentions: [], mention_everyone: false });
});

test("a deleted webhook is 10015 and a wrong token 50027", async () => {
  const wrong = await ask(
    loopback,
    "POST",
    `/webhooks/${id}/nope`,
    { content: "x" },
    { token: false },
  );
  expect(wrong).toMatchObject({ status: 401, code: 50027 });
  deleteWebhook(loopback.world, findWebhook(loopback.world, id));
  expect(await execute({ content: "x" })).toMatchObject({ status: 404, code: 10015 });
  expect((await ask(loopback, "GET", `/webhooks/${id}`)).code).toBe(10015);
});

test("the fifteenth webhook of a channel is the last, people's own included", async () => {
  const channel = loopback.world.channel(loopback.channelId);
  for (let count = 1; count < 15; count++) {
    createWebhook(loopback.world, channel, {
      name: "Other",
      userId: loopback.owner.id,
      applicationId: null,
    });
  }
  expect(await make("Too many")).toMatchObject({ status: 400, code: 30007 });
});

test("tokens are shown for own webhooks only", async () => {
  const channel = loopback.world.channel(loopback.channelId);
  createWebhook(loopback.world, channel, {
    name: "Theirs",
    userId: loopback.owner.id,
    applicationId: null,
  });
  const { body } = await ask(loopback, "GET", `/channels/${loopback.channelId}/webhooks`);
  const shown = body as { name: string; token?: string }[];
  expect(shown.map((webhook) => [webhook.name, webhook.token !== undefined])).toEqual([
    ["Parley", true],
    ["Theirs", false],
  ]);
});

test("listing and creating need Manage Webhooks, reading one's own does not", async () => {
  const { world, guild, botRole, channelId } = loopback;
  setRolePermissions(world, guild, botRole, NEEDED_BITS & ~Permission.ManageWebhooks);
  expect((await make("x")).code).toBe(50013);
  expect((await ask(loopback, "GET", `/channels/${channelId}/webhooks`)).code).toBe(50013);
  expect((await ask(loopback, "GET", `/webhooks/${id}`)).status).toBe(200);
  setOverwrite(world, world.channel(channelId), {
    id: guild.id,
    type: 0,
    allow: 0n,
    deny: Permission.ViewChannel,
  });
  expect((await ask(loopback, "GET", `/webhooks/${id}`)).code).toBe(50001);
});

test("a message in a thread is reached with thread_id only", async () => {
  const start = await ask(loopback, "POST", `/channels/${loopback.channelId}/threads`, {
    name: "Aside",
    type: 11,
  });
  const thread = idOf(start);
  const sent = await execute({ content: "x" }, `?wait=true&thread_id=${thread}`);
  expect(sent.body).toMatchObject({ channel_id: thread });
  const messagePath = `/webhooks/${id}/${token}/messages/${idOf(sent)}`;
  expect((await ask(loopback, "GET", messagePath)).code).toBe(10008);
  expect((await ask(loopback, "GET", `${messagePath}?thread_id=${thread}`)).status).toBe(200);
  expect((await execute({ content: "x" }, "?thread_id=123456789012345678")).code).toBe(10003);
});

test("a webhook changes and deletes its own messages only", async () => {
  const sent = idOf(await execute({ content: "x" }));
  const spoken = loopback.people.post(loopback.owner.id, loopback.channelId, "mine").id;
  const change = (message: string) =>
    ask(loopback, "PATCH", `/webhooks/${id}/${token}/messages/${message}`, { content: "y" });
  expect((await change(sent)).body).toMatchObject({ content: "y", author: { username: "Parley" } });
  expect((await change(spoken)).code).toBe(10008);
  const gone = await ask(loopback, "DELETE", `/webhooks/${id}/${token}/messages/${sent}`);
  expect(gone.status).toBe(204);
});

test("a webhook moved by a person posts in its new channel, and both channels are told", async () => {
  const client = await login(loopback);
  const other = await ask(loopback, "POST", `/guilds/${loopback.guild.id}/channels`, { name: "b" });
  const told: string[] = [];
  client.on(Events.WebhooksUpdate, (channel) => told.push(channel.id));
  updateWebhook(loopback.world, findWebhook(loopback.world, id), { channelId: idOf(other) });
  await loopback.until(() => (told.length === 2 ? told : undefined), "two updates");
  expect(told).toEqual([loopback.channelId, idOf(other)]);
  expect((await execute({ content: "x" })).body).toMatchObject({ channel_id: idOf(other) });
  await client.destroy();
});

test("discord.js posts, edits and deletes through a webhook", async () => {
  const client = await login(loopback);
  const channel = await textChannel(client, loopback.channelId);
  const webhook = await channel.createWebhook({ name: "Two" });
  const sent = await webhook.send({ content: "one", username: "Editor" });
  expect((await webhook.editMessage(sent.id, "two")).content).toBe("two");
  await webhook.deleteMessage(sent.id);
  expect(loopback.world.messages.get(loopback.channelId)?.has(sent.id)).toBe(false);
  await client.destroy();
});
