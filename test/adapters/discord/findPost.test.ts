import { OverwriteType, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asId, type MessageId } from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import { setOverwrite } from "../../../src/playground/world/channels.js";
import { createWebhook } from "../../../src/playground/world/webhooks.js";
import type { WantedPost } from "../../../src/ports/chat.js";
import { aPost, BEFORE_ALL, type Connected, connect, failureOf, never } from "./connected.js";

let connected: Connected;
let place: Place;

beforeEach(async () => {
  connected = await connect();
  place = connected.place;
});
afterEach(() => connected.close());

const EXECUTE = /^POST \/webhooks\/\d+\/[^/]+$/;
const EXECUTE_ROUTE = { method: "POST", route: "/webhooks/:id/:token" } as const;

function post(change: Parameters<typeof aPost>[1] = {}) {
  return connected.chat.post(aPost(place, change), never);
}

describe("a post whose outcome is not known", () => {
  const wanted = (change: Partial<WantedPost> = {}): WantedPost => ({
    place,
    personaName: "Editor",
    text: "The second paragraph repeats the first.",
    afterId: BEFORE_ALL,
    except: [],
    ...change,
  });
  const find = (change: Partial<WantedPost> = {}) => connected.chat.findPost(wanted(change), never);

  it.each([
    ["answered with 502 although it was done", { kind: "statusAfter", status: 502, body: {} }],
    ["cut off after it was done", { kind: "resetAfter" }],
  ] as const)("is sent once and found: %s", async (_what, fault) => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault });
    expect(await failureOf(post())).toMatchObject({ kind: "unknown" });
    expect(connected.asked(EXECUTE)).toHaveLength(1);
    expect(await find()).toBe(connected.shown()[0]?.id);
  });

  it.each([
    ["answered with 500", { kind: "status", status: 500, body: {} }],
    ["cut off before it was done", { kind: "resetBefore" }],
    ["answered by a proxy's page", { kind: "html", status: 502 }],
    ["refused by a proxy's page", { kind: "html", status: 403 }],
    ["answered by a page that looks like success", { kind: "html", status: 200 }],
    ["answered by a success that names no message", { kind: "status", status: 200, body: {} }],
  ] as const)("is sent once and not found: %s", async (_what, fault) => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault });
    expect(await failureOf(post())).toMatchObject({ kind: "unknown" });
    expect(connected.asked(EXECUTE)).toHaveLength(1);
    expect(await find()).toBeNull();
  });

  it("is not taken for missing after an answer that is no list", async () => {
    await post();
    const route = "/channels/:id/messages";
    const fault = { kind: "status", status: 200, body: {} } as const;
    connected.loopback.faults.inject({ method: "GET", route, fault });
    expect(await failureOf(find())).toMatchObject({ kind: "unavailable" });
  });

  it("is not taken for missing where the bot may not read the history", async () => {
    const { world, botRole } = connected.loopback;
    await post();
    const channel = world.channel(place.channelId);
    const deny = PermissionFlagsBits.ReadMessageHistory;
    setOverwrite(world, channel, { id: botRole.id, type: OverwriteType.Role, allow: 0n, deny });
    await connected.loopback.until(() => {
      const known = connected.client.channels.cache.get(channel.id);
      if (known === undefined || known.isDMBased()) return undefined;
      const permissions = known.permissionsFor(connected.client.user);
      return permissions?.has("ReadMessageHistory") === false || undefined;
    }, "the bot knows of its lost permission");
    const failure = await failureOf(find());
    expect(failure).toMatchObject({ kind: "forbidden" });
    expect(failure.message).toContain("Read Message History");
  });

  it("did not happen when Discord could not be reached at all", async () => {
    await post();
    await connected.unplug();
    expect(await failureOf(post())).toMatchObject({ kind: "unavailable" });
  });

  it("did not happen when Discord asks for a pause, which is not waited for here", async () => {
    await post();
    connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      fault: { kind: "rateLimit", retryAfterSeconds: 45 },
    });
    const error = await failureOf(post());
    expect(error.kind).toBe("rate-limited");
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(45_000);
    expect(connected.clock.pauses).toEqual([]);
  });

  it("is found although Discord changed the white space", async () => {
    const id = await post({ text: "  One  \n\n two\u200b  " });
    expect(await find({ text: "  One  \n\n two\u200b  " })).toBe(id);
  });

  it("is not taken for another's, an older or a known one", async () => {
    const first = await post({ text: "Same" });
    const second = await post({ text: "Same" });
    await post({ text: "Same", persona: { name: "Researcher", pictureUrl: null } });
    connected.loopback.people.post(connected.loopback.owner.id, place.channelId, "Same");
    expect(await find({ text: "Same" })).toBe(first);
    expect(await find({ text: "Same", except: [first] })).toBe(second);
    expect(await find({ text: "Same", afterId: first })).toBe(second);
    expect(await find({ text: "Same", afterId: second })).toBeNull();
    expect(await find({ text: "Other" })).toBeNull();
  });

  it("is not taken for the message of somebody else's webhook", async () => {
    const { world, channelId, owner } = connected.loopback;
    const hook = createWebhook(world, world.channel(channelId), {
      name: "Editor",
      avatar: null,
      userId: owner.id,
      applicationId: null,
    });
    await connected.gateway.sender.post(`/webhooks/${hook.id}/${hook.token}`, {
      auth: false,
      body: { content: "Same", username: "Editor" },
    });
    expect(connected.shown()).toHaveLength(1);
    expect(await find({ text: "Same" })).toBeNull();
  });

  it("is found behind more than a page of other messages", async () => {
    const { people, owner } = connected.loopback;
    const start = people.post(owner.id, place.channelId, "start");
    for (let written = 0; written < 130; written += 1) {
      people.post(owner.id, place.channelId, `line ${written}`);
    }
    const id = await post();
    expect(await find({ afterId: asId<MessageId>(start.id) })).toBe(id);
  });
});
