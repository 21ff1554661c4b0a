import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openingOf } from "../../src/app/opening.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { conversationOf } from "../../src/domain/message.js";
import type { Round } from "../../src/domain/round/round.js";
import { type Asker, ChatError } from "../../src/ports/chat.js";
import { type RoundStore, StorageError } from "../../src/ports/storage.js";
import { aPerson } from "../support/builders.js";
import { deferred } from "../support/callPlans.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const press = (asker: Asker = aPerson({ name: "Petra" })) =>
  runOperation(roundStop, { ...stage.services, place: stage.place, asker }, {});

describe("a stop", () => {
  it("ends the judging, its model call included", async () => {
    stage.services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await stage.services.model.requested(1);
    expect((await press()).text).toBe("Stopped.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Petra."]);
    expect(stage.services.model.running).toBe(0);
  });

  it.each(["stop", "Stop!", "STOP.", "  stop  "])("is also the message %j", async (word) => {
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await stage.services.model.requested(2);
    const stop = stage.message(word);
    await stage.app.router.received(stop);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
    expect(await stage.services.storage.messages.get(stop.id)).toBeNull();
  });

  it("leaves the parts that were posted and lets no other follow", async () => {
    const { model, chat } = stage.services;
    const paragraph = (letter: string) => letter.repeat(1_500);
    model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", [paragraph("a"), paragraph("b"), paragraph("c")].join("\n\n"));
    chat.holdNext("post").release();
    const second = chat.holdNext("post");
    await stage.app.router.received(stage.message("Long, please"));
    const posts = () => chat.calls.filter((call) => call === "post").length;
    while (posts() < 2) await stage.services.clock.advance(0);
    await press();
    second.release();
    await stage.app.onIdle();
    const kept = stage.lines().map((line) => line.slice(0, 12));
    expect(kept).toEqual(["Editor: aaaa", "Editor: bbbb", "(bot) -# Sto"]);
  });

  it("is written down once, although its message is read again after a restart", async () => {
    const { storage, ids, clock, chat } = stage.services;
    const trigger = stage.message("Hello?");
    const round: Round = {
      id: ids.round(),
      groupId: stage.group.id,
      kind: "open",
      place: stage.place,
      triggerId: trigger.id,
      openedAtMs: clock.now(),
      closedAtMs: null,
    };
    await storage.rounds.open(round, await openingOf(stage.services, stage.group, []));
    const { name, userId } = trigger.author;
    await storage.rounds.append(round.id, 1, [{ type: "stopped", by: name, userId }], {
      atMs: clock.now(),
    });
    const line = chat.holdNext("announce");
    await stage.app.resume();
    await line.reached;
    await stage.app.router.received(stage.message("stop"));
    line.release();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
    expect((await stage.journal()).filter(({ type }) => type === "stopped")).toHaveLength(1);
  });

  it("that is read again leaves alone what begins at that moment", async () => {
    const { mailboxes, clock } = stage.services;
    const gate = deferred<void>();
    const isAborted = new Promise<boolean>((resolve) => {
      mailboxes.run(conversationOf(stage.place), async (signal) => {
        await gate.promise;
        resolve(signal.aborted);
      });
    });
    const read = stage.app.router.caughtUp([stage.message("stop")]);
    for (let turn = 0; turn < 20; turn += 1) await clock.advance(0);
    gate.resolve();
    await read;
    expect(await isAborted).toBe(false);
  });

  it("hides no fault of the step that it ends", async () => {
    await stage.close();
    const storage = await openTestStorage();
    const fault = new StorageError("The journal is full.", { isTransient: false });
    let isFull = false;
    const rounds: RoundStore = {
      ...storage.rounds,
      append: async (...entry) => {
        const [, , events] = entry;
        if (events.some(({ type }) => type === "judged") && isFull) {
          await press();
          throw fault;
        }
        await storage.rounds.append(...entry);
      },
    };
    stage = await openStage({ overrides: { storage: { ...storage, rounds } } });
    isFull = true;
    stage.services.model.answerTo("judge", json({ researcher: 0, editor: 1 }));
    await stage.say("Hello?");
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Petra."]);
    expect(stage.services.log.entries).toContainEqual({
      level: "error",
      fields: { err: fault, roundId: expect.any(String), step: "judge" },
      message: "a stopped step failed",
    });
  });

  it("does not wait for a rate limit to end", async () => {
    const { model, chat } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Soon.");
    chat.failNext("post", new ChatError("rate-limited", "Too fast.", { retryAfterMs: 45_000 }));
    await stage.app.router.received(stage.message("Hello?"));
    while (!chat.calls.includes("post")) await stage.services.clock.advance(0);
    await press();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Petra."]);
  });

  it("leaves the next round to the messages that waited", async () => {
    const { model } = stage.services;
    model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("First"));
    await model.requested(1);
    await stage.app.router.received(stage.message("Second"));
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "To the second.");
    await press();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Petra.", "Editor: To the second."]);
  });

  it("twice at once is one stop", async () => {
    stage.services.model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await stage.services.model.requested(1);
    await Promise.all([press(), press(aPerson({ name: "Bo" }))]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Petra."]);
  });

  it("is answered kindly when nothing runs", async () => {
    expect((await press()).text).toBe("Nothing is running here.");
    await stage.say("stop");
    expect(stage.lines()).toEqual(["(bot) -# Nothing is running here."]);
  });

  it("of the same instant as a message keeps that from being answered", async () => {
    const { router } = stage.app;
    const [question, stop] = [stage.message("Hello?"), stage.message("stop")];
    await Promise.all([router.received(question), router.received(stop)]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
    expect(await stage.services.storage.messages.get(question.id)).not.toBeNull();
  });

  it("that was written while the bot was away ends what was written before it, and nothing else", async () => {
    const { model } = stage.services;
    const written = ["First", "stop", "Second"].map((text) => stage.message(text));
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "To the second.");
    await stage.app.router.caughtUp(written);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana.", "Editor: To the second."]);
    expect(model.lastRequest.messages.at(-1)?.text).toContain("First");
    await stage.app.router.caughtUp(written);
    await stage.app.onIdle();
    expect(stage.lines()).toHaveLength(2);
  });

  it("that is read late ends what was written before it, and not what is answered already", async () => {
    const { model } = stage.services;
    const written = ["First", "stop"].map((text) => stage.message(text));
    const late = deferred<string>();
    model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", () => late.promise);
    await stage.app.router.received(stage.message("Second"));
    await model.requested(2);
    await stage.app.router.caughtUp(written);
    // Told once more, it finds nothing left.
    for (const stop of written.slice(1)) await stage.app.router.received(stop);
    late.resolve("To the second.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana.", "Editor: To the second."]);
  });

  it("is not for somebody who may not write there", async () => {
    await expect(press(aPerson({ canWriteHere: false }))).rejects.toThrow(
      "You need the right to write in this channel",
    );
  });
});
