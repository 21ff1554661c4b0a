import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { ChatError } from "../../src/ports/chat.js";
import { ModelError } from "../../src/ports/model.js";
import { processEnd } from "../support/processEnd.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

beforeEach(() => open());
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

describe("a round", () => {
  it("lets the chosen members answer, the most relevant last, and hides nothing from the later one", async () => {
    const { model } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", "It is from 1912.")
      .answerTo("turn", "Then write 1912.");
    await stage.say("When was that?");

    expect(stage.lines()).toEqual(["Researcher: It is from 1912.", "Editor: Then write 1912."]);
    expect(model.lastRequest.messages.at(-1)?.text).toBe(
      "[Ana (person)] When was that?\n[Researcher] It is from 1912.",
    );
    expect(model.requests[0]?.model).toBe("test-judge");
    expect(model.lastRequest.model).toBe("test-model");
  });

  it("starts once for a message that arrives twice", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "Yes.");
    const received = await stage.say("Is it?");
    await stage.app.router.received(received);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Yes."]);
  });

  it("does not ask the judge when everybody is named", async () => {
    stage.services.model.answerTo("turn", "Here.", "Here too.");
    await stage.say("@Editor and @researcher?");
    expect(stage.lines()).toEqual(["Researcher: Here.", "Editor: Here too."]);
  });

  it("takes a reply to a message of an agent for its name, also after it was renamed", async () => {
    const { model, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "First.");
    await stage.say("Begin");
    const [shown] = stage.services.chat.shown(stage.place);
    const editor = stage.agents["Editor"];
    if (shown === undefined || editor === undefined) throw new Error("nothing was posted");
    await storage.agents.update(editor.id, { displayName: "Wordsmith" });

    model
      .answerTo("judge", json({ researcher: 0.9, editor: 0.1 }))
      .answerTo("turn", "Mine.", "Yours.");
    await stage.say("And this?", { replyToId: shown.id });
    expect(stage.lines().slice(1)).toEqual(["Wordsmith: Mine.", "Researcher: Yours."]);
  });

  it("follows a handoff, and takes every message to the channel's end", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 0.8 }))
      .answerTo("turn", "I need a source, @Researcher.")
      .answerTo("turn", "Here is one.");
    await stage.say("Check this");
    expect(stage.lines()).toEqual([
      "Editor: I need a source, @Researcher.",
      "Researcher: Here is one.",
    ]);
  });

  it("stops after eight replies and says who was not heard", async () => {
    stage.services.model.answerTo("judge", json({ researcher: 0, editor: 1 }));
    for (let i = 0; i < 4; i += 1) {
      stage.services.model.answerTo("turn", `${i} @Researcher`, `${i} @Editor`);
    }
    await stage.say("Go");
    expect(stage.lines()).toHaveLength(9);
    expect(stage.lines().at(-1)).toBe(
      "(bot) -# Stopped after 8 replies. Did not get to speak: Editor. Write again to go on.",
    );
  });

  it("lets the host answer when nobody fits and when the judge could not score", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0.49, editor: 0.2 })).answerTo("turn", "One.");
    await stage.say("Hm");
    model.answerTo("judge", new ModelError("timeout", "slow")).answerTo("turn", "Two.");
    await stage.say("Hm?");
    expect(stage.lines()).toEqual([
      "Researcher: One.",
      "(bot) -# The judge could not score (it took too long), so the host answers.",
      "Researcher: Two.",
    ]);
  });

  it.each([
    ["no JSON", "Editor should answer", "not valid JSON"],
    ["a missing member", json({ editor: 1 }), "researcher"],
    ["a score above 1", json({ editor: 7, researcher: 0 }), "editor"],
    ["something else beside", json({ editor: 1, researcher: 0, ghost: 1 }), "ghost"],
  ])("asks the judge once more after %s", async (_, answer, problem) => {
    const { model } = stage.services;
    model.answerTo("judge", answer, json({ researcher: 0, editor: 1 })).answerTo("turn", "Yes.");
    await stage.say("Well?");
    expect(model.requests[1]?.messages.at(-1)?.text).toContain(problem);
    expect(stage.lines()).toEqual(["Editor: Yes."]);
  });

  it.each([
    ["no JSON", "word ".repeat(100_000)],
    ["a strange name in it", json({ ["x".repeat(500_000)]: 1, researcher: 0, editor: 1 })],
  ])("shows the judge no more than the beginning of a long answer: %s", async (_, answer) => {
    const { model } = stage.services;
    model.answerTo("judge", answer, json({ researcher: 0, editor: 1 })).answerTo("turn", "Yes.");
    await stage.say("Well?");
    const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages).length);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(6_000);
  });

  it("gives up on a judge that is wrong twice", async () => {
    stage.services.model.answerTo("judge", "?", "??").answerTo("turn", "Host here.");
    await stage.say("Well?");
    expect(stage.lines()).toEqual([
      "(bot) -# The judge's answer could not be read, so the host answers.",
      "Researcher: Host here.",
    ]);
  });
});

describe("what is posted", () => {
  it("has no label of its own and no lines of others", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "Editor: I say so.\nResearcher: And I agree.");
    await stage.say("@Editor?");
    expect(stage.lines()).toEqual(["Editor: I say so."]);
  });
});

describe("a failed turn", () => {
  it("is said in one line, and the others go on", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", new ModelError("timeout", "slow"), "I can.");
    await stage.say("Who can?");
    expect(stage.lines()).toEqual([
      "(bot) -# Researcher could not answer: its model took too long.",
      "Editor: I can.",
    ]);
  });

  it("comes only after a model that has nothing to say was asked once more", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
      .answerTo("turn", "  ", "Editor:");
    await stage.say("Who can?");
    expect(stage.lines()).toEqual([
      "(bot) -# Editor could not answer: its model gave an empty answer twice.",
    ]);
  });

  it.each([
    ["\u200b\u2060", "\u200b"],
    ["** **", "||||"],
    ["_ _", "> **\u200b**"],
  ])("comes of a reply of which nothing is shown: %j, %j", async (first, second) => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
      .answerTo("turn", first, second);
    await stage.say("Who can?");
    expect(stage.lines()).toEqual([
      "(bot) -# Editor could not answer: its model gave an empty answer twice.",
    ]);
    const empty = "a model gave an empty answer";
    expect(stage.services.log.messages("warn")).toEqual([empty, empty]);
  });

  it("waits for a busy endpoint once, when the turn's time allows", async () => {
    const { model, clock } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
      .answerTo("turn", new ModelError("rate-limited", "busy", { retryAfterMs: 5_000 }), "Now.");
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    await clock.advance(5_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Now."]);
  });

  it("does not wait longer than the turn may take", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
      .answerTo("turn", new ModelError("rate-limited", "busy", { retryAfterMs: 600_000 }));
    await stage.say("Hello?");
    expect(stage.lines()).toEqual([
      "(bot) -# Editor could not answer: its model is not working just now.",
    ]);
  });
});

describe("messages while a round runs", () => {
  it("are seen by those still to come and start one next round together", async () => {
    const { model, chat } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.5, editor: 0.9 }))
      .answerTo("turn", () => HANG_UNTIL)
      .answerTo("turn", "Seen.")
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "And answered.");
    let release: (text: string) => void = () => undefined;
    const HANG_UNTIL = new Promise<string>((resolve) => {
      release = resolve;
    });
    await stage.app.router.received(stage.message("First"));
    await model.requested(2);
    await stage.app.router.received(stage.message("Second"));
    await stage.app.router.received(stage.message("Third"));
    release("Researching.");
    await stage.app.onIdle();

    expect(stage.lines()).toEqual([
      "Researcher: Researching.",
      "Editor: Seen.",
      "Editor: And answered.",
    ]);
    const seen = model.requests[2]?.messages.at(-1)?.text ?? "";
    expect(seen).toContain("[Ana (person)] Second\n[Ana (person)] Third");
    const judged = model.requests[3]?.messages.at(-1)?.text ?? "";
    expect(judged.split("New messages:\n")[1]).toBe("[Ana (person)] Second\n[Ana (person)] Third");
    expect(chat.effectsOf("announce")).toHaveLength(0);
  });
});

describe("a post whose outcome is unknown", () => {
  const unknown = new ChatError("unknown", "The connection broke.");

  it.each([
    ["is not sent again when it is there", "after"],
    ["is sent again when it is not there", "before"],
  ] as const)("%s", async (_, time) => {
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Once.");
    chat.failNext("post", unknown, time);
    await stage.app.router.received(stage.message("Hello?"));
    while (!chat.calls.includes("post")) await clock.advance(0);
    await clock.advance(2_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Once."]);
    expect(chat.calls.filter((call) => call === "findPost")).toHaveLength(1);
  });

  it("fails the turn when Discord does not take it", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0.5, editor: 0.9 }))
      .answerTo("turn", "Bad words.", "Good words.");
    stage.services.chat.failNext("post", new ChatError("blocked", "A filter."));
    await stage.say("Hello?");
    expect(stage.lines()).toEqual([
      "(bot) -# Researcher could not answer: Discord's filters did not let the reply through.",
      "Editor: Good words.",
    ]);
  });

  it("ends the round when the channel is gone", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0.5, editor: 0.9 }))
      .answerTo("turn", "Too late.");
    stage.services.chat.failNext("post", new ChatError("gone", "No such channel."));
    await stage.say("Hello?");
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "unreachable" });
  });
});

describe("deleting the message that started the round", () => {
  it("stops the round, the model call included", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", HANG);
    const received = stage.message("Never mind");
    await stage.app.router.received(received);
    await model.requested(2);
    await stage.app.router.deleted(stageConversation(), [received.id]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped: the message that started this was deleted."]);
  });
});

function stageConversation() {
  return stage.place.channelId as string as Parameters<Stage["app"]["router"]["deleted"]>[0];
}

describe("after a restart", () => {
  it("goes on where the journal ends, and posts nothing twice", async () => {
    const { model, chat, storage } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.5, editor: 0.9 }))
      .answerTo("turn", "Said before the crash.");
    chat.failNext("post", processEnd(), "after");
    await stage.say("Hello?");
    expect(stage.lines()).toEqual(["Researcher: Said before the crash."]);
    expect(await storage.rounds.unfinished()).toHaveLength(1);

    model.answerTo("turn", "Said after it.");
    await stage.app.resume();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Researcher: Said before the crash.", "Editor: Said after it."]);
    expect(await storage.rounds.unfinished()).toHaveLength(0);
  });

  it("closes a round that is too old with a notice", async () => {
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Hi.");
    chat.failNext("post", processEnd());
    await stage.say("Hello?");
    await clock.advance(16 * 60_000);
    await stage.app.resume();
    await stage.app.onIdle();
    expect(stage.lines()).toHaveLength(1);
    expect(stage.lines()[0]).toMatch(/^\(bot\) .*too old/);
  });

  it("takes up messages that were stored and not answered", async () => {
    await stage.app.stop();
    await stage.app.router.received(stage.message("Anybody?"));
    expect(stage.lines()).toEqual([]);
    const restarted = createApp({
      ...stage.services,
      mailboxes: createMailboxes(stage.services.log),
    });
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "Me.");
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines()).toEqual(["Editor: Me."]);
  });
});

describe("who may talk", () => {
  it("ignores people without the role, also in the transcript", async () => {
    await stage.close();
    await open({ overrides: { settings: { talkRoleIds: ["7" as never] } } });
    const received = await stage.say("Hello?");
    expect(await stage.services.storage.messages.get(received.id)).toBeNull();
    expect(stage.lines()).toEqual([]);
  });

  it("takes `!gc` messages for commands and not for conversation", async () => {
    const received = await stage.say("!gc list");
    expect(await stage.services.storage.messages.get(received.id)).toBeNull();
  });
});
