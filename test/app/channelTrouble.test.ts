import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { stopByButton } from "../../src/app/operations/roundStop.js";
import { StopRound } from "../../src/app/stopping.js";
import { asId, type RoundId } from "../../src/domain/ids.js";
import { ChatError, type ChatErrorKind } from "../../src/ports/chat.js";
import type { Storage } from "../../src/ports/storage.js";
import { aPerson } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

const BOTH = json({ researcher: 0.6, editor: 0.9 });
const trouble = (kind: ChatErrorKind, retryAfterMs: number | null = null) =>
  new ChatError(kind, `This is ${kind}.`, { retryAfterMs });

/** Lets time pass until nothing runs any more. */
async function untilIdle(): Promise<void> {
  const seen = { isIdle: false };
  const idle = stage.app.onIdle().then(() => {
    seen.isIdle = true;
  });
  while (!seen.isIdle) await stage.services.clock.advance(1_000);
  await idle;
}

async function hears(text: string): Promise<void> {
  await stage.app.router.received(stage.message(text));
  await untilIdle();
}

describe("a reply that Discord does not take now", () => {
  it("waits as long as Discord asks, which the status line says", async () => {
    await open({ overrides: { settings: { hasStatusLine: true } } });
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Late.");
    chat.failNext("post", trouble("rate-limited", 45_000));
    await stage.app.router.received(stage.message("Hello?"));
    while (!chat.calls.includes("post")) await clock.advance(100);
    await clock.advance(5_000);
    expect(stage.lines()).toEqual([
      "(bot) -# Discord asks for a pause of 45 seconds; then this goes on",
    ]);
    await untilIdle();
    expect(stage.lines()).toEqual(["Editor: Late."]);
  });

  it("is given up when Discord asks for minutes; nobody else is asked in vain", async () => {
    await open();
    const { model, chat } = stage.services;
    model.answerTo("judge", BOTH).answerTo("turn", "Never shown.");
    chat.failNext("post", trouble("rate-limited", 600_000));
    await hears("Hello?");
    expect(stage.lines()).toEqual([
      "(bot) -# Researcher could not answer: Discord asks for a longer pause; write again later to go on.",
    ]);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "failed" });
  });

  it("waits however long Discord lets the bot do nothing at all, and uses up no round", async () => {
    await open();
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Late.");
    const held = { retryAfterMs: 600_000, holdsAll: true };
    for (let tries = 0; tries < 25; tries += 1) {
      chat.failNext("post", new ChatError("rate-limited", "Nothing goes.", held));
    }
    const beganMs = clock.now();
    await hears("Hello?");
    expect(stage.lines()).toEqual(["Editor: Late."]);
    expect(clock.now() - beganMs).toBeGreaterThan(25 * 600_000 - 1);
    expect((await stage.journal()).map(({ type }) => type)).not.toContain("turnFailed");
  });

  it("is given up after many short pauses, too", async () => {
    await open();
    const { model, chat } = stage.services;
    model.answerTo("judge", BOTH).answerTo("turn", "Never shown.");
    for (let tries = 0; tries < 20; tries += 1) chat.failNext("post", trouble("rate-limited", 0));
    await hears("Hello?");
    expect(stage.lines()).toHaveLength(1);
    expect(chat.calls.filter((call) => call === "post")).toHaveLength(20);
  });

  it("is tried for minutes while Discord is in trouble, and then said once", async () => {
    await open();
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "After a while.");
    for (let tries = 0; tries < 9; tries += 1) chat.failNext("post", trouble("unavailable"));
    const beganMs = clock.now();
    await hears("Hello?");
    expect(stage.lines()).toEqual(["Editor: After a while."]);
    expect(clock.now() - beganMs).toBeGreaterThan(60_000);
  });

  it.each(["unavailable", "unknown"] as const)(
    "fails its turn alone when Discord stays %s",
    async (kind) => {
      await open();
      const { model, chat } = stage.services;
      model.answerTo("judge", BOTH).answerTo("turn", "Lost.", "Said.");
      for (let tries = 0; tries < 11; tries += 1) chat.failNext("post", trouble(kind));
      await hears("Hello?");
      expect(stage.lines()).toEqual([
        "(bot) -# Researcher could not answer: Discord did not take the reply.",
        "Editor: Said.",
      ]);
    },
  );

  it.each(["forbidden", "full"] as const)(
    "says once what stands in the way (%s), and nobody else is asked",
    async (kind) => {
      await open();
      const { model, chat } = stage.services;
      model.answerTo("judge", BOTH).answerTo("turn", "Never shown.");
      chat.failNext("post", trouble(kind));
      await hears("Hello?");
      expect(stage.lines()).toEqual([
        expect.stringMatching(/^\(bot\) -# Researcher could not answer: .*\.$/),
      ]);
    },
  );
});

describe("what the bot has to say", () => {
  const oneReply = { overrides: { settings: { maxReplies: 1 } } };
  const CAP = expect.stringMatching(/^\(bot\) -# Stopped after 1 reply\..* Editor\. Write again/);

  it.each(["before", "after"] as const)(
    "is said once when it is not known whether it was (%s the failure)",
    async (time) => {
      await open(oneReply);
      const { model, chat } = stage.services;
      model.answerTo("judge", BOTH).answerTo("turn", "One.");
      chat.failNext("announce", trouble("unknown"), time);
      await hears("Hello?");
      expect(stage.lines()).toEqual(["Researcher: One.", CAP]);
    },
  );

  it("waits for Discord, too", async () => {
    await open(oneReply);
    const { model, chat } = stage.services;
    model.answerTo("judge", BOTH).answerTo("turn", "One.");
    chat.failNext("announce", trouble("rate-limited", 40_000));
    chat.failNext("announce", trouble("unavailable"));
    await hears("Hello?");
    expect(stage.lines()).toEqual(["Researcher: One.", CAP]);
  });

  it("is in the journal and in the log when it cannot be said, and the round ends", async () => {
    await open(oneReply);
    const { model, chat, log } = stage.services;
    model.answerTo("judge", BOTH).answerTo("turn", "One.");
    chat.failNext("announce", trouble("forbidden"));
    await hears("Hello?");
    expect(stage.lines()).toEqual(["Researcher: One."]);
    expect((await stage.journal()).slice(-2)).toEqual([
      expect.objectContaining({ type: "announced", messageId: null }),
      { type: "closed", outcome: "cap" },
    ]);
    expect(log.messages("error")).toEqual(["notice not posted"]);
  });

  it("after a stop does not hold up the end of the process", async () => {
    await open();
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(1);
    chat.failNext("announce", trouble("rate-limited", 100_000));
    stage.services.mailboxes.abort(
      asId(stage.place.channelId),
      new StopRound({ by: "Ana", userId: null }),
    );
    while (!chat.calls.includes("announce")) await clock.advance(0);
    let isStopped = false;
    const stopping = stage.app.stop().then(() => {
      isStopped = true;
    });
    await clock.advance(21_000);
    await stopping;
    expect(isStopped).toBe(true);
    expect(stage.lines()).toEqual([]);

    const next = createApp({
      ...stage.services,
      mailboxes: createMailboxes(stage.services.log),
    });
    await next.resume();
    await next.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });
});

describe("a stop that comes late", () => {
  it("hits only the round that it is meant for", async () => {
    await open();
    const { model, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "The first.");
    await stage.say("First");
    const first = await storage.rounds.latest(asId(stage.place.channelId));
    model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Second"));
    await model.requested(3);
    const second = await storage.rounds.latest(asId(stage.place.channelId));
    const press = async (id: RoundId | undefined, asker = aPerson()) =>
      (await stopByButton({ ...stage.services, place: stage.place, asker }, id ?? "")).text;

    expect(await press(first?.id)).toBe(
      "What this button was for is over. Something else runs here now, which `/round_stop` stops.",
    );
    await expect(press(asId("round-9999"))).rejects.toThrow(/not there any more/);
    await expect(press(second?.id, aPerson({ canWriteHere: false }))).rejects.toThrow(
      "You need the right to write in this channel",
    );
    expect(model.running).toBe(1);
    expect(await press(second?.id)).toBe("Stopped.");
    await stage.app.onIdle();
    expect(model.running).toBe(0);
  });

  it("because its message was deleted does not end the round after it", async () => {
    // The deletion is still being looked at when its round ends and the next one begins.
    const held = { isHeld: false, release: (): void => undefined };
    const isReleased = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    const storage = await openTestStorage();
    const rounds: Storage["rounds"] = {
      ...storage.rounds,
      async journal(id) {
        const entries = await storage.rounds.journal(id);
        if (held.isHeld || entries.length < 2) return entries;
        held.isHeld = true;
        await isReleased;
        return entries;
      },
    };
    await open({ overrides: { storage: { ...storage, rounds } } });
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", HANG);
    const first = stage.message("First");
    await stage.app.router.received(first);
    await model.requested(2);
    const deletion = stage.app.router.deleted(asId(stage.place.channelId), [first.id]);
    while (!held.isHeld) await stage.services.clock.advance(0);
    stage.services.mailboxes.abort(
      asId(stage.place.channelId),
      new StopRound({ by: "Ana", userId: null }),
    );
    await stage.app.onIdle();
    model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Second"));
    await model.requested(3);
    held.release();
    await deletion;
    expect(model.running).toBe(1);
    stage.services.mailboxes.abort(
      asId(stage.place.channelId),
      new StopRound({ by: "Ana", userId: null }),
    );
  });
});
