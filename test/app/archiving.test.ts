import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { archiveAgent, archiveGroup, channelGone, mendChannels } from "../../src/app/archiving.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import type { Agent } from "../../src/domain/agent.js";
import type { Group } from "../../src/domain/group.js";
import { asId, type ThreadId } from "../../src/domain/ids.js";
import { conversationOf } from "../../src/domain/message.js";
import { ChatError } from "../../src/ports/chat.js";
import type { RoundStore } from "../../src/ports/storage.js";
import { addAgent, addGroup, aManager, GUILD, placeOf } from "../support/builders.js";
import { deferred } from "../support/callPlans.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ members: ["Researcher", "Editor", "Critic"] });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const mona = aManager({ name: "Mona" });
const archive = (name: string) => archiveAgent(stage.services, agentCalled(name), mona);
const isArchived = async (owner: Agent | Group) => {
  const { agents, groups } = stage.services.storage;
  const stored = "members" in owner ? await groups.get(owner.id) : await agents.get(owner.id);
  return stored?.archivedAtMs != null;
};
const channelOf = async (owner: Agent | Group) => {
  const { agents, groups } = stage.services.storage;
  const stored = "members" in owner ? await groups.get(owner.id) : await agents.get(owner.id);
  return stored?.channelId;
};

function agentCalled(name: string): Agent {
  const agent = stage.agents[name];
  if (agent === undefined) throw new Error(`There is no ${name}.`);
  return agent;
}

describe("a round in a group that is archived", () => {
  it("stops at once, its model call included, and says why", async () => {
    const { services, group } = stage;
    services.model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 1 }));
    services.model.answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await services.model.requested(2);
    await archiveGroup(services, group, mona);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped: Mona archived this channel."]);
    expect(services.model.running).toBe(0);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "stopped" });
  });

  it("stops in the threads of its channel too", async () => {
    const { services, group } = stage;
    const place = { ...stage.place, threadId: asId<ThreadId>(services.chat.nextId()) };
    services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?", { place }));
    await services.model.requested(1);
    await archiveGroup(services, group, mona);
    await stage.app.onIdle();
    expect(services.chat.lines(place)).toEqual(["(bot) -# Stopped: Mona archived this channel."]);
    expect(stage.lines()).toEqual([]);
  });

  it("stops when the group ends with one of its members", async () => {
    const { services } = stage;
    const [researcher, editor] = [agentCalled("Researcher"), agentCalled("Editor")];
    const pair = await addGroup(services, { displayName: "Pair", members: [researcher, editor] });
    services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?", { place: placeOf(pair) }));
    await services.model.requested(1);
    await archive("Editor");
    await stage.app.onIdle();
    expect(services.chat.lines(placeOf(pair))).toEqual([
      "(bot) -# Stopped: this group was archived, because Mona archived **Editor**.",
    ]);
  });

  it("posts nothing of a reply that was finished before", async () => {
    const { services, group } = stage;
    services.model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 0 }));
    services.model.answerTo("turn", "Soon.");
    services.chat.failNext(
      "post",
      new ChatError("rate-limited", "Too fast.", { retryAfterMs: 45_000 }),
    );
    await stage.app.router.received(stage.message("Hello?"));
    while (!services.chat.calls.includes("post")) await services.clock.advance(0);
    await archiveGroup(services, group, mona);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped: Mona archived this channel."]);
  });

  it("does not go on after a restart", async () => {
    const { services, group } = stage;
    services.model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 0 }));
    services.model.answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await services.model.requested(2);
    services.mailboxes.abortAll(new ShuttingDown());
    await stage.app.onIdle();
    // The process died before it could stop the round.
    await services.storage.archive.archiveGroup(group.id, services.clock.now());
    const restarted = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped: this channel was archived."]);
  });

  it("is not followed by one for what was written meanwhile", async () => {
    const { services, group } = stage;
    services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await services.model.requested(1);
    await stage.app.router.received(stage.message("And this?"));
    await archiveGroup(services, group, mona);
    await stage.app.onIdle();
    await stage.say("Anybody?");
    expect(stage.lines()).toEqual(["(bot) -# Stopped: Mona archived this channel."]);
    expect(await services.storage.messages.pending(conversationOf(stage.place))).toEqual([]);
  });
});

describe("a round with a member that is archived", () => {
  it("tells that it is gone when it is its turn, and lets the others go on", async () => {
    const { model } = stage.services;
    const going = deferred<string>();
    model.answerTo("turn", () => going.promise, "Critic here.");
    await stage.app.router.received(stage.message("@all Hello?"));
    await model.requested(1);
    await archive("Editor");
    going.resolve("Researcher here.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) **Editor** has left the group: it was archived.",
      "Researcher: Researcher here.",
      "(bot) -# Editor could not answer: it is no longer in this group.",
      "Critic: Critic here.",
    ]);
  });

  it("does not post the reply that it was composing", async () => {
    const { model } = stage.services;
    const going = deferred<string>();
    model.answerTo("turn", () => going.promise, "Editor here.", "Critic here.");
    await stage.app.router.received(stage.message("@all Hello?"));
    await model.requested(1);
    await archive("Researcher");
    going.resolve("Too late.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) **Researcher** has left the group: it was archived. **Editor** is the host now.",
      "(bot) -# Researcher could not answer: it is no longer in this group.",
      "Editor: Editor here.",
      "Critic: Critic here.",
    ]);
  });

  it("does not post the reply that waits for a pause of the service", async () => {
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.6, critic: 0.9 }));
    model.answerTo("turn", "Too late.", "Critic here.");
    const pause = new ChatError("rate-limited", "Too fast.", { retryAfterMs: 45_000 });
    chat.failNext("post", pause);
    await stage.app.router.received(stage.message("Hello?"));
    while (!chat.calls.includes("post")) await clock.advance(0);
    await archive("Editor");
    await clock.advance(45_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) **Editor** has left the group: it was archived.",
      "(bot) -# Editor could not answer: it is no longer in this group.",
      "Critic: Critic here.",
    ]);
  });

  it("keeps what was posted although the process died before it was noted", async () => {
    const { services } = stage;
    services.model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 0 }));
    services.model.answerTo("turn", "Just in time.");
    const { rounds } = services.storage;
    const whole = { ...rounds };
    Object.assign(rounds, {
      append: async (...args: Parameters<RoundStore["append"]>) => {
        if (args[2].some(({ type }) => type === "posted")) throw new ShuttingDown();
        await whole.append(...args);
      },
    });
    await stage.say("Hello?");
    Object.assign(rounds, whole);
    await archive("Editor");
    const restarted = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines()).toEqual([
      "Editor: Just in time.",
      "(bot) **Editor** has left the group: it was archived.",
    ]);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "done" });
  });

  it("has another host from the next round on", async () => {
    await archive("Researcher");
    stage.services.model.answerTo("judge", json({ editor: 0, critic: 0 }));
    stage.services.model.answerTo("turn", "I am the host now.");
    await stage.say("Hello?");
    expect(stage.lines()).toEqual([
      "(bot) **Researcher** has left the group: it was archived. **Editor** is the host now.",
      "Editor: I am the host now.",
    ]);
  });
});

describe("a channel that is deleted", () => {
  it("archives its agent with all that follows from it", async () => {
    const { services, group } = stage;
    const [editor, critic] = [agentCalled("Editor"), agentCalled("Critic")];
    const pair = await addGroup(services, { displayName: "Pair", members: [editor, critic] });
    services.chat.dropChannel(placeOf(editor).channelId);
    await channelGone(services, placeOf(editor).channelId);
    expect(await isArchived(editor)).toBe(true);
    expect(await channelOf(editor)).toBeNull();
    expect((await services.storage.groups.get(group.id))?.members).not.toContain(editor.id);
    expect(await isArchived(pair)).toBe(true);
    expect(services.chat.channels.get(placeOf(pair).channelId)?.category).toBe("Archive");
    expect(await services.storage.archive.unmovedChannels(GUILD)).toEqual([]);
    expect(services.log.messages("warn")).toEqual([]);
  });

  it("archives its group and ends the round that runs there", async () => {
    const { services, group, place } = stage;
    services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await services.model.requested(1);
    services.chat.dropChannel(place.channelId);
    await channelGone(services, place.channelId);
    await stage.app.onIdle();
    expect(await isArchived(group)).toBe(true);
    expect(await channelOf(group)).toBeNull();
    expect(await services.storage.rounds.unfinished()).toEqual([]);
    expect(await services.storage.archive.unmovedChannels(GUILD)).toEqual([]);
  });

  it("of something archived is forgotten, and told twice changes nothing", async () => {
    const { services, group, place } = stage;
    await archiveGroup(services, group, mona);
    services.chat.dropChannel(place.channelId);
    await channelGone(services, place.channelId);
    const before = await services.storage.groups.get(group.id);
    await channelGone(services, place.channelId);
    expect(before?.channelId).toBeNull();
    expect(await services.storage.groups.get(group.id)).toEqual(before);
  });

  it("of the coordinator leaves it without a channel, not archived", async () => {
    const { services } = stage;
    const first = await addAgent(services, { displayName: "Coordinator" });
    services.chat.dropChannel(placeOf(first).channelId);
    await channelGone(services, placeOf(first).channelId);
    expect(await services.storage.agents.get(first.id)).toEqual({ ...first, channelId: null });
  });

  it("at the moment of the archiving is nothing that could not be moved", async () => {
    const { services, group, place } = stage;
    services.chat.dropChannel(place.channelId);
    expect(await archiveGroup(services, group, null)).toEqual({ unmoved: [] });
    expect(await services.storage.archive.unmovedChannels(group.guildId)).toEqual([]);
    expect((await services.storage.groups.get(group.id))?.channelId).toBeNull();
  });

  it("is none when the channel is there after all", async () => {
    const { services, group, place } = stage;
    await channelGone(services, place.channelId);
    expect(await isArchived(group)).toBe(false);
  });

  it("is not taken for granted while the service is in trouble", async () => {
    const { services, group, place } = stage;
    services.chat.dropChannel(place.channelId);
    services.chat.failNext("hasChannel", new ChatError("unavailable", "Trouble."));
    await expect(channelGone(services, place.channelId)).rejects.toThrow("Trouble.");
    expect(await isArchived(group)).toBe(false);
  });
});

describe("at the start", () => {
  it("what lost its channel meanwhile is archived, and nothing else", async () => {
    const { services, group } = stage;
    const [researcher, editor] = [agentCalled("Researcher"), agentCalled("Editor")];
    services.chat.dropChannel(placeOf(researcher).channelId);
    services.chat.hideChannel(placeOf(editor).channelId);
    await mendChannels(services, GUILD);
    expect(await isArchived(researcher)).toBe(true);
    expect(await isArchived(editor)).toBe(false);
    expect(await isArchived(group)).toBe(false);
    const asked = () => services.chat.calls.filter((call) => call === "hasChannel").length;
    expect(asked()).toBe(2);
    await mendChannels(services, GUILD);
    expect(asked()).toBe(3);
  });

  it("one channel of which nothing is known keeps no other from being looked at", async () => {
    const { services } = stage;
    const [researcher, editor] = [agentCalled("Researcher"), agentCalled("Editor")];
    services.chat.dropChannel(placeOf(researcher).channelId);
    services.chat.dropChannel(placeOf(editor).channelId);
    services.chat.failNext("hasChannel", new ChatError("unavailable", "Trouble."));
    await mendChannels(services, GUILD);
    expect(await isArchived(researcher)).toBe(false);
    expect(await isArchived(editor)).toBe(true);
    expect(services.log.messages("warn")).toEqual(["whether a channel was deleted is not known"]);
  });

  it("channels that were not moved are moved, once", async () => {
    const { services, group, place } = stage;
    await services.storage.archive.archiveGroup(group.id, services.clock.now());
    await mendChannels(services, GUILD);
    await mendChannels(services, GUILD);
    expect(services.chat.channels.get(place.channelId)?.category).toBe("Archive");
    expect(services.chat.effectsOf("moveChannel")).toHaveLength(1);
  });

  it("a topic that the process died before it was changed is changed", async () => {
    const { services, agents, place } = stage;
    const researcher = agents["Researcher"];
    if (researcher !== undefined) {
      await services.storage.archive.archiveAgent(researcher.id, services.clock.now());
    }
    await mendChannels(services, GUILD);
    await services.topics.onIdle();
    expect(services.chat.topic(place.channelId)).toBe(
      "Review | Members: Editor, Critic | Host: Editor",
    );
    const changes = services.chat.effectsOf("setTopic").length;
    await mendChannels(services, GUILD);
    await services.topics.onIdle();
    expect(services.chat.effectsOf("setTopic")).toHaveLength(changes);
  });

  it("a channel whose owner was not brought back after all returns to the archive", async () => {
    const { services, group, place } = stage;
    await archiveGroup(services, group, mona);
    await services.storage.archive.unsettleChannel(GUILD, place.channelId);
    await services.chat.moveChannel(place.channelId, "Groups", "refuse");
    await mendChannels(services, GUILD);
    expect(services.chat.channels.get(place.channelId)?.category).toBe("Archive");
  });
});
