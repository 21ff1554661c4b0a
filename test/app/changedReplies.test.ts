import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteReply } from "../../src/app/deleteReply.js";
import type { Answer, OperationContext } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { sentenceOf } from "../../src/app/report.js";
import { sayAgain } from "../../src/app/sayAgain.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import { asId, type MessageId, type UserId } from "../../src/domain/ids.js";
import { type Asker, ChatError } from "../../src/ports/chat.js";
import { ModelError } from "../../src/ports/model.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG, json, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
const ANA = aPerson({ name: "Ana", userId: asId<UserId>("800000000000000009") });
const OTHER =
  "Only managers (people with Manage Channels, or with a manager role) and the person whose message this answers can do that.";
const NO_REPLY = "This works only on an agent's reply.";

beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

type Menu = (context: OperationContext, messageId: MessageId) => Promise<Answer>;

const use = (menu: Menu, messageId: MessageId, asker: Asker = ANA) =>
  menu({ ...stage.services, asker, place: stage.place }, messageId);

/** What the person reads in the end. */
async function told(menu: Menu, messageId: MessageId, asker?: Asker): Promise<string> {
  try {
    const answer = await use(menu, messageId, asker);
    return (await answer.later)?.text ?? answer.text;
  } catch (error) {
    return sentenceOf(error);
  }
}

/** The messages in the channel, in their order. */
const ids = () => stage.services.chat.shown(stage.place).map(({ id }) => id);

function idAt(index: number): MessageId {
  const id = ids().at(index);
  if (id === undefined) throw new Error(`There is no message ${index} in the channel.`);
  return id;
}

/** Editor answers Ana with this; gives the id of its last message. */
async function answered(...replies: readonly Scripted[]): Promise<MessageId> {
  stage.services.model
    .answerTo("judge", json({ researcher: 0, editor: 1 }))
    .answerTo("turn", ...replies);
  await stage.say("Well?");
  return idAt(-1);
}

/** Editor answers Ana again; gives what it heard, its own replies included. */
async function heardNext(): Promise<readonly string[]> {
  const { model } = stage.services;
  model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Next.");
  await stage.say("And now?");
  return model.lastRequest.messages.slice(1).map(({ text }) => text);
}

const paragraphs = (count: number, word = "word") =>
  Array.from({ length: count }, (_, index) => `${word}${index} ${"x ".repeat(900)}`.trim()).join(
    "\n\n",
  );

describe.each([
  ["Delete", deleteReply],
  ["Say it again", sayAgain],
] as const)("%s", (_, menu) => {
  it("is for who started the round and for managers, not for others", async () => {
    const { model } = stage.services;
    const reply = await answered("First.");
    expect(await told(menu, reply, aPerson())).toBe(OTHER);
    if (menu === sayAgain) model.answerTo("turn", "Second.");
    expect(await told(menu, reply, aManager())).not.toBe(OTHER);
    const another = await answered("Third.");
    if (menu === sayAgain) model.answerTo("turn", "Fourth.");
    expect(await told(menu, another)).not.toBe(OTHER);
  });

  it("is no longer for a starter who may not talk here", async () => {
    const reply = await answered("First.");
    expect(await told(menu, reply, { ...ANA, canWriteHere: false })).toBe(OTHER);
  });

  it("works on messages of agents only", async () => {
    const person = await stage.say("!gc list");
    const { model, chat } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", new ModelError("timeout", "slow"));
    const trigger = await stage.say("Hello?");
    expect(chat.lines(stage.place)).toHaveLength(2);
    for (const id of [person.id, trigger.id, idAt(0), asId<MessageId>("1")]) {
      expect(await told(menu, id, aManager())).toBe(NO_REPLY);
    }
  });

  it("says that a message is gone", async () => {
    const reply = await answered("First.");
    await stage.app.router.deleted(asId(stage.place.channelId), [reply]);
    expect(await told(menu, reply)).toBe("This message is gone.");
  });

  it("does not reach into other channels", async () => {
    const reply = await answered("First.");
    const elsewhere = { ...stage.place, channelId: stage.services.chat.addChannel() };
    const context = { ...stage.services, asker: aManager(), place: elsewhere };
    await expect(menu(context, reply)).rejects.toThrow(NO_REPLY);
  });
});

describe("Delete", () => {
  it("removes the whole reply, by whichever of its messages, also from later prompts", async () => {
    await answered(paragraphs(3));
    expect(ids()).toHaveLength(3);
    expect(await told(deleteReply, idAt(1))).toBe(
      "Deleted, here and in what the agents see from now on.",
    );
    expect(stage.lines()).toEqual([]);
    expect(await heardNext()).toEqual(["[Ana (person)] Well?\n[Ana (person)] And now?"]);
  });

  it("leaves the other replies of the round", async () => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0.6, editor: 1 }))
      .answerTo("turn", "Mine.", "Yours.");
    await stage.say("Well?");
    await told(deleteReply, idAt(0));
    expect(stage.lines()).toEqual(["Editor: Yours."]);
  });

  it("takes a message that is gone in Discord for deleted", async () => {
    await answered(paragraphs(2));
    stage.services.chat.dropMessage(idAt(0));
    expect(await told(deleteReply, idAt(0))).toMatch(/^Deleted/);
    expect(stage.lines()).toEqual([]);
  });

  it("says why Discord does not do it, and can be tried again for the rest", async () => {
    const { chat } = stage.services;
    await answered(paragraphs(3));
    const held = chat.holdNext("remove");
    chat.failNext("remove", new ChatError("forbidden", "The bot may not delete."));
    const last = idAt(2);
    const answer = told(deleteReply, last);
    await held.reached;
    held.release();
    expect(await answer).toBe("The bot may not delete.");
    expect(stage.lines()).toHaveLength(2);
    const heard = await heardNext();
    expect(heard[1]).not.toContain("word0");
    expect(heard[1]).toContain("word1");
    expect(await told(deleteReply, last)).toMatch(/^Deleted/);
    expect(stage.lines()).toEqual(["Editor: Next."]);
  });

  it("waits for a reply that is still being posted", async () => {
    const { model, chat } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", paragraphs(2));
    const first = chat.holdNext("post");
    const second = chat.holdNext("post");
    await stage.app.router.received(stage.message("Well?"));
    await first.reached;
    first.release();
    await second.reached;
    expect(await told(deleteReply, idAt(0))).toBe(
      "This reply is still being posted; try again in a moment, or stop it with `/round_stop`.",
    );
    second.release();
    await stage.app.onIdle();
    expect(stage.lines()).toHaveLength(2);
  });

  it("by hand of one part leaves the other parts in prompts", async () => {
    await answered(paragraphs(2));
    await stage.app.router.deleted(asId(stage.place.channelId), [idAt(0)]);
    const heard = await heardNext();
    expect(heard[1]).not.toContain("word0");
    expect(heard[1]).toContain("word1");
  });
});

describe("Say it again", () => {
  it("has the agent answer the same point anew, in place, and keeps both texts", async () => {
    const { model, storage, chat } = stage.services;
    const reply = await answered("First.");
    model.answerTo("judge", json({ researcher: 1, editor: 0 })).answerTo("turn", "Later.");
    await stage.say("Another thing");
    const editor = stage.agents["Editor"];
    if (editor === undefined) throw new Error("There is no Editor.");
    await storage.agents.update(editor.id, { prompt: "Be blunt." });

    model.answerTo("turn", "Editor: Second, @Researcher.");
    const answer = await use(sayAgain, reply);
    expect(answer.text).toBe("**Editor** is writing it again…");
    expect((await answer.later)?.text).toBe("**Editor** has said it again.");

    expect(stage.lines()).toEqual(["Editor: Second, @Researcher.", "Researcher: Later."]);
    const [system, ...heard] = model.lastRequest.messages;
    expect(system?.text).toContain("Be blunt.");
    expect(heard).toEqual([{ role: "user", text: "[Ana (person)] Well?" }]);
    expect(chat.effectsOf("post")).toHaveLength(2);
    expect(await storage.messages.get(reply)).toMatchObject({ text: "Second, @Researcher." });
    expect(await storage.messages.formerTexts(reply)).toEqual(["First."]);
    const said = await heardNext();
    expect(said.join("\n")).toContain("Second, @Researcher.");
    expect(said.join("\n")).not.toContain("First.");
  });

  it("counts the call for the round and for the person who wanted it", async () => {
    const reply = await answered("First.");
    stage.services.model.answerTo("turn", "Second.");
    await told(sayAgain, reply, aManager());
    const { storage } = stage.services;
    const round = await storage.rounds.ofMessage(reply);
    if (round === null) throw new Error("There is no round.");
    expect((await storage.usage.ofRound(round.id)).at(-1)).toMatchObject({
      purpose: "turn",
      userId: aManager().userId,
      agentId: stage.agents["Editor"]?.id,
      outcome: "ok",
    });
  });

  it("leaves out what was said after the agent had listened, and what was deleted since", async () => {
    const { model } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 1 }))
      .answerTo("turn", "Mine.", "Yours.");
    await stage.say("Well?");
    await told(deleteReply, idAt(0));
    model.answerTo("turn", "Yours, again.");
    await told(sayAgain, idAt(0));
    expect(model.lastRequest.messages.at(-1)?.text).toBe("[Ana (person)] Well?");
  });

  it("removes the parts that a shorter text does not need", async () => {
    const { model } = stage.services;
    await answered(paragraphs(3));
    model.answerTo("turn", "Short.");
    await told(sayAgain, idAt(2));
    expect(stage.lines()).toEqual(["Editor: Short."]);
    expect(await heardNext()).toEqual([
      "[Ana (person)] Well?",
      "Short.",
      "[Ana (person)] And now?",
    ]);
  });

  it("attaches the whole where a longer text has no messages left, and takes the file away again", async () => {
    const { model, chat } = stage.services;
    await answered(paragraphs(2, "old"));
    const long = paragraphs(4, "new");
    model.answerTo("turn", long);
    await told(sayAgain, idAt(0));
    const [first, second, ...more] = chat.shown(stage.place);
    if (first?.by !== "persona" || second?.by !== "persona") throw new Error("no reply");
    expect(more).toEqual([]);
    expect(first.post).toMatchObject({ file: null });
    expect(first.post.text).toMatch(/^new0/);
    expect(second.post.file).toEqual({ name: "editor.md", text: long });
    expect(second.post.text).toMatch(/^new1 .*\n-# The whole reply is in the attached file\.$/s);
    expect((await heardNext())[1]).toBe(long);

    model.answerTo("turn", "Short.");
    await told(sayAgain, first.id);
    const [again] = chat.shown(stage.place);
    expect(again).toMatchObject({ post: { text: "Short.", file: null } });
  });

  it("waits for the round that is running, and a round waits for it", async () => {
    const { model } = stage.services;
    const reply = await answered("First.");
    let release: (text: string) => void = () => undefined;
    const busy = new Promise<string>((resolve) => {
      release = resolve;
    });
    model
      .answerTo("judge", json({ researcher: 1, editor: 0 }))
      .answerTo("turn", () => busy, "Second.")
      .answerTo("judge", json({ researcher: 1, editor: 0 }))
      .answerTo("turn", "Third.");
    await stage.app.router.received(stage.message("Busy?"));
    await model.requested(4);
    const answer = await use(sayAgain, reply);
    expect(answer.text).toBe(
      "**Editor** says it again as soon as what is going on here has ended.",
    );
    await stage.app.router.received(stage.message("And then?"));
    release("Busy.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Second.", "Researcher: Busy.", "Researcher: Third."]);
    expect((await answer.later)?.text).toBe("**Editor** has said it again.");
  });

  it("happens once when it was pressed twice", async () => {
    const { model, storage } = stage.services;
    const reply = await answered("First.");
    model.answerTo("turn", "Second.");
    const both = [await use(sayAgain, reply), await use(sayAgain, reply)];
    expect(await Promise.all(both.map(async ({ later }) => (await later)?.text))).toEqual([
      "**Editor** has said it again.",
      "It has just been said again.",
    ]);
    expect(await storage.messages.formerTexts(reply)).toEqual(["First."]);
  });

  it.each([
    ["the model fails", [new ModelError("timeout", "slow")], "The model took too long to answer."],
    [
      "there is nothing to say",
      ["", "Editor:"],
      "**Editor** could not answer: its model gave an empty answer twice.",
    ],
  ])("leaves the old text when %s", async (_, replies, sentence) => {
    const reply = await answered("First.");
    stage.services.model.answerTo("turn", ...replies);
    expect(await told(sayAgain, reply)).toBe(`${sentence} The old text stays.`);
    expect(stage.lines()).toEqual(["Editor: First."]);
    expect((await heardNext())[1]).toBe("First.");
  });

  it.each([
    ["gone", "The webhook that posted this message is not there any more."],
    ["forbidden", "The bot may not."],
  ] as const)("leaves the old text when Discord says %s", async (kind, detail) => {
    const reply = await answered("First.");
    stage.services.model.answerTo("turn", "Second.");
    stage.services.chat.failNext("editPost", new ChatError(kind, detail));
    expect(await told(sayAgain, reply)).toBe(`${detail} The old text stays.`);
    expect(stage.lines()).toEqual(["Editor: First."]);
    expect(await stage.services.storage.messages.formerTexts(reply)).toEqual([]);
  });

  it("tries again when Discord is in trouble, and does not stop half-way", async () => {
    const { model, chat, clock } = stage.services;
    await answered(paragraphs(2, "old"));
    model.answerTo("turn", paragraphs(2, "new"));
    chat.failNext("editPost", new ChatError("unknown", "The connection broke."), "after");
    chat.failNext("editPost", new ChatError("rate-limited", "A pause.", { retryAfterMs: 4_000 }));
    const answer = await use(sayAgain, idAt(0));
    while (!chat.calls.includes("editPost")) await clock.advance(0);
    await clock.advance(1_000);
    await clock.advance(4_000);
    expect((await answer.later)?.text).toBe("**Editor** has said it again.");
    expect(stage.lines().map((line) => line.slice(0, 12))).toEqual([
      "Editor: new0",
      "Editor: new1",
    ]);
  });

  it("says so when only its beginning could be changed, and prompts show what stands there", async () => {
    const { model, chat } = stage.services;
    await answered(paragraphs(2, "old"));
    model.answerTo("turn", paragraphs(2, "new"));
    const held = chat.holdNext("editPost");
    chat.failNext("editPost", new ChatError("blocked", "A filter."));
    const answer = await use(sayAgain, idAt(0));
    await held.reached;
    held.release();
    expect((await answer.later)?.text).toBe("A filter. The beginning is new, the rest is old.");
    const heard = (await heardNext())[1];
    expect(heard).toContain("new0");
    expect(heard).toContain("old1");
  });

  it("is stopped like a round, the model call included", async () => {
    const { model } = stage.services;
    const reply = await answered("First.");
    model.answerTo("turn", HANG);
    const answer = await use(sayAgain, reply);
    await model.requested(3);
    const stopped = await roundStop.run({ ...stage.services, asker: ANA, place: stage.place }, {});
    expect(stopped.text).toBe("Stopped.");
    expect((await answer.later)?.text).toBe("Stopped. The old text stays.");
    expect(model.running).toBe(0);
    expect(stage.lines()).toEqual(["Editor: First."]);
  });

  it("ends with the process, and does not begin while it ends", async () => {
    const { model, mailboxes } = stage.services;
    const reply = await answered("First.");
    model.answerTo("turn", HANG);
    const running = await use(sayAgain, reply);
    const waiting = await use(sayAgain, reply);
    await model.requested(3);
    mailboxes.beginClosing();
    mailboxes.abortAll(new ShuttingDown());
    for (const { later } of [running, waiting]) {
      expect((await later)?.text).toBe("I am being restarted. The old text stays.");
    }
  });

  it("gives up when the reply is deleted meanwhile", async () => {
    const { model } = stage.services;
    const reply = await answered("First.");
    let release: (text: string) => void = () => undefined;
    const text = new Promise<string>((resolve) => {
      release = resolve;
    });
    model.answerTo("turn", () => text);
    const answer = await use(sayAgain, reply);
    await model.requested(3);
    expect(await told(deleteReply, reply)).toMatch(/^Deleted/);
    release("Second.");
    expect((await answer.later)?.text).toBe("This reply is gone.");
    expect(stage.lines()).toEqual([]);
  });

  it("is not for an agent that is muted, has left, or whose group is archived", async () => {
    const { storage } = stage.services;
    const reply = await answered("First.");
    const editor = stage.agents["Editor"];
    const researcher = stage.agents["Researcher"];
    if (editor === undefined || researcher === undefined) throw new Error("no agents");
    await storage.groups.setMuted(stage.group.id, editor.id, true);
    expect(await told(sayAgain, reply)).toBe("**Editor** is muted here; `/unmute` brings it back.");
    await storage.groups.update(stage.group.id, {
      members: [researcher.id],
      hostId: researcher.id,
    });
    expect(await told(sayAgain, reply)).toBe("**Editor** is no longer a member of this group.");
    expect(stage.services.model.requests).toHaveLength(2);
  });
});
