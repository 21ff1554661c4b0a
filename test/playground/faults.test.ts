import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask } from "./api.js";
import { login, textChannel } from "./client.js";

let loopback: TestLoopback;

beforeEach(async () => {
  loopback = await startTestLoopback();
});

afterEach(() => loopback.close());

const ROUTE = "/channels/:id/messages";
const post = () =>
  ask(loopback, "POST", `/channels/${loopback.channelId}/messages`, { content: "x" });
const posted = () => loopback.world.messages.get(loopback.channelId)?.size ?? 0;

test("the second matching request fails with the given status and is not performed", async () => {
  const fault = { kind: "status", status: 503, body: { message: "No", code: 0 } } as const;
  loopback.faults.inject({ method: "POST", route: ROUTE, nth: 2, fault });
  expect((await post()).status).toBe(200);
  expect(await post()).toMatchObject({ status: 503, body: { message: "No" } });
  expect((await post()).status).toBe(200);
  expect(posted()).toBe(2);
  expect(loopback.requests.map((request) => request.fault)).toEqual([null, "status", null]);
});

test("a reset before performing leaves nothing behind", async () => {
  loopback.faults.inject({ method: "POST", route: ROUTE, fault: { kind: "resetBefore" } });
  await expect(post()).rejects.toThrow("fetch failed");
  expect(posted()).toBe(0);
  expect(loopback.requests.at(-1)?.status).toBeNull();
});

test("a lost answer leaves the message posted", async () => {
  loopback.faults.inject({ method: "POST", route: ROUTE, fault: { kind: "resetAfter" } });
  await expect(post()).rejects.toThrow("fetch failed");
  expect(posted()).toBe(1);
});

test("a request can be performed and answered with an error", async () => {
  const fault = { kind: "statusAfter", status: 502, body: { message: "Bad", code: 0 } } as const;
  loopback.faults.inject({ method: "POST", route: ROUTE, fault });
  expect((await post()).status).toBe(502);
  expect(posted()).toBe(1);
});

test("a delayed request goes on when it is released", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  loopback.faults.inject({
    method: "POST",
    route: ROUTE,
    fault: { kind: "delay", release: released },
  });
  const waiting = post();
  await loopback.until(() => loopback.requests.at(-1), "the request");
  expect(posted()).toBe(0);
  release();
  expect((await waiting).status).toBe(200);
});

test("discord.js gets an HTML page as an error without a code", async () => {
  const client = await login(loopback);
  const channel = await textChannel(client, loopback.channelId);
  loopback.faults.inject({
    method: "POST",
    route: "/channels/*",
    times: 2,
    fault: { kind: "html", status: 403 },
  });
  await expect(channel.send("x")).rejects.toMatchObject({ status: 403, code: undefined });
  await client.destroy();
});

test("discord.js waits out an injected rate limit and then posts once", async () => {
  const client = await login(loopback);
  const channel = await textChannel(client, loopback.channelId);
  loopback.faults.inject({
    method: "POST",
    route: ROUTE,
    fault: { kind: "rateLimit", retryAfterSeconds: 0.05 },
  });
  await channel.send("x");
  expect(posted()).toBe(1);
  expect(loopback.requests.slice(-2).map((request) => request.status)).toEqual([429, 200]);
  await client.destroy();
});

test("a fault that was taken back or cleared does nothing", async () => {
  const takeBack = loopback.faults.inject({
    method: "POST",
    route: ROUTE,
    fault: { kind: "resetBefore" },
  });
  takeBack();
  expect((await post()).status).toBe(200);
  loopback.faults.inject({ method: "*", route: ROUTE, fault: { kind: "resetBefore" } });
  loopback.faults.clear();
  expect((await post()).status).toBe(200);
});
