import { afterEach, expect, test } from "vitest";
import { type ManualClock, manualClock } from "../../src/playground/clock.js";
import { createRateLimits, type LimitRules } from "../../src/playground/limits.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask, idOf } from "./api.js";
import { login, textChannel } from "./client.js";

let loopback: TestLoopback;
let clock: ManualClock;

async function start(rules: Partial<LimitRules> = {}): Promise<void> {
  clock = manualClock();
  loopback = await startTestLoopback({ clock, limits: createRateLimits({ clock, rules }) });
}

afterEach(() => loopback.close());

const post = () =>
  ask(loopback, "POST", `/channels/${loopback.channelId}/messages`, { content: "x" });

test("headers count down and start anew when the window is over", async () => {
  await start();
  const remaining = [];
  for (let count = 0; count < 5; count++) {
    remaining.push((await post()).headers.get("x-ratelimit-remaining"));
  }
  expect(remaining).toEqual(["4", "3", "2", "1", "0"]);
  clock.advance(5000);
  expect((await post()).headers.get("x-ratelimit-remaining")).toBe("4");
});

test("one message too many is refused with the time to wait, and not posted", async () => {
  await start();
  for (let count = 0; count < 5; count++) await post();
  clock.advance(2000);
  const refused = await post();
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    message: "You are being rate limited.",
    retry_after: 3,
    global: false,
  });
  expect(refused.headers.get("x-ratelimit-scope")).toBe("user");
  expect(refused.headers.get("retry-after")).toBe("3");
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(loopback.world.messages.get(loopback.channelId)?.size).toBe(5);
});

test("channels have buckets of their own under the same bucket name", async () => {
  await start();
  const made = await ask(loopback, "POST", `/guilds/${loopback.guild.id}/channels`, { name: "b" });
  const first = await post();
  const other = await ask(loopback, "POST", `/channels/${idOf(made)}/messages`, { content: "x" });
  expect(other.headers.get("x-ratelimit-remaining")).toBe("4");
  expect(other.headers.get("x-ratelimit-bucket")).toBe(first.headers.get("x-ratelimit-bucket"));
});

test("a channel's topic changes twice in ten minutes while its position still changes", async () => {
  await start();
  const patch = (body: object) => ask(loopback, "PATCH", `/channels/${loopback.channelId}`, body);
  expect((await patch({ topic: "one" })).status).toBe(200);
  expect((await patch({ topic: "two" })).status).toBe(200);
  const third = await patch({ topic: "three" });
  expect(third.status).toBe(429);
  expect(third.body).toMatchObject({ retry_after: 600, global: false });
  // The visible bucket has room: only the answer tells of this limit.
  expect(Number(third.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0);
  expect((await patch({ position: 4 })).status).toBe(200);
  expect((await patch({ name: "renamed" })).status).toBe(200);
  clock.advance(600_000);
  expect((await patch({ topic: "three" })).status).toBe(200);
});

test("one webhook posts five times in two seconds", async () => {
  await start();
  const { id, token } = await hook("One");
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push((await execute(id, token)).status);
  expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
  clock.advance(2000);
  expect((await execute(id, token)).status).toBe(204);
});

test("all webhooks of a channel share thirty posts a minute that no header shows", async () => {
  await start({ everythingElse: { count: 1000, windowMs: 1000 } });
  const hooks = [await hook("One"), await hook("Two")];
  for (let count = 0; count < 30; count++) {
    const { id, token } = hooks[count % 2] ?? { id: "", token: "" };
    if (count % 10 === 0) clock.advance(2000);
    expect((await execute(id, token)).status).toBe(204);
  }
  clock.advance(3000);
  const { id = "", token = "" } = hooks[0] ?? {};
  const refused = await execute(id, token);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("x-ratelimit-scope")).toBe("shared");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(40);
});

test("more than the global number is refused as global, interactions apart", async () => {
  await start({ global: { count: 2, windowMs: 1000 } });
  await ask(loopback, "GET", "/users/@me");
  await ask(loopback, "GET", `/guilds/${loopback.guild.id}`);
  const refused = await ask(loopback, "GET", `/channels/${loopback.channelId}`);
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ global: true });
  expect(refused.headers.get("x-ratelimit-global")).toBe("true");
  const callback = await ask(loopback, "POST", "/interactions/1/x/callback", { type: 5 });
  expect(callback.code).toBe(10062);
});

test("discord.js learns the bucket from the headers and waits instead of being refused", async () => {
  loopback = await startTestLoopback({
    limits: createRateLimits({ rules: { messageCreate: { count: 2, windowMs: 200 } } }),
  });
  const client = await login(loopback);
  const channel = await textChannel(client, loopback.channelId);
  for (let count = 0; count < 5; count++) await channel.send(`${count}`);
  await client.destroy();
  const posts = loopback.requests.filter(({ path }) => path.endsWith("/messages"));
  expect(posts.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

async function hook(name: string): Promise<{ readonly id: string; readonly token: string }> {
  const made = await ask(loopback, "POST", `/channels/${loopback.channelId}/webhooks`, { name });
  const webhook = loopback.world.webhooks.get(idOf(made));
  return { id: idOf(made), token: webhook?.token ?? "" };
}

function execute(id: string, token: string) {
  return ask(loopback, "POST", `/webhooks/${id}/${token}`, { content: "x" }, { token: false });
}
