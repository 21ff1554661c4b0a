import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asId, type MessageId } from "../../src/domain/ids.js";
import { conversationOf } from "../../src/domain/message.js";
import type { ReceivedMessage } from "../../src/ports/chat.js";
import { deferred } from "../support/callPlans.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const DELETED = "(bot) -# Stopped: the message that started this was deleted.";
const onlyEditor = json({ researcher: 0, editor: 1 });
const both = json({ researcher: 0.6, editor: 0.9 });

const edit = ({ id, createdAtMs }: ReceivedMessage, text: string) =>
  stage.app.router.edited(id, text, createdAtMs + 1);
const remove = (...ids: readonly MessageId[]) =>
  stage.app.router.deleted(conversationOf(stage.place), ids);
const heardBy = (index: number) => stage.services.model.requests[index]?.messages.at(-1)?.text;

async function begin(text: string): Promise<ReceivedMessage> {
  const received = stage.message(text);
  await stage.app.router.received(received);
  return received;
}

describe("an edit", () => {
  it("of a waiting message counts for its round, names included", async () => {
    const { model } = stage.services;
    const first = deferred<string>();
    model.answerTo("judge", onlyEditor).answerTo("turn", () => first.promise);
    await begin("First");
    await model.requested(2);
    const second = await begin("Secnd");
    await edit(second, "Second, @Researcher");
    model.answerTo("judge", json({ editor: 0, researcher: 0 })).answerTo("turn", "Named.");
    first.resolve("One.");
    await stage.app.onIdle();
    expect(heardBy(2)).toContain("New messages:\n[Ana (person)] Second, @Researcher");
    expect(stage.lines()).toEqual(["Editor: One.", "Researcher: Named."]);
  });

  it("while somebody writes is seen by those still to come", async () => {
    const { model } = stage.services;
    const first = deferred<string>();
    model.answerTo("judge", both).answerTo("turn", () => first.promise, "Seen.");
    const question = await begin("What is 1+1?");
    await model.requested(2);
    await edit(question, "What is 2+2?");
    first.resolve("Two.");
    await stage.app.onIdle();
    expect(heardBy(1)).toBe("[Ana (person)] What is 1+1?");
    expect(heardBy(2)).toBe("[Ana (person)] What is 2+2?\n[Researcher] Two.");
  });

  it("of an answered message starts nothing, also when it names somebody now, and shows later", async () => {
    const { model } = stage.services;
    model.answerTo("judge", onlyEditor).answerTo("turn", "Yes.");
    const question = await stage.say("Is it?");
    await edit(question, "Is it, @Researcher?");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Yes."]);
    model.answerTo("judge", json({ researcher: 1, editor: 0 })).answerTo("turn", "Now me.");
    await stage.say("Go on");
    expect(heardBy(3)).toBe(
      "[Ana (person)] Is it, @Researcher?\n[Editor] Yes.\n[Ana (person)] Go on",
    );
  });

  it("of a message that was never received is passed over", async () => {
    await stage.app.router.edited(asId<MessageId>("1200000000000000000"), "Hello", 1);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([]);
  });
});

describe("a deletion", () => {
  it("of a waiting message means that it starts nothing and is in no prompt", async () => {
    const { model } = stage.services;
    const first = deferred<string>();
    model.answerTo("judge", both).answerTo("turn", () => first.promise, "Two.");
    await begin("First");
    await model.requested(2);
    const waiting = [await begin("Never"), await begin("mind")];
    await remove(...waiting.map(({ id }) => id));
    first.resolve("One.");
    await stage.app.onIdle();
    expect(heardBy(2)).toBe("[Ana (person)] First\n[Researcher] One.");
    expect(stage.lines()).toEqual(["Researcher: One.", "Editor: Two."]);
  });

  it("of one of several triggers lets the round go on for the others", async () => {
    const { model } = stage.services;
    const first = deferred<string>();
    model.answerTo("judge", onlyEditor).answerTo("turn", () => first.promise);
    await begin("First");
    await model.requested(2);
    const waiting = [await begin("Oops"), await begin("Second")];
    const second = deferred<string>();
    model.answerTo("judge", both).answerTo("turn", () => second.promise, "Three.");
    first.resolve("One.");
    await model.requested(4);
    await remove(waiting[0]?.id ?? asId("0"));
    second.resolve("Two.");
    await stage.app.onIdle();
    expect(heardBy(3)).toContain("Oops");
    expect(heardBy(4)).not.toContain("Oops");
    expect(stage.lines()).toEqual(["Editor: One.", "Researcher: Two.", "Editor: Three."]);

    model.answerTo("judge", onlyEditor).answerTo("turn", "Four.");
    await stage.say("Third");
    expect(heardBy(5)).not.toContain("Oops");
  });

  it("of every trigger together stops the round", async () => {
    const { model } = stage.services;
    const first = deferred<string>();
    model.answerTo("judge", onlyEditor).answerTo("turn", () => first.promise);
    await begin("First");
    await model.requested(2);
    const waiting = [await begin("Second"), await begin("Third")];
    model.answerTo("judge", HANG);
    first.resolve("One.");
    await model.requested(3);
    await remove(...waiting.map(({ id }) => id));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: One.", DELETED]);
  });

  it("of the only trigger stops the judge", async () => {
    stage.services.model.answerTo("judge", HANG);
    const received = await begin("Never mind");
    await stage.services.model.requested(1);
    await remove(received.id);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([DELETED]);
  });

  it("of the only trigger while a reply is posted in parts leaves the parts that stand", async () => {
    const { model, chat } = stage.services;
    model
      .answerTo("judge", both)
      .answerTo("turn", `${"a ".repeat(900)}\n\n${"b ".repeat(900)}\n\n${"c ".repeat(900)}`);
    const held = chat.holdNext("post");
    const received = await begin("Tell me everything");
    await held.reached;
    await remove(received.id);
    held.release();
    await stage.app.onIdle();
    expect(stage.lines().map((line) => line.slice(0, 16))).toEqual([
      "Researcher: a a ",
      DELETED.slice(0, 16),
    ]);
  });

  it("at the moment at which the round opens stops it before anybody is asked", async () => {
    const { storage } = stage.services;
    const open = storage.rounds.open.bind(storage.rounds);
    const received = stage.message("@Editor never mind");
    storage.rounds.open = async (...opening) => {
      await remove(received.id);
      return open(...opening);
    };
    await stage.app.router.received(received);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([DELETED]);
  });

  it("of an agent's message takes it from later prompts; a reply to it still names the agent", async () => {
    const { model, chat } = stage.services;
    model.answerTo("judge", onlyEditor).answerTo("turn", "A bad word.");
    await stage.say("Say something");
    const [shown] = chat.shown(stage.place);
    if (shown === undefined) throw new Error("Nothing was posted.");
    await remove(shown.id);
    model.answerTo("judge", json({ researcher: 0, editor: 0 })).answerTo("turn", "Sorry.");
    await stage.say("Why that?", { replyToId: shown.id });
    expect(stage.lines().at(-1)).toBe("Editor: Sorry.");
    for (const { messages } of model.requests.slice(2)) {
      expect(messages.map(({ text }) => text).join("\n")).not.toContain("A bad word.");
    }
  });
});

describe("an empty message", () => {
  it("is stored and asks nobody", async () => {
    const received = await stage.say(" ");
    expect(await stage.services.storage.messages.get(received.id)).not.toBeNull();
    expect(stage.lines()).toEqual([]);
    expect(await stage.journal()).toEqual([]);
  });
});

describe("typing", () => {
  it("is shown while somebody writes, again every eight seconds, and not after", async () => {
    const { model, chat, clock } = stage.services;
    const reply = deferred<string>();
    model.answerTo("judge", onlyEditor).answerTo("turn", () => reply.promise);
    await begin("Hello?");
    await model.requested(2);
    expect(chat.effectsOf("showTyping")).toHaveLength(1);
    await clock.advance(8_000);
    expect(chat.effectsOf("showTyping")).toHaveLength(2);
    reply.resolve("Hello.");
    await stage.app.onIdle();
    await clock.advance(60_000);
    expect(chat.effectsOf("showTyping")).toHaveLength(2);
  });
});

describe("what happens to a message that is still being stored", () => {
  beforeEach(() => {
    const { messages } = stage.services.storage;
    const record = messages.record.bind(messages);
    messages.record = async (...recorded) => {
      await isStored.promise;
      return record(...recorded);
    };
    isStored = deferred<void>();
  });
  let isStored: ReturnType<typeof deferred<void>>;

  it("an edit waits for it", async () => {
    stage.services.model.answerTo("judge", onlyEditor).answerTo("turn", "Yes.");
    const received = stage.message("Helo");
    const storing = stage.app.router.received(received);
    const editing = edit(received, "Hello");
    isStored.resolve();
    await Promise.all([storing, editing]);
    await stage.app.onIdle();
    expect(heardBy(1)).toBe("[Ana (person)] Hello");
  });

  it("a deletion waits for it, and nobody answers", async () => {
    const received = stage.message("Hello");
    const storing = stage.app.router.received(received);
    const removing = remove(received.id);
    isStored.resolve();
    await Promise.all([storing, removing]);
    await stage.app.onIdle();
    expect(stage.services.model.requests).toEqual([]);
    expect((await stage.services.storage.messages.get(received.id))?.deletedAtMs).not.toBeNull();
  });
});
