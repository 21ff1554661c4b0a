import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { removeStrayStatusLine } from "../../src/app/statusLine.js";
import { ChatError } from "../../src/ports/chat.js";
import { processEnd } from "../support/processEnd.js";
import { HANG, json, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ overrides: { settings: { hasStatusLine: true } } });
});
afterEach(async () => {
  await stage.close();
});

/** An answer that comes when the test says so. */
function later(): { readonly answer: Scripted; readonly give: (text: string) => void } {
  let give: (text: string) => void = () => undefined;
  const text = new Promise<string>((resolve) => {
    give = resolve;
  });
  return { answer: () => text, give };
}

describe("the status line", () => {
  it("says who writes and how many wait, is changed rather than repeated, and goes at the end", async () => {
    const { model, chat, clock } = stage.services;
    const [first, second] = [later(), later()];
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", first.answer, second.answer);
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    await clock.advance(3_000);
    expect(stage.lines()).toEqual(["(bot) -# **Researcher** is writing · 1 waiting"]);
    first.give("One.");
    await model.requested(3);
    await clock.advance(3_000);
    expect(stage.lines()).toEqual(["(bot) -# **Editor** is writing", "Researcher: One."]);
    second.give("Two.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Researcher: One.", "Editor: Two."]);
    const [line] = chat.effectsOf("announce");
    expect(line?.announcement).toMatchObject({ isSilent: true, buttons: [{ label: "Stop" }] });
    expect(chat.effectsOf("announce")).toHaveLength(1);
    expect(await stage.services.storage.statusLines.list()).toEqual([]);
  });

  it("is changed soon after it was posted, then no more often than Discord takes", async () => {
    const { model, chat, clock } = stage.services;
    const [verdict, first, second] = [later(), later(), later()];
    model.answerTo("judge", verdict.answer).answerTo("turn", first.answer, second.answer);
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(1);
    await clock.advance(0);
    verdict.give(JSON.stringify({ researcher: 0.6, editor: 0.9 }));
    await model.requested(2);
    const changes = () => chat.effectsOf("editAnnouncement").length;
    await clock.advance(499);
    expect(changes()).toBe(0);
    await clock.advance(1);
    expect(changes()).toBe(1);
    first.give("One.");
    await model.requested(3);
    await clock.advance(1_249);
    expect(changes()).toBe(1);
    await clock.advance(1);
    expect(changes()).toBe(2);
    second.give("Two.");
    await stage.app.onIdle();
  });

  it("is taken away at the next start when the process was killed", async () => {
    const { model, chat, storage, clock } = stage.services;
    model.answerTo("judge", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(1);
    await clock.advance(0);
    expect(stage.lines()).toHaveLength(1);

    const again = createApp({
      ...stage.services,
      settings: { ...stage.services.settings, hasStatusLine: false },
      mailboxes: createMailboxes(stage.services.log),
    });
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Back.");
    await again.resume();
    await again.onIdle();
    expect(stage.lines()).toEqual(["Editor: Back."]);
    expect(await storage.statusLines.list()).toEqual([]);
    expect(chat.effectsOf("remove")).toHaveLength(1);
    // The first process is beyond saving: what it still does must not be waited for.
    stage.services.mailboxes.abortAll(processEnd());
  });

  it("is found by its button when its id was not stored any more", async () => {
    const { chat, storage } = stage.services;
    const trigger = stage.message("Hello?");
    const buttonId = "stop:some-round";
    await chat.announce(
      {
        place: stage.place,
        text: "-# Deciding who answers …",
        buttons: [{ id: buttonId, label: "Stop", style: "danger" }],
        isSilent: true,
        nonce: "n",
        isDoubtful: false,
        afterId: null,
      },
      new AbortController().signal,
    );
    await storage.statusLines.set({
      place: stage.place,
      buttonId,
      afterId: trigger.id,
      messageId: null,
    });
    await stage.app.resume();
    expect(stage.lines()).toEqual([]);
  });

  it("is taken away after a long pause that Discord asks for", async () => {
    const { model, chat, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Said.");
    const held = new ChatError("rate-limited", "Later.", { retryAfterMs: 600_000 });
    chat.failNext("remove", held);
    await stage.say("Hello?");
    await clock.advance(599_000);
    expect(chat.calls.filter((call) => call === "remove")).toHaveLength(1);
    await clock.advance(1_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Said."]);
  });

  it("holds nothing up when Discord does not take it", async () => {
    const { model, chat } = stage.services;
    chat.failNext("announce", new ChatError("forbidden", "No."));
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Anyway.");
    await stage.say("Hello?");
    expect(stage.lines()).toEqual(["Editor: Anyway."]);
  });

  it("that comes up when it was given up already is taken away", async () => {
    const { chat, storage } = stage.services;
    const buttonId = "stop:some-round";
    const messageId = await chat.announce(
      {
        place: stage.place,
        text: "-# Deciding who answers …",
        buttons: [{ id: buttonId, label: "Stop", style: "danger" }],
        isSilent: true,
        nonce: "n",
        isDoubtful: false,
        afterId: null,
      },
      new AbortController().signal,
    );
    const shown = { place: stage.place, messageId, buttonIds: [buttonId] };
    const line = { place: stage.place, buttonId, afterId: messageId, messageId: null };
    await storage.statusLines.set(line);
    await removeStrayStatusLine(stage.services, { ...shown, buttonIds: ["why:some-round"] });
    await removeStrayStatusLine(stage.services, shown);
    expect(stage.lines()).toHaveLength(1);
    await storage.statusLines.remove(buttonId);
    await removeStrayStatusLine(stage.services, shown);
    expect(stage.lines()).toEqual([]);
  });

  it("is taken away later when that fails at first", async () => {
    const { model, chat, clock } = stage.services;
    chat.failNext("remove", new ChatError("unavailable", "Down."));
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Yes.");
    await stage.say("Hello?");
    expect(stage.lines()).toHaveLength(2);
    await clock.advance(1_500);
    while (stage.lines().length > 1) await clock.advance(0);
    expect(stage.lines()).toEqual(["Editor: Yes."]);
  });
});
