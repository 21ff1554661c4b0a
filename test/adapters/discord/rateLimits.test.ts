import { afterEach, beforeEach, expect, it } from "vitest";
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
