import { ChannelType, Events, GatewayDispatchEvents, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asId } from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import { createChannel, webhooksIn } from "../../../src/playground/world/channels.js";
import { deleteThread } from "../../../src/playground/world/threadCreation.js";
import {
  createWebhook,
  deleteWebhook,
  updateWebhook,
} from "../../../src/playground/world/webhooks.js";
import { aPost, type Connected, chatOver, connect, failureOf, never } from "./connected.js";

let connected: Connected;
let place: Place;

beforeEach(async () => {
  connected = await connect();
  place = connected.place;
});
afterEach(() => connected.close());

const EXECUTE = /^POST \/webhooks\/\d+\/[^/]+$/;
const MAKE = /^POST \/channels\/\d+\/webhooks$/;
const EXECUTE_ROUTE = { method: "POST", route: "/webhooks/:id/:token" } as const;
const UNKNOWN_WEBHOOK = { message: "Unknown Webhook", code: 10015 };
const UNKNOWN_CHANNEL = { message: "Unknown Channel", code: 10003 };

function refusedWith(status: number) {
  return { kind: "status", status, body: { message: `${status}: Refused`, code: 0 } } as const;
}

function ownWebhooks() {
  const { world, channelId } = connected.loopback;
  return webhooksIn(world, channelId).filter((hook) => hook.applicationId === world.application.id);
}

function post(change: Parameters<typeof aPost>[1] = {}) {
  return connected.chat.post(aPost(place, change), never);
}

describe("posting as a persona", () => {
  it("shows the name, the picture and the text", async () => {
    const id = await post();
    const [message] = connected.shown();
    expect(message).toMatchObject({
      id,
      content: "The second paragraph repeats the first.",
      avatarUrl: "https://cdn.discordapp.com/emojis/1.png",
      author: { username: "Editor" },
    });
  });

  it("pings nobody, whatever the text says", async () => {
    const { owner, botRole } = connected.loopback;
    botRole.permissions |= PermissionFlagsBits.MentionEveryone;
    await post({ text: `@everyone @here <@${owner.id}> <@&${botRole.id}>` });
    const [message] = connected.shown();
    expect(message).toMatchObject({
      mentionEveryone: false,
      mentionUserIds: [],
      mentionRoleIds: [],
    });
  });

  it("posts into a thread through its parent's webhook", async () => {
    const thread = connected.loopback.people.createThread(
      connected.loopback.owner.id,
      connected.loopback.channelId,
      "Details",
    );
    const id = await post({ place: { ...place, threadId: asId(thread.id) } });
    expect(connected.shown(thread.id).map((message) => message.id)).toEqual([id]);
    expect(webhooksIn(connected.loopback.world, thread.parentId)).toHaveLength(1);
  });

  it("carries buttons, which stay when the text is changed", async () => {
    const buttons = [{ id: "heard:1", label: "What each of them said", style: "plain" }] as const;
    const id = await post({ buttons });
    await connected.chat.editPost(place, id, { text: "Better.", file: null });
    expect(connected.shown()).toMatchObject([
      {
        content: "Better.",
        components: [
          { components: [{ custom_id: "heard:1", label: "What each of them said", type: 2 }] },
        ],
      },
    ]);
  });

  it("attaches the whole of a long reply as a file", async () => {
    await post({ text: "The beginning", file: { name: "editor.md", text: "x".repeat(12_000) } });
    const [message] = connected.shown();
    expect(message?.content).toBe("The beginning");
    expect(message?.attachments).toMatchObject([{ filename: "editor.md", size: 12_000 }]);
  });

  it("changes a post without pinging anybody, and with the file that belongs to it now", async () => {
    const id = await post({ file: { name: "old.md", text: "old" } });
    const { owner } = connected.loopback;
    const changed = { text: `<@${owner.id}> Better.`, file: { name: "new.md", text: "newer" } };
    await connected.chat.editPost(place, id, changed);
    expect(connected.shown()).toMatchObject([
      {
        content: `<@${owner.id}> Better.`,
        author: { username: "Editor" },
        mentionUserIds: [],
        attachments: [{ filename: "new.md", size: 5 }],
      },
    ]);
    await connected.chat.editPost(place, id, { text: "Bare.", file: null });
    expect(connected.shown()).toMatchObject([{ content: "Bare.", attachments: [] }]);
  });

  it("says that a post is gone whose webhook was deleted, since no other can change it", async () => {
    const id = await post();
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    deleteWebhook(connected.loopback.world, hook);
    const change = connected.chat.editPost(place, id, { text: "Late", file: null });
    expect(await failureOf(change)).toMatchObject({ kind: "gone" });
    expect(connected.shown()).toMatchObject([{ content: aPost(place).text }]);
  });

  it("says which name Discord does not take", async () => {
    const error = await failureOf(post({ persona: { name: "Clyde", pictureUrl: null } }));
    expect(error).toMatchObject({ kind: "refused", detail: expect.stringContaining("name") });
  });

  it("stops waiting with the signal's own reason", async () => {
    const stop = new AbortController();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      fault: { kind: "delay", release: released },
    });
    const outcome = connected.chat.post(aPost(place), stop.signal);
    await connected.loopback.until(
      () => (connected.asked(EXECUTE).length > 0 ? true : undefined),
      "the post",
    );
    const reason = new Error("stopped by Ada");
    stop.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    release();
  });
});

describe("a picture that Discord does not take", () => {
  const REFUSAL = {
    kind: "status",
    status: 400,
    body: {
      code: 50035,
      message: "Invalid Form Body",
      errors: { avatar_url: { _errors: [{ code: "URL_TYPE_INVALID_URL", message: "No URL." }] } },
    },
  } as const;

  it("does not stop the message: it is posted without", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: REFUSAL });
    await post();
    expect(connected.shown()).toMatchObject([
      { content: aPost(place).text, author: { username: "Editor" }, avatarUrl: null },
    ]);
  });

  it("is left out once: a second refusal is one of the message", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, times: 9, fault: REFUSAL });
    expect(await failureOf(post())).toMatchObject({ kind: "refused" });
    expect(connected.asked(EXECUTE)).toHaveLength(2);
  });
});

describe("the webhook of a channel", () => {
  it("is made once for posts at the same moment", async () => {
    await Promise.all([post({ text: "one" }), post({ text: "two" }), post({ text: "three" })]);
    expect(connected.asked(MAKE)).toHaveLength(1);
    expect(connected.shown()).toHaveLength(3);
  });

  it("is the one that this application made, not another of the same name", async () => {
    const { world, channelId, owner } = connected.loopback;
    const channel = world.channel(channelId);
    const byPerson = { name: "Parley", avatar: null, userId: owner.id, applicationId: null };
    createWebhook(world, channel, byPerson);
    const ours = createWebhook(world, channel, {
      ...byPerson,
      name: "Renamed by somebody",
      applicationId: world.application.id,
    });
    await post();
    expect(connected.shown()[0]?.webhookId).toBe(ours.id);
    expect(connected.asked(MAKE)).toEqual([]);
  });

  it("is remembered by id over a restart, and its token read from Discord", async () => {
    await post({ text: "before" });
    const after = chatOver(connected);
    await after.post(aPost(place, { text: "after" }), never);
    expect(connected.asked(MAKE)).toHaveLength(1);
    expect(connected.asked(/^GET \/channels\/\d+\/webhooks$/)).toHaveLength(1);
    const remembered = await connected.storage.webhooks.get(place.channelId);
    expect(connected.shown().map((message) => message.webhookId)).toEqual([remembered, remembered]);
  });

  it("is made anew when somebody deleted it", async () => {
    await post({ text: "before" });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    // The event that tells of it comes too late to help.
    const release = connected.loopback.interference.holdBack(
      ({ t }) => t === GatewayDispatchEvents.WebhooksUpdate,
    );
    deleteWebhook(connected.loopback.world, hook);
    await post({ text: "after" });
    release();
    expect(connected.shown().map((message) => message.content)).toEqual(["before", "after"]);
    expect(ownWebhooks()).toHaveLength(1);
  });

  it("was moved: what went astray is taken back and posted where it belongs", async () => {
    const { world, guild, interference } = connected.loopback;
    await post({ text: "before" });
    const other = createChannel(world, guild, { name: "other", type: ChannelType.GuildText });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    const release = interference.holdBack(({ t }) => t === GatewayDispatchEvents.WebhooksUpdate);
    updateWebhook(world, hook, { channelId: other.id });
    await post({ text: "after" });
    release();
    expect(connected.shown().map((message) => message.content)).toEqual(["before", "after"]);
    expect(connected.shown(other.id)).toEqual([]);
  });

  it("was moved: what went astray without an answer is taken back too", async () => {
    const { world, guild, interference, faults } = connected.loopback;
    await post({ text: "before" });
    const other = createChannel(world, guild, { name: "other", type: ChannelType.GuildText });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    interference.holdBack(({ t }) => t === GatewayDispatchEvents.WebhooksUpdate);
    updateWebhook(world, hook, { channelId: other.id });
    faults.inject({ ...EXECUTE_ROUTE, fault: { kind: "statusAfter", status: 502, body: {} } });
    expect(await failureOf(post({ text: "after" }))).toMatchObject({ kind: "unknown" });
    await vi.waitFor(() => expect(connected.shown(other.id)).toEqual([]), 10_000);
    await post({ text: "after" });
    expect(connected.shown().map((message) => message.content)).toEqual(["before", "after"]);
    expect(connected.shown(other.id)).toEqual([]);
  });

  it("is looked at again when its channel's webhooks changed", async () => {
    const { world, channelId } = connected.loopback;
    await post({ text: "before" });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    const known = new Promise((resolve) => {
      connected.client.once(Events.WebhooksUpdate, resolve);
    });
    deleteWebhook(world, hook);
    await known;
    await post({ text: "after" });
    expect(connected.shown(channelId).map((message) => message.content)).toEqual([
      "before",
      "after",
    ]);
    const used = connected.asked(EXECUTE).map((line) => line.split("/")[2]);
    expect(used.filter((id) => id === hook.id)).toHaveLength(1);
  });

  it("is never used where it was, once Discord told that it was moved", async () => {
    const { world, guild } = connected.loopback;
    await post({ text: "before" });
    const other = createChannel(world, guild, { name: "other", type: ChannelType.GuildText });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    const known = new Promise<void>((resolve) => {
      connected.client.on(Events.WebhooksUpdate, ({ id }) => {
        if (id === other.id) resolve();
      });
    });
    updateWebhook(world, hook, { channelId: other.id });
    await known;
    await post({ text: "after" });
    const used = connected.asked(EXECUTE).map((line) => line.split("/")[2]);
    expect(used.filter((id) => id === hook.id)).toHaveLength(1);
    expect(connected.shown()).toHaveLength(2);
  });

  it("moved away from a thread's channel is replaced too", async () => {
    const { world, guild, people, owner, channelId, interference } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const inThread = { ...place, threadId: asId<never>(thread.id) };
    await post({ place: inThread, text: "before" });
    const other = createChannel(world, guild, { name: "other", type: ChannelType.GuildText });
    const [hook] = ownWebhooks();
    if (hook === undefined) throw new Error("There is no webhook.");
    interference.holdBack(({ t }) => t === GatewayDispatchEvents.WebhooksUpdate);
    updateWebhook(world, hook, { channelId: other.id });
    await post({ place: inThread, text: "after" });
    expect(connected.shown(thread.id).map((message) => message.content)).toEqual([
      "before",
      "after",
    ]);
  });

  it("is not blamed when the thread is gone", async () => {
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const inThread = { ...place, threadId: asId<never>(thread.id) };
    await post({ place: inThread, text: "before" });
    deleteThread(connected.loopback.world, thread);
    await vi.waitFor(() => expect(connected.client.channels.cache.has(thread.id)).toBe(false));
    expect(await failureOf(post({ place: inThread, text: "after" }))).toMatchObject({
      kind: "gone",
      detail: "The thread is not there any more.",
    });
  });

  it("is not blamed, nor the thread given up, when Discord denies a thread that is there", async () => {
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const inThread = { ...place, threadId: asId<never>(thread.id) };
    await post({ place: inThread, text: "before" });
    const free = connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      times: 99,
      fault: { kind: "status", status: 404, body: UNKNOWN_CHANNEL },
    });
    expect(await failureOf(post({ place: inThread, text: "after" }))).toMatchObject({
      kind: "unavailable",
      detail: "Discord does not find the channel just now.",
    });
    free();
    await post({ place: inThread, text: "after" });
    expect(connected.shown(thread.id).map((message) => message.content)).toEqual([
      "before",
      "after",
    ]);
  });

  it("is tried twice and no more", async () => {
    connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      times: 9,
      fault: { kind: "status", status: 404, body: UNKNOWN_WEBHOOK },
    });
    expect(await failureOf(post())).toMatchObject({
      kind: "refused",
      detail: expect.stringContaining("again and again"),
    });
    expect(connected.asked(EXECUTE)).toHaveLength(2);
  });

  it.each([
    ["401 without a reason", 401],
    ["404 without a reason", 404],
  ])(
    "that Discord refuses with %s is looked up anew, and the bot keeps its token",
    async (_, status) => {
      connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: refusedWith(status) });
      await post();
      expect(connected.shown()).toHaveLength(1);
      await expect(connected.gateway.sender.get("/users/@me")).resolves.toBeDefined();
    },
  );

  it.each([401, 404])(
    "that Discord refuses with %i for good fails this post only",
    async (status) => {
      connected.loopback.faults.inject({ ...EXECUTE_ROUTE, times: 2, fault: refusedWith(status) });
      expect(await failureOf(post())).toMatchObject({
        kind: "refused",
        detail: expect.stringMatching(/^Discord does not take the webhook .* Integrations\.$/),
      });
      await post();
      expect(connected.shown()).toHaveLength(1);
    },
  );

  it("cannot be made in a channel with fifteen: the person is told what to do", async () => {
    const { world, channelId, owner } = connected.loopback;
    for (let made = 0; made < 15; made += 1) {
      createWebhook(world, world.channel(channelId), {
        name: `Feed ${made}`,
        avatar: null,
        userId: owner.id,
        applicationId: null,
      });
    }
    expect(await failureOf(post())).toMatchObject({
      kind: "full",
      detail: expect.stringMatching(/15 webhooks.*delete one.*Integrations/),
    });
  });

  it("needs a permission, which is named when it is missing", async () => {
    connected.loopback.botRole.permissions &= ~PermissionFlagsBits.ManageWebhooks;
    expect(await failureOf(post())).toMatchObject({
      kind: "forbidden",
      detail: expect.stringContaining("Manage Webhooks"),
    });
  });

  it("is searched for again after a search that failed", async () => {
    connected.loopback.faults.inject({
      method: "GET",
      route: "/channels/:id/webhooks",
      fault: { kind: "status", status: 503, body: {} },
    });
    expect(await failureOf(post())).toMatchObject({ kind: "unavailable" });
    await post();
    expect(connected.shown()).toHaveLength(1);
  });

  it("is searched for again after an answer that is no list", async () => {
    connected.loopback.faults.inject({
      method: "GET",
      route: "/channels/:id/webhooks",
      fault: { kind: "status", status: 200, body: {} },
    });
    expect(await failureOf(post())).toMatchObject({ kind: "unavailable" });
    await post();
    expect(connected.shown()).toHaveLength(1);
  });

  it("that refuses its token does not cost the bot its own", async () => {
    connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      fault: {
        kind: "status",
        status: 401,
        body: { message: "Invalid Webhook Token", code: 50027 },
      },
    });
    await post();
    expect(connected.shown()).toHaveLength(1);
    await expect(connected.gateway.sender.get("/users/@me")).resolves.toBeDefined();
  });
});
