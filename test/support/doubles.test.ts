import { describe, expect, test } from "vitest";
import { asId, type MessageId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import { type Announcement, ChatError, type PersonaPost } from "../../src/ports/chat.js";
import type { ModelRequest } from "../../src/ports/model.js";
import { GUILD } from "./builders.js";
import { RecordingChat } from "./recordingChat.js";
import { HANG, ScriptedModel } from "./scriptedModel.js";

const signal = new AbortController().signal;
const unknown = () => new ChatError("unknown", "It may have been done.");

function open(): { readonly chat: RecordingChat; readonly place: Place } {
  const chat = new RecordingChat();
  const channelId = chat.addChannel({ guildId: GUILD });
  return { chat, place: { guildId: GUILD, channelId, threadId: null } };
}

const postIn = (place: Place, text = "Hello"): PersonaPost => ({
  place,
  persona: { name: "Editor", pictureUrl: null },
  text,
  file: null,
});

const announcementIn = (place: Place, change: Partial<Announcement> = {}): Announcement => ({
  place,
  text: "Stopped.",
  buttons: [],
  isSilent: true,
  nonce: "one",
  isDoubtful: false,
  afterId: null,
  ...change,
});

const wanted = (place: Place, afterId: MessageId, except: readonly MessageId[] = []) => ({
  place,
  personaName: "Editor",
  text: "Hello",
  afterId,
  except,
});

describe("the recording chat", () => {
  test("gives rising ids to posts and announcements", async () => {
    const { chat, place } = open();
    const first = await chat.post(postIn(place), signal);
    const second = await chat.announce(announcementIn(place), signal);
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
    expect(chat.lines(place)).toEqual(["Editor: Hello", "(bot) Stopped."]);
  });

  test("a call that fails before leaves nothing, one that fails after leaves its effect", async () => {
    const { chat, place } = open();
    chat.failNext("post", unknown(), "before");
    chat.failNext("post", unknown(), "after");
    await expect(chat.post(postIn(place, "lost"), signal)).rejects.toThrow(ChatError);
    await expect(chat.post(postIn(place, "kept"), signal)).rejects.toThrow(ChatError);
    await chat.post(postIn(place, "normal"), signal);
    expect(chat.lines(place)).toEqual(["Editor: kept", "Editor: normal"]);
    expect(chat.calls).toEqual(["post", "post", "post"]);
  });

  test("finds a post by persona, text and age, and passes over those accounted for", async () => {
    const { chat, place } = open();
    const first = await chat.post(postIn(place), signal);
    const second = await chat.post(postIn(place), signal);
    await chat.post(postIn(place, "Other"), signal);
    const before = String(BigInt(first) - 1n) as MessageId;
    expect(await chat.findPost(wanted(place, before), signal)).toBe(first);
    expect(await chat.findPost(wanted(place, before, [first]), signal)).toBe(second);
    expect(await chat.findPost(wanted(place, second), signal)).toBeNull();
    chat.dropMessage(second);
    expect(await chat.findPost(wanted(place, first), signal)).toBeNull();
  });

  test("says the same announcement once, by nonce, and later by looking", async () => {
    const { chat, place } = open();
    const first = await chat.announce(announcementIn(place), signal);
    expect(await chat.announce(announcementIn(place), signal)).toBe(first);
    chat.forgetNonces();
    const doubtful = announcementIn(place, { isDoubtful: true });
    expect(await chat.announce(doubtful, signal)).toBe(first);
    expect(await chat.announce({ ...doubtful, afterId: first }, signal)).not.toBe(first);
  });

  test("holds a call until it is released", async () => {
    const { chat, place } = open();
    const held = chat.holdNext("post");
    const posting = chat.post(postIn(place), signal);
    await held.reached;
    expect(chat.lines(place)).toEqual([]);
    held.release();
    await posting;
    expect(chat.lines(place)).toEqual(["Editor: Hello"]);
  });

  test("lets a post that is under way finish when it is aborted, and ends a search at once", async () => {
    const { chat, place } = open();
    const stop = new AbortController();
    const post = chat.holdNext("post");
    const posting = chat.post(postIn(place), stop.signal);
    await post.reached;
    const search = chat.holdNext("findPost");
    const wanted = { place, personaName: "Editor", text: "Hello", except: [] };
    const searching = chat.findPost({ ...wanted, afterId: asId<MessageId>("1") }, stop.signal);
    await search.reached;
    stop.abort(new Error("stopped"));
    await expect(searching).rejects.toThrow("stopped");
    post.release();
    await posting;
    expect(chat.lines(place)).toEqual(["Editor: Hello"]);
    await expect(chat.post(postIn(place), stop.signal)).rejects.toThrow("stopped");
    expect(chat.lines(place)).toEqual(["Editor: Hello"]);
  });

  test("refuses what Discord would refuse, and what is gone", async () => {
    const { chat, place } = open();
    await expect(chat.post(postIn(place, "x".repeat(2001)), signal)).rejects.toThrow("refused");
    await expect(chat.post(postIn(place, " "), signal)).rejects.toThrow("refused");
    chat.dropChannel(place.channelId);
    await expect(chat.post(postIn(place), signal)).rejects.toThrow("gone");
    await expect(chat.setTopic(place.channelId, "x")).rejects.toThrow("gone");
    expect(chat.topic(place.channelId)).toBeNull();
    expect(chat.effects).toEqual([]);
  });
});

describe("the scripted model", () => {
  const request: ModelRequest = { purpose: "turn", model: "m", messages: [], timeoutMs: 1 };

  test("answers in order with texts, replies, errors and functions", async () => {
    const model = new ScriptedModel().answer("one", { text: "two", finish: "length" }, (asked) => {
      return `three of ${asked.model}`;
    });
    model.answerTo("turn", new Error("four"));
    expect((await model.complete(request)).text).toBe("one");
    expect(await model.complete(request)).toMatchObject({ text: "two", finish: "length" });
    expect((await model.complete(request)).text).toBe("three of m");
    await expect(model.complete(request)).rejects.toThrow("four");
    model.assertDone();
  });

  test("fails, and tells at the end, when it is asked something that was not expected", async () => {
    const model = new ScriptedModel();
    await expect(model.complete(request)).rejects.toThrow("Nothing was written for this request");
    expect(() => model.assertDone()).toThrow("Nothing was written for this request");

    const other = new ScriptedModel().answerTo("judge", "x");
    await expect(other.complete(request)).rejects.toThrow('A request for "judge" was expected');
    expect(() => other.assertDone()).toThrow('A request for "judge" was expected');
  });

  test("tells when answers are left over", () => {
    expect(() => new ScriptedModel().answer("one").assertDone()).toThrow("anything: one");
  });

  test("hangs until it is aborted", async () => {
    const stop = new AbortController();
    const model = new ScriptedModel().answer(HANG);
    const asked = model.complete({ ...request, signal: stop.signal });
    await model.requested(1);
    expect(model.running).toBe(1);
    expect(() => model.assertDone()).toThrow("still running");
    stop.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
    model.assertDone();
  });
});
