import {
  Events,
  GatewayDispatchEvents,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  PermissionFlagsBits,
} from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { viewMessageEvent } from "../../../src/playground/world/messageViews.js";
import { createWebhook } from "../../../src/playground/world/webhooks.js";
import { anAnnouncement, aPost, never } from "./connected.js";
import { connectHearing, type Hearing, type RecordingListener } from "./hearing.js";

let connected: Hearing;
let heard: RecordingListener;

beforeEach(async () => {
  connected = await connectHearing();
  heard = connected.heard;
});
afterEach(() => connected.close());

/** A message as Discord can send it, of a kind that the server's people cannot write. */
async function sendRaw(change: Readonly<Record<string, unknown>>): Promise<void> {
  const { world, guild, channelId } = connected.loopback;
  const template = connected.say("template");
  const record = world.message(channelId, template.id);
  const message = { ...viewMessageEvent(world, record), id: world.ids.next(), ...change };
  world.dispatch({ t: GatewayDispatchEvents.MessageCreate, d: message }, guild.id, channelId);
  await connected.settled();
}

async function textOfRaw(change: Parameters<typeof sendRaw>[0]): Promise<string | undefined> {
  await sendRaw({ content: "", ...change });
  return heard.messages.map(({ text }) => text).find((text) => !/^(template|mark)/.test(text));
}

describe("a message of a person", () => {
  it("arrives with its place, its author and their rights", async () => {
    const { people, members, owner, channelId } = connected.loopback;
    const [ben] = members;
    if (ben === undefined) throw new Error("Ben is missing.");
    const written = people.post(ben.id, channelId, "Hello");
    const byOwner = connected.say("Hello too");
    await connected.settled();
    expect(heard.messages[0]).toEqual({
      id: written.id,
      place: connected.place,
      author: {
        userId: ben.id,
        name: "Ben",
        guildId: connected.place.guildId,
        roleIds: [connected.place.guildId],
        canManageChannels: false,
        canWriteHere: true,
      },
      text: "Hello",
      attachments: [],
      replyToId: null,
      createdAtMs: Date.parse(written.timestamp),
      editedAtMs: null,
    });
    expect(heard.messages[1]).toMatchObject({
      id: byOwner.id,
      author: { userId: owner.id, canManageChannels: true },
    });
  });

  it("comes with its rights in the server, not those of a channel", async () => {
    const { people, members, world, channelId } = connected.loopback;
    const [ben] = members;
    if (ben === undefined) throw new Error("Ben is missing.");
    world.channel(channelId).overwrites.set(ben.id, {
      id: ben.id,
      type: 1,
      allow: PermissionFlagsBits.ManageChannels,
      deny: 0n,
    });
    people.post(ben.id, channelId, "Hello");
    await connected.settled();
    expect(heard.messages[0]?.author.canManageChannels).toBe(false);
  });

  it("has Discord's tokens turned into the names shown", async () => {
    const { members, botRole, channelId } = connected.loopback;
    const ben = members[0]?.id ?? "";
    connected.say(
      `<@${ben}> <@!${ben}> <@&${botRole.id}> <#${channelId}> <:wave:300000000000000003>`,
    );
    await connected.settled();
    expect(heard.messages[0]?.text).toBe("@Ben @Ben @Parley #general :wave:");
  });

  it("in a thread is in that thread's place", async () => {
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    people.post(owner.id, thread.id, "Inside");
    await connected.settled();
    expect(heard.messages[0]?.place).toEqual({ ...connected.place, threadId: thread.id });
  });

  it("names the message that it replies to", async () => {
    const first = connected.say("First");
    connected.say("Second", { replyTo: first.id });
    await connected.settled();
    expect(heard.messages[1]?.replyToId).toBe(first.id);
  });

  it("brings its files", async () => {
    const bytes = new TextEncoder().encode("a,b\n1,2\n");
    connected.say("", {
      files: [{ filename: "data.csv", contentType: "text/csv; charset=utf-8", bytes }],
    });
    await connected.settled();
    expect(heard.messages[0]).toMatchObject({
      text: "",
      attachments: [{ name: "data.csv", type: "text/csv", bytes: 8 }],
    });
  });

  it.each<[string, Parameters<typeof sendRaw>[0], string]>([
    [
      "a sticker",
      { sticker_items: [{ id: "300000000000000003", name: "Thumbs", format_type: 1 }] },
      "[sticker: Thumbs]",
    ],
    [
      "a poll",
      {
        poll: {
          question: { text: "Lunch?" },
          answers: [
            { answer_id: 1, poll_media: { text: "Soup" } },
            { answer_id: 2, poll_media: { text: "Bread" } },
          ],
          expiry: null,
          allow_multiselect: false,
          layout_type: 1,
        },
      },
      "[poll: Lunch? — Soup, Bread]",
    ],
    [
      "a forwarded message",
      {
        message_reference: {
          type: MessageReferenceType.Forward,
          channel_id: "300000000000000001",
          message_id: "300000000000000002",
        },
        message_snapshots: [
          {
            message: {
              type: 0,
              content: "From elsewhere",
              mentions: [],
              mention_roles: [],
              attachments: [],
              embeds: [],
              timestamp: "2026-01-05T12:00:00.000Z",
              edited_timestamp: null,
              flags: 0,
              components: [],
            },
          },
        ],
      },
      "[forwarded message]\n> From elsewhere",
    ],
    [
      "a forwarded sticker",
      {
        message_reference: {
          type: MessageReferenceType.Forward,
          channel_id: "300000000000000001",
          message_id: "300000000000000002",
        },
        message_snapshots: [
          {
            message: {
              type: 0,
              content: "",
              mentions: [],
              attachments: [],
              embeds: [],
              timestamp: "2026-01-05T12:00:00.000Z",
              edited_timestamp: null,
              sticker_items: [{ id: "300000000000000003", name: "Thumbs", format_type: 1 }],
            },
          },
        ],
      },
      "[forwarded message]\n[sticker: Thumbs]",
    ],
    ["a voice message", { flags: MessageFlags.IsVoiceMessage }, "[voice message]"],
  ])("that is %s says so in its text", async (_what, change, text) => {
    expect(await textOfRaw(change)).toBe(text);
  });

  it("is passed over when it is a notice of Discord itself", async () => {
    await sendRaw({ type: MessageType.ChannelPinnedMessage, content: "" });
    await sendRaw({ type: MessageType.ThreadCreated, content: "A thread" });
    expect(heard.messages.map(({ text }) => text)).not.toContain("A thread");
    expect(heard.messages.every(({ text }) => /^(template|mark)/.test(text))).toBe(true);
  });

  it("arrives once although Discord sends it twice", async () => {
    connected.loopback.interference.sendTwice(({ t }) => t === GatewayDispatchEvents.MessageCreate);
    connected.say("Twice");
    await connected.settled();
    expect(heard.messages.filter(({ text }) => text === "Twice")).toHaveLength(1);
  });
});

describe("a message of the bot, a persona or another webhook", () => {
  it("is not heard", async () => {
    const { world, channelId, owner } = connected.loopback;
    await connected.chat.announce(anAnnouncement(connected.place), never);
    await connected.chat.post(aPost(connected.place), never);
    const hook = createWebhook(world, world.channel(channelId), {
      name: "Feed",
      userId: owner.id,
      applicationId: null,
    });
    await connected.gateway.sender.post(`/webhooks/${hook.id}/${hook.token}`, {
      auth: false,
      body: { content: "News" },
    });
    await connected.settled();
    expect(heard.messages).toHaveLength(1);
    expect(connected.shown()).toHaveLength(4);
  });
});

describe("a change", () => {
  it("of the text is an edit", async () => {
    const { people, owner, channelId } = connected.loopback;
    const { id } = connected.say("Helo");
    people.edit(owner.id, channelId, id, "Hello");
    await connected.settled();
    expect(heard.of("edited")).toEqual([[id, "Hello", expect.any(Number)]]);
  });

  it("that only adds a preview is none", async () => {
    const { world, guild, channelId } = connected.loopback;
    const { id } = connected.say("https://example.org");
    world.dispatch(
      {
        t: GatewayDispatchEvents.MessageUpdate,
        d: {
          ...viewMessageEvent(world, world.message(channelId, id)),
          embeds: [{ title: "Example" }],
        },
      },
      guild.id,
      channelId,
    );
    await connected.settled();
    expect(heard.of("edited")).toEqual([]);
  });

  it("tells which files are left", async () => {
    const { people, owner, channelId } = connected.loopback;
    const file = (filename: string) => ({
      filename,
      contentType: "text/plain",
      bytes: new TextEncoder().encode(filename),
    });
    const { id, attachments } = people.post(owner.id, channelId, "Two files", {
      files: [file("a.txt"), file("b.txt")],
    });
    people.removeFile(owner.id, channelId, id, attachments[0]?.id ?? "");
    await connected.settled();
    expect(heard.of("filesLeft")).toEqual([[id, [expect.objectContaining({ name: "b.txt" })]]]);
  });

  it("that does not tell of the files leaves them as they are", async () => {
    const { world, people, owner, channelId, interference } = connected.loopback;
    const bytes = new TextEncoder().encode("a");
    const { id } = people.post(owner.id, channelId, "A file", {
      files: [{ filename: "a.txt", contentType: "text/plain", bytes }],
    });
    const whole = viewMessageEvent(world, world.message(channelId, id));
    const { attachments: _, ...told } = whole;
    const d = { ...told, edited_timestamp: new Date().toISOString() };
    interference.sendRaw({ t: GatewayDispatchEvents.MessageUpdate, d });
    await connected.settled();
    expect(heard.of("edited")).toHaveLength(1);
    expect(heard.of("filesLeft")).toEqual([]);
  });

  it("of the bot's own message is none", async () => {
    const id = await connected.chat.announce(anAnnouncement(connected.place), never);
    await connected.chat.editAnnouncement(connected.place, id, { text: "Other", buttons: [] });
    await connected.settled();
    expect(heard.of("edited")).toEqual([]);
  });
});

describe("a deletion", () => {
  it("of a message, also of a persona's, is told with its conversation", async () => {
    const { people, owner, channelId } = connected.loopback;
    const { id } = connected.say("Hello");
    people.remove(owner.id, channelId, id);
    const posted = await connected.chat.post(aPost(connected.place), never);
    await connected.chat.remove(connected.place, posted);
    await connected.settled();
    expect(heard.of("deleted")).toEqual([
      [channelId, [id]],
      [channelId, [posted]],
    ]);
  });

  it("of many messages is told at once", async () => {
    const { world, guild, channelId } = connected.loopback;
    const ids = [connected.say("One").id, connected.say("Two").id];
    world.dispatch(
      {
        t: GatewayDispatchEvents.MessageDeleteBulk,
        d: { ids, channel_id: channelId, guild_id: guild.id },
      },
      guild.id,
      channelId,
    );
    await connected.settled();
    expect(heard.of("deleted")).toEqual([[channelId, ids]]);
  });

  it("of a channel and of a thread is told", async () => {
    const { people, owner, channelId, guild } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    people.deleteChannel(owner.id, thread.id);
    const made = await connected.chat.createChannel({
      guildId: connected.place.guildId,
      name: "review",
      category: "Groups",
      topic: "",
    });
    people.deleteChannel(owner.id, made);
    await connected.settled();
    expect(heard.of("threadDeleted")).toEqual([[guild.id, thread.id]]);
    expect(heard.of("channelDeleted")).toEqual([[guild.id, made]]);
  });
});

describe("a server", () => {
  it("is ready at the start", () => {
    expect(heard.of("serverReady")).toEqual([[connected.loopback.guild.id]]);
  });

  it("is ready again after a connection that was not resumed", async () => {
    connected.loopback.interference.drop({ isResumable: false });
    await connected.loopback.until(
      () => (heard.of("serverReady").length > 1 ? true : undefined),
      "the new session",
    );
    await connected.settled();
    expect(heard.of("serverReady")).toHaveLength(2);
  });

  it("is left when the bot is removed, and only away in an outage", async () => {
    const { world, guild } = connected.loopback;
    const gone = (unavailable: boolean) =>
      world.dispatch(
        {
          t: GatewayDispatchEvents.GuildDelete,
          d: { id: guild.id, ...(unavailable ? { unavailable } : {}) },
        },
        guild.id,
      );
    const isAway = new Promise((resolve) => {
      connected.client.once(Events.GuildUnavailable, resolve);
    });
    gone(true);
    await isAway;
    expect(heard.of("serverLeft")).toEqual([]);
    gone(false);
    await connected.loopback.until(
      () => (heard.of("serverLeft").length > 0 ? true : undefined),
      "the removal",
    );
  });
});

it("logs what a listener rejects with, and goes on", async () => {
  heard.failure = new Error("The database is away.");
  connected.say("Hello");
  await connected.settled();
  heard.failure = null;
  connected.say("Hello again");
  await connected.settled();
  expect(heard.messages.map(({ text }) => text)).toContain("Hello again");
  expect(connected.log.messages("error")).toContain("an event was not handled");
});
