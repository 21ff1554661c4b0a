/** What is about a message, or the message itself, comes before what it is about. */
import { GatewayDispatchEvents } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { viewMessageEvent } from "../../../src/playground/world/messageViews.js";
import { connectHearing, type Hearing, type RecordingListener } from "./hearing.js";

let connected: Hearing;
let heard: RecordingListener;

beforeEach(async () => {
  connected = await connectHearing();
  heard = connected.heard;
});
afterEach(() => connected.close());

describe("a message whose event comes late", () => {
  /** It is written, and its event is held back. */
  function hold(text: string): { readonly id: string; readonly release: () => void } {
    const release = connected.loopback.interference.holdBack(
      ({ t, d }) => t === GatewayDispatchEvents.MessageCreate && d.content === text,
    );
    return { id: connected.say(text).id, release };
  }
  const texts = () => heard.messages.map(({ text }) => text);

  it.each<[string, (id: string) => unknown]>([
    ["an edit of it", (id) => edit(id, "Edited")],
    ["a preview of its link", (id) => update(id, { embeds: [{ title: "Example" }] })],
    ["an update that only says what is new", (id) => sendOnly(id, { embeds: [] })],
    ["a reply to it", (id) => connected.say("A reply", { replyTo: id })],
    ["a thread that begins with it", (id) => startThread(id)],
  ])("is heard, once, although %s came first", async (_what, come) => {
    const late = hold("Late");
    come(late.id);
    await connected.settled();
    expect(texts()).not.toContain("Late");
    late.release();
    await connected.settled();
    expect(texts().filter((text) => text === "Late")).toHaveLength(1);
    expect(connected.log.messages("error")).toEqual([]);
  });

  it("is heard with its old text after its edit, which is told with its time", async () => {
    const late = hold("Old");
    edit(late.id, "New");
    await connected.settled();
    late.release();
    await connected.settled();
    expect(heard.of("edited")).toEqual([[late.id, "New", expect.any(Number)]]);
    expect(heard.messages.find(({ id }) => id === late.id)).toMatchObject({
      text: "Old",
      editedAtMs: null,
    });
  });

  it("is heard after its deletion too", async () => {
    const late = hold("Gone");
    const { people, owner, channelId } = connected.loopback;
    people.remove(owner.id, channelId, late.id);
    await connected.settled();
    late.release();
    await connected.settled();
    const about = heard.calls.filter((call) => JSON.stringify(call).includes(late.id));
    expect(about.map(([kind]) => kind)).toEqual(["deleted", "received"]);
  });

  it("and comes twice is heard once, although an edit came between", async () => {
    const late = hold("Twice");
    late.release();
    edit(late.id, "Edited");
    late.release();
    await connected.settled();
    expect(texts().filter((text) => text === "Twice")).toHaveLength(1);
  });

  function edit(id: string, text: string): void {
    const { people, owner, channelId } = connected.loopback;
    people.edit(owner.id, channelId, id, text);
  }
  function update(id: string, change: Readonly<Record<string, unknown>>): void {
    const { world, channelId } = connected.loopback;
    sendOnly(id, { ...viewMessageEvent(world, world.message(channelId, id)), ...change });
  }
  function sendOnly(id: string, change: Readonly<Record<string, unknown>>): void {
    const { guild, channelId, interference } = connected.loopback;
    const d = { id, channel_id: channelId, guild_id: guild.id, ...change };
    interference.sendRaw({ t: GatewayDispatchEvents.MessageUpdate, d });
  }
  function startThread(id: string): void {
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details", id);
    people.post(owner.id, thread.id, "Inside");
  }
});

describe("a thread whose event comes late", () => {
  const hold = () => {
    const { people, owner, channelId, interference } = connected.loopback;
    const release = interference.holdBack(({ t }) => t === GatewayDispatchEvents.ThreadCreate);
    const { id } = people.createThread(owner.id, channelId, "Details");
    const write = (text: string) => people.post(owner.id, id, text).id;
    return { id, release, write };
  };

  it("loses nothing of what was written, edited and deleted in it before", async () => {
    const { people, owner } = connected.loopback;
    const late = hold();
    const kept = late.write("Kept");
    people.edit(owner.id, late.id, kept, "Edited");
    const gone = late.write("Gone");
    people.remove(owner.id, late.id, gone);
    await connected.settled();
    expect(heard.of("edited")).toEqual([]);
    late.release();
    await connected.settled();
    const inside = heard.messages.filter(({ place }) => place.threadId === late.id);
    expect(inside.map(({ text }) => text)).toEqual(["Kept", "Gone"]);
    expect(heard.of("edited")).toEqual([[kept, "Edited", expect.any(Number)]]);
    expect(heard.of("deleted")).toEqual([[late.id, [gone]]]);
  });
});
