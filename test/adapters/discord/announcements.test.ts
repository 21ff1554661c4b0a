import { ButtonStyle, MessageFlags, PermissionFlagsBits, type TextChannel } from "discord.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asId, type MessageId } from "../../../src/domain/ids.js";
import { setOverwrite } from "../../../src/playground/world/channels.js";
import type { Announcement } from "../../../src/ports/chat.js";
import {
  anAnnouncement,
  aPost,
  BEFORE_ALL,
  type Connected,
  connect,
  failureOf,
  never,
} from "./connected.js";

let connected: Connected;

beforeEach(async () => {
  connected = await connect();
});
afterEach(() => connected.close());

const SAY_ROUTE = { method: "POST", route: "/channels/:id/messages" } as const;
const SAY = /^POST \/channels\/\d+\/messages$/;

function announce(change: Partial<Announcement> = {}) {
  return connected.chat.announce(anAnnouncement(connected.place, change), never);
}

describe("announcing as the bot", () => {
  it("shows the text under the bot's own name, with its buttons", async () => {
    const id = await announce({
      buttons: [{ id: "stop:1", label: "Stop", style: "danger" }],
    });
    expect(connected.shown()).toMatchObject([
      {
        id,
        content: "The round stopped after 8 replies.",
        author: { id: connected.client.user.id },
        flags: 0,
        components: [
          { components: [{ custom_id: "stop:1", label: "Stop", style: ButtonStyle.Danger }] },
        ],
      },
    ]);
  });

  it("lays more than five buttons out in rows", async () => {
    const buttons = Array.from({ length: 7 }, (_, index) => ({
      id: `b:${index}`,
      label: `${index}`,
      style: "plain" as const,
    }));
    await announce({ buttons });
    const rows = (connected.shown()[0]?.components ?? []) as readonly { components: unknown[] }[];
    expect(rows.map((row) => row.components.length)).toEqual([5, 2]);
  });

  it("pings nobody and is quiet when asked to", async () => {
    connected.loopback.botRole.permissions |= PermissionFlagsBits.MentionEveryone;
    await announce({ text: `@everyone <@${connected.loopback.owner.id}>`, isSilent: true });
    expect(connected.shown()).toMatchObject([
      {
        mentionEveryone: false,
        mentionUserIds: [],
        flags: MessageFlags.SuppressNotifications,
      },
    ]);
  });

  it("says the same thing once, however often it is asked to within minutes", async () => {
    const first = await announce({ nonce: "n1" });
    expect(await announce({ nonce: "n1" })).toBe(first);
    const other = await announce({ nonce: "n2" });
    expect(connected.shown().map((message) => message.id)).toEqual([first, other]);
  });

  it("looks for a doubtful one before it is said again", async () => {
    const first = await announce({ nonce: "n1", text: "  Said \n before " });
    const again = { nonce: "n2", text: "  Said \n before ", isDoubtful: true };
    expect(await announce({ ...again, afterId: BEFORE_ALL })).toBe(first);
    expect(await announce(again)).toBe(first);
    expect(connected.asked(SAY)).toHaveLength(1);
    expect(await announce({ ...again, afterId: first })).not.toBe(first);
  });

  it("does not take a person's or a persona's words for its own", async () => {
    const text = "Said before";
    connected.loopback.people.post(connected.loopback.owner.id, connected.place.channelId, text);
    await connected.chat.post(aPost(connected.place, { text }), never);
    await announce({ text, isDoubtful: true, afterId: BEFORE_ALL });
    expect(connected.shown()).toHaveLength(3);
  });

  it("is not repeated by itself when its outcome is not known", async () => {
    connected.loopback.faults.inject({
      ...SAY_ROUTE,
      fault: { kind: "statusAfter", status: 502, body: {} },
    });
    expect(await failureOf(announce())).toMatchObject({ kind: "unknown" });
    expect(connected.asked(SAY)).toHaveLength(1);
  });

  it("waits out a pause of seconds and leaves a longer one to the caller", async () => {
    const { faults } = connected.loopback;
    faults.inject({ ...SAY_ROUTE, fault: { kind: "rateLimit", retryAfterSeconds: 2 } });
    await announce({ text: "after two seconds" });
    expect(connected.clock.pauses).toHaveLength(1);
    faults.inject({ ...SAY_ROUTE, fault: { kind: "rateLimit", retryAfterSeconds: 60 } });
    const error = await failureOf(announce({ nonce: "n2" }));
    expect(error.kind).toBe("rate-limited");
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(60_000);
    expect(connected.shown()).toHaveLength(1);
  });

  it("names the permission that is missing", async () => {
    connected.loopback.botRole.permissions &= ~PermissionFlagsBits.SendMessages;
    const { guild } = connected.loopback;
    const everyone = guild.roles.get(guild.id);
    if (everyone !== undefined) everyone.permissions &= ~PermissionFlagsBits.SendMessages;
    expect(await failureOf(announce())).toMatchObject({
      kind: "forbidden",
      detail: expect.stringContaining("Send Messages"),
    });
  });

  it.each([
    ["Missing Access", 403, 50001],
    ["Missing Permissions", 403, 50013],
    ["Unknown Channel", 404, 10003],
    ["Unknown Webhook", 404, 10015],
    ["404: Not Found", 404, 0],
    ["Invalid Webhook Token", 401, 50027],
  ])(
    "asks again when Discord says %s, and its gateway knows better",
    async (message, status, code) => {
      const fault = { kind: "status", status, body: { message, code } } as const;
      const free = connected.loopback.faults.inject({ ...SAY_ROUTE, times: 2, fault });
      await announce();
      free();
      expect(connected.asked(SAY)).toHaveLength(3);
      expect(connected.shown()).toHaveLength(1);
    },
  );

  it("believes in the end that it has no permission, but never that a known channel is gone", async () => {
    const refuse = (status: number, code: number) =>
      connected.loopback.faults.inject({
        ...SAY_ROUTE,
        times: 99,
        fault: { kind: "status", status, body: { message: "No", code } },
      });
    const free = refuse(403, 50013);
    expect(await failureOf(announce())).toMatchObject({ kind: "forbidden" });
    free();
    const freeSaying = refuse(404, 10003);
    expect(await failureOf(announce())).toMatchObject({ kind: "unavailable" });
    freeSaying();
    connected.loopback.faults.inject({
      method: "*",
      route: "/channels/*",
      times: 99,
      fault: { kind: "status", status: 404, body: { message: "No", code: 10003 } },
    });
    expect(await failureOf(announce())).toMatchObject({ kind: "gone" });
  });

  it("names the right that is missing in truth, whatever it takes", async () => {
    const { world, guild, channelId } = connected.loopback;
    const channel = world.channel(channelId);
    setOverwrite(world, channel, {
      id: guild.id,
      type: 0,
      allow: 0n,
      deny: PermissionFlagsBits.ViewChannel,
    });
    await vi.waitFor(() => {
      const known = connected.client.channels.cache.get(channelId) as TextChannel;
      expect(known.permissionsFor(connected.client.user)?.has("ViewChannel")).toBe(false);
    });
    const post = () => connected.chat.post(aPost(connected.place), never);
    for (const error of [await failureOf(announce()), await failureOf(post())]) {
      expect(error).toMatchObject({ kind: "forbidden", needs: "View Channel" });
    }
  });

  it("is there at the next try when the token was refused once", async () => {
    connected.loopback.faults.inject({
      ...SAY_ROUTE,
      fault: { kind: "status", status: 401, body: { message: "401: Unauthorized", code: 0 } },
    });
    expect(await failureOf(announce())).toMatchObject({ kind: "unavailable" });
    await announce();
    expect(connected.asked(SAY)).toHaveLength(2);
  });
});

describe("changing and removing", () => {
  it("changes text and buttons without pinging anybody", async () => {
    const id = await announce({ buttons: [{ id: "stop:1", label: "Stop", style: "danger" }] });
    await connected.chat.editAnnouncement(connected.place, id, {
      text: `<@${connected.loopback.owner.id}> stopped it.`,
      buttons: [],
    });
    expect(connected.shown()).toMatchObject([{ components: [], mentionUserIds: [] }]);
    expect(connected.shown()[0]?.content).toContain("stopped it.");
  });

  it("says that a message to change is gone", async () => {
    const id = await announce();
    await connected.chat.remove(connected.place, id);
    const change = connected.chat.editAnnouncement(connected.place, id, { text: "x", buttons: [] });
    expect(await failureOf(change)).toMatchObject({ kind: "gone" });
  });

  it("removes its own message and is content when it is gone already", async () => {
    const id = await announce();
    await connected.chat.remove(connected.place, id);
    await connected.chat.remove(connected.place, id);
    expect(connected.shown()).toEqual([]);
  });

  it.each([
    ["a page with a status of success", { kind: "html", status: 200 }],
    ["404 of the channel", { kind: "status", status: 404, body: { message: "No", code: 10003 } }],
    ["404 of a webhook", { kind: "status", status: 404, body: { message: "No", code: 10015 } }],
    ["404 without a code", { kind: "status", status: 404, body: { message: "No", code: 0 } }],
  ] as const)("does not take %s for its removal", async (_, fault) => {
    const id = await announce();
    const free = connected.loopback.faults.inject({
      method: "DELETE",
      route: "/channels/:id/messages/:id",
      times: 99,
      fault,
    });
    expect(await failureOf(connected.chat.remove(connected.place, id))).toMatchObject({
      kind: "unavailable",
    });
    free();
    await connected.chat.remove(connected.place, id);
    expect(connected.shown()).toEqual([]);
  });

  it("removes a persona's message without the permission to manage messages", async () => {
    const id = await connected.chat.post(aPost(connected.place), never);
    await connected.chat.remove(connected.place, id);
    expect(connected.shown()).toEqual([]);
  });

  it("removes a persona's message in a thread", async () => {
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const place = { ...connected.place, threadId: asId<never>(thread.id) };
    const id = await connected.chat.post(aPost(place), never);
    await connected.chat.remove(place, id);
    expect(connected.shown(thread.id)).toEqual([]);
  });

  it("names the permission that removing a person's message takes", async () => {
    const { people, owner, channelId } = connected.loopback;
    const message = people.post(owner.id, channelId, "Hello");
    const removal = connected.chat.remove(connected.place, asId<MessageId>(message.id));
    expect(await failureOf(removal)).toMatchObject({
      kind: "forbidden",
      detail: expect.stringContaining("Manage Messages"),
    });
    expect(connected.shown()).toHaveLength(1);
  });
});

describe("typing", () => {
  it("is shown, and its failure is of no consequence", async () => {
    await connected.chat.showTyping(connected.place);
    expect(connected.asked(/typing$/)).toHaveLength(1);
    await connected.unplug();
    await connected.chat.showTyping(connected.place);
  });
});

it("gives the address of a message in a channel and in a thread", () => {
  const { chat, place } = connected;
  const id = asId<MessageId>("300000000000000003");
  const base = `https://discord.com/channels/${place.guildId}`;
  expect(chat.link(place, id)).toBe(`${base}/${place.channelId}/${id}`);
  expect(chat.link({ ...place, threadId: asId("200000000000000002") }, id)).toBe(
    `${base}/200000000000000002/${id}`,
  );
});
