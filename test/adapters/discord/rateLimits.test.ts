import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRateLimits } from "../../../src/playground/limits.js";
import { anAnnouncement, aPost, type Connected, connect, failureOf, never } from "./connected.js";

let connected: Connected;

beforeEach(async () => {
  connected = await connect({ limits: createRateLimits() });
});
afterEach(() => connected.close());

const EXECUTE = /^POST \/webhooks\/\d+\/[^/]+$/;
const SAY = /^POST \/channels\/\d+\/messages$/;

it("a sixth post within two seconds is not sent, and says how long to wait", async () => {
  const { chat, place } = connected;
  for (let posted = 0; posted < 5; posted += 1) await chat.post(aPost(place), never);
  const error = await failureOf(chat.post(aPost(place), never));
  expect(error.kind).toBe("rate-limited");
  expect(error.retryAfterMs).toBeGreaterThan(0);
  expect(error.retryAfterMs).toBeLessThanOrEqual(3_000);
  expect(connected.asked(EXECUTE)).toHaveLength(5);
  expect(connected.shown()).toHaveLength(5);
});

it("the limit of one channel's webhook holds up no other channel", async () => {
  const { chat, place } = connected;
  for (let posted = 0; posted < 5; posted += 1) await chat.post(aPost(place), never);
  const channelId = await chat.createChannel({
    guildId: place.guildId,
    name: "review",
    category: "Groups",
    topic: "",
  });
  await chat.post(aPost({ ...place, channelId }), never);
  expect(connected.shown(channelId)).toHaveLength(1);
});

it("a sixth announcement within five seconds is given up after two short pauses", async () => {
  const { chat, place } = connected;
  for (let said = 0; said < 5; said += 1) {
    await chat.announce(anAnnouncement(place, { nonce: `n${said}` }), never);
  }
  const error = await failureOf(chat.announce(anAnnouncement(place, { nonce: "n5" }), never));
  expect(error.kind).toBe("rate-limited");
  // Time stands still for the pauses of this test, so that they change nothing.
  expect(connected.clock.pauses).toHaveLength(2);
  expect(connected.asked(SAY)).toHaveLength(5);
});

describe("a pause that Discord asks of all requests", () => {
  const ask = (retryAfterSeconds: number, route: string) =>
    connected.loopback.faults.inject({
      method: "POST",
      route,
      fault: { kind: "rateLimit", retryAfterSeconds, isGlobal: true },
    });

  it("is waited out by all of them when it is short, and nothing is lost or doubled", async () => {
    const { chat, place, loopback } = connected;
    ask(1, `/channels/${place.channelId}/messages`);
    const said = [
      chat.announce(anAnnouncement(place, { nonce: "n1", text: "First" }), never),
      chat.announce(anAnnouncement(place, { nonce: "n2", text: "Second" }), never),
    ];
    await loopback.until(() => connected.gateway.sender.isHeldUp || undefined, "the pause");
    said.push(chat.announce(anAnnouncement(place, { nonce: "n3", text: "Third" }), never));
    await Promise.all(said);
    const texts = connected.shown().map(({ content }) => content);
    expect(texts.toSorted()).toEqual(["First", "Second", "Third"]);
    expect(connected.gateway.heldForMs()).toBe(0);
  });

  it.each([
    ["ten minutes", 600],
    ["an absurd time", 1e9],
    ["more than any timer takes", 1e12],
  ])("of %s is told to who asks, and nothing is sent meanwhile", async (_, retryAfterSeconds) => {
    const { chat, place, log } = connected;
    await chat.post(aPost(place), never);
    ask(retryAfterSeconds, "/webhooks/*");
    const error = await failureOf(chat.post(aPost(place), never));
    expect(error).toMatchObject({ kind: "rate-limited", holdsAll: true });
    expect(error.retryAfterMs).toBeLessThanOrEqual(600_000);
    expect(error.retryAfterMs).toBeGreaterThan(590_000);
    expect(connected.gateway.heldForMs()).toBeGreaterThan(590_000);
    await failureOf(chat.post(aPost(place), never));
    expect(connected.shown()).toHaveLength(1);
    expect(log.messages("warn")).toEqual([
      "Discord asks the bot for a pause; everything waits for it",
    ]);
  });
});

it("a pause of one route that no timer takes is told as one that can be believed", async () => {
  const { chat, place, loopback } = connected;
  const fault = { kind: "rateLimit", retryAfterSeconds: 1e12 } as const;
  const route = `/channels/${place.channelId}/messages`;
  loopback.faults.inject({ method: "POST", route, fault });
  const error = await failureOf(chat.announce(anAnnouncement(place), never));
  expect(error).toMatchObject({ kind: "rate-limited", holdsAll: false });
  expect(error.retryAfterMs).toBeLessThan(700_000);
});
