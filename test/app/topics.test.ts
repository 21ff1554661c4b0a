import { describe, expect, onTestFinished, test } from "vitest";
import { createTopics } from "../../src/app/topics.js";
import type { Agent } from "../../src/domain/agent.js";
import type { Group } from "../../src/domain/group.js";
import type { ChannelId } from "../../src/domain/ids.js";
import { ChatError } from "../../src/ports/chat.js";
import { StorageError } from "../../src/ports/storage.js";
import { addAgent, addGroup, placeOf } from "../support/builders.js";
import { createTestServices, type TestServices } from "../support/services.js";

interface Scene extends TestServices {
  readonly editor: Agent;
  readonly notes: Agent;
  readonly review: Group;
  readonly channelId: ChannelId;
}

async function scene(): Promise<Scene> {
  const services = await createTestServices();
  onTestFinished(() => services.storage.close());
  const editor = await addAgent(services, { displayName: "Editor" });
  const notes = await addAgent(services, { displayName: "Notes" });
  const review = await addGroup(services, { displayName: "Review", members: [editor, notes] });
  return { ...services, editor, notes, review, channelId: placeOf(review).channelId };
}

const TOPIC = "Review | Members: Editor, Notes | Host: Editor";
const away = () => new ChatError("unavailable", "Discord is away.");
const forbidden = () => new ChatError("forbidden", "I may not change channels here.");

describe("topics", () => {
  test("sets a topic that is not right", async () => {
    const { topics, chat, review, channelId } = await scene();
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.topic(channelId)).toBe(TOPIC);
  });

  test("leaves a topic that is right alone", async () => {
    const { topics, chat, review } = await scene();
    topics.groupChanged(review.id);
    await topics.onIdle();
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.calls.filter((call) => call === "setTopic")).toHaveLength(1);
  });

  test("shows who is muted", async () => {
    const { topics, chat, storage, review, notes, channelId } = await scene();
    await storage.groups.update(review.id, { muted: [notes.id] });
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.topic(channelId)).toBe("Review | Members: Editor, Notes (muted) | Host: Editor");
  });

  test("makes one change of all those that came while it was busy", async () => {
    const { topics, chat, storage, review, channelId } = await scene();
    const held = chat.holdNext("setTopic");
    topics.groupChanged(review.id);
    await held.reached;
    for (const displayName of ["One", "Two", "Three"]) {
      await storage.groups.update(review.id, { displayName });
      topics.groupChanged(review.id);
    }
    held.release();
    await topics.onIdle();
    expect(chat.effectsOf("setTopic").map((effect) => effect.topic)).toEqual([
      TOPIC,
      TOPIC.replace("Review", "Three"),
    ]);
    expect(chat.topic(channelId)).toBe(TOPIC.replace("Review", "Three"));
  });

  test("lets one channel not wait for another", async () => {
    const { topics, chat, review, editor } = await scene();
    const held = chat.holdNext("setTopic");
    topics.groupChanged(review.id);
    await held.reached;
    const agentTopic = chat.holdNext("setTopic");
    topics.agentChanged(editor.id);
    await agentTopic.reached;
    agentTopic.release();
    held.release();
    await topics.onIdle();
    expect(chat.topic(placeOf(editor).channelId)).toBe("Editor: You are Editor.");
  });

  test("follows an agent into its own channel and its groups", async () => {
    const { topics, chat, storage, editor, channelId } = await scene();
    await storage.agents.update(editor.id, { displayName: "Chief" });
    topics.agentChanged(editor.id);
    await topics.onIdle();
    expect(chat.topic(placeOf(editor).channelId)).toBe("Chief: You are Editor.");
    expect(chat.topic(channelId)).toBe("Review | Members: Chief, Notes | Host: Chief");
  });

  test("does nothing for an archived group, a lost channel, or nobody", async () => {
    const { chat, storage, review, editor, topics, ...services } = await scene();
    await storage.agents.update(editor.id, { channelId: null });
    chat.dropChannel(placeOf(review).channelId);
    const old = await addGroup(
      { ...services, chat, storage, topics },
      { displayName: "Old", members: [editor], archivedAtMs: 1 },
    );
    topics.groupChanged(old.id);
    topics.agentChanged(editor.id);
    await topics.onIdle();
    expect(chat.calls).toEqual([]);
  });

  test("tries again after a pause when Discord is in trouble", async () => {
    const { topics, chat, clock, review, channelId } = await scene();
    chat.failNext("setTopic", away());
    topics.groupChanged(review.id);
    await clock.advance(59_999);
    expect(chat.topic(channelId)).toBe("");
    await clock.advance(1);
    await topics.onIdle();
    expect(chat.topic(channelId)).toBe(TOPIC);
    expect(chat.effectsOf("announce")).toEqual([]);
  });

  test("waits at least as long as Discord asks", async () => {
    const { topics, chat, clock, review, channelId } = await scene();
    const limited = new ChatError("rate-limited", "Too many changes.", { retryAfterMs: 400_000 });
    chat.failNext("setTopic", limited);
    topics.groupChanged(review.id);
    await clock.advance(399_999);
    expect(chat.topic(channelId)).toBe("");
    await clock.advance(1);
    await topics.onIdle();
    expect(chat.topic(channelId)).toBe(TOPIC);
  });

  test("gives up after the third time, tells it in the channel and logs each time", async () => {
    const { topics, chat, clock, log, review, channelId } = await scene();
    for (let time = 0; time < 3; time += 1) chat.failNext("setTopic", away());
    topics.groupChanged(review.id);
    await clock.advance(600_000);
    await topics.onIdle();
    expect(chat.lines({ channelId })).toEqual([
      "(bot) -# I cannot change this topic: Discord is away.",
    ]);
    expect(log.messages("warn")).toEqual(Array(3).fill("a topic was not changed"));
  });

  test("tells a missing permission once, and again only after a change has succeeded", async () => {
    const { topics, chat, storage, review, channelId } = await scene();
    const change = async (displayName: string, error: Error | null) => {
      await storage.groups.update(review.id, { displayName });
      if (error !== null) chat.failNext("setTopic", error);
      chat.forgetNonces();
      topics.groupChanged(review.id);
      await topics.onIdle();
      return chat.lines({ channelId }).length;
    };
    expect(await change("One", forbidden())).toBe(1);
    expect(await change("Two", forbidden())).toBe(1);
    expect(await change("Three", null)).toBe(1);
    expect(await change("Four", forbidden())).toBe(2);
  });

  test("says nothing in a channel that is gone", async () => {
    const { topics, chat, review } = await scene();
    chat.failNext("setTopic", new ChatError("gone", "The channel is gone."));
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.calls).toEqual(["setTopic"]);
  });

  test("survives that it cannot even tell the failure", async () => {
    const { topics, chat, log, review, channelId } = await scene();
    chat.failNext("setTopic", forbidden());
    chat.failNext("announce", forbidden());
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(log.messages("warn")).toContain("that a topic was not changed could not be said");
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.topic(channelId)).toBe(TOPIC);
  });

  test("logs that the database failed, and goes on with the next change", async () => {
    const { review, ...services } = await scene();
    const { storage, log, chat } = services;
    let isBroken = true;
    const groups = {
      ...storage.groups,
      get: async (id: Group["id"]) => {
        if (isBroken) throw new StorageError("broken", { isTransient: false });
        return storage.groups.get(id);
      },
    };
    const topics = createTopics({ ...services, storage: { ...storage, groups } });
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(log.messages("warn")).toEqual(["a topic was not changed"]);
    isBroken = false;
    topics.groupChanged(review.id);
    await topics.onIdle();
    expect(chat.topic(placeOf(review).channelId)).toBe(TOPIC);
  });
});
