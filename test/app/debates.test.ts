import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import { STALE_ROUND_MS } from "../../src/domain/limits.js";
import { conversationOf } from "../../src/domain/message.js";
import { ChatError } from "../../src/ports/chat.js";
import { placeOf } from "../support/builders.js";
import { answerLater, castOn, openHosted } from "../support/hostedCast.js";
import { HANG } from "../support/scriptedModel.js";
import type { Stage } from "../support/stage.js";

let stage: Stage;
const { cast } = castOn(() => stage);

beforeEach(async () => {
  stage = await openHosted();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

describe("deleting the command that opened a debate", () => {
  const conversation = () => conversationOf(stage.place);

  it("stops the debate", async () => {
    const { model } = stage.services;
    cast({ Curren: HANG, Ardan: HANG });
    const command = stage.message("!gc debate 3 Hay");
    await stage.app.router.received(command);
    await model.requested(2);
    await stage.app.router.deleted(conversation(), [command.id]);
    await stage.app.onIdle();
    expect(stage.lines().slice(1)).toEqual([
      "(bot) -# Stopped: the message that started this was deleted.",
    ]);
  });

  it.each(["stands there", "is being said"])(
    "keeps one that waits from being held when its opening %s",
    async (state) => {
      const { model, chat } = stage.services;
      const curren = answerLater();
      cast({ Curren: curren.answer, Ardan: "Hard.", Still: "Good." });
      await stage.app.router.received(stage.message("First"));
      await model.requested(2);
      const opening = chat.holdNext("announce");
      const command = stage.message("!gc debate 1 Hay");
      await stage.app.router.received(command);
      await opening.reached;
      if (state === "stands there") {
        opening.release();
        const waiting = () => stage.services.storage.messages.pending(conversation());
        while ((await waiting()).length === 0) await stage.services.clock.advance(0);
      }
      await stage.app.router.deleted(conversation(), [command.id]);
      opening.release();
      curren.say("Fun.");
      await stage.app.onIdle();
      expect(model.requests).toHaveLength(3);
    },
  );
});

describe("a debate that waits when the chat is ended", () => {
  it.each([
    ["an agent's own channel", "the group chat has ended"],
    ["a hosted group", "nobody takes part in the group chat any more"],
  ])("is not held in %s, which is said", async (where, why) => {
    const { services, app, agents } = stage;
    const still = agents["Still"];
    if (still === undefined) throw new Error("There is no host.");
    const place = where === "a hosted group" ? stage.place : placeOf(still);
    const write = (text: string) => app.router.received(stage.message(text, { place }));
    if (where !== "a hosted group") await write("!gc start Curren Ardan");
    cast({ Curren: HANG, Ardan: HANG });
    await write("First");
    await services.model.requested(2);
    await write("!gc debate 1 Is *hay* enough?");
    await write("Second");
    const waiting = () => services.storage.messages.pending(conversationOf(place));
    while ((await waiting()).length < 2) await services.clock.advance(0);
    if (where !== "a hosted group") services.model.answer("To the second.");
    await write("!gc end");
    await app.onIdle();
    const lines = services.chat.lines(place);
    expect(lines).toContain(
      `(bot) -# The debate about “Is \\*hay\\* enough?” is not held: ${why}.`,
    );
    expect(lines.filter((line) => line.startsWith("Still:"))).toEqual(
      where === "a hosted group" ? [] : ["Still: To the second."],
    );
  });
});

describe("a debate and what is written after it", () => {
  const asked = () =>
    stage.services.model.requests.flatMap(
      (request) => /from Ana\] (.+)\n/u.exec(request.messages.at(-1)?.text ?? "")?.[1] ?? [],
    );

  it.each(["at once", "while the bot was away"])("come in that order, written %s", async (when) => {
    const { router } = stage.app;
    const written = ["!gc debate 1 Hay", "After it"].map((text) => stage.message(text));
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." }, 6);
    if (when === "at once") await Promise.all(written.map((one) => router.received(one)));
    else await router.caughtUp(written);
    await stage.app.onIdle();
    expect(asked()).toEqual(["Hay", "Hay", "After it", "After it"]);
  });

  it("does not keep the latter from being answered when the debate cannot be opened", async () => {
    const { router } = stage.app;
    stage.services.chat.failNext("announce", new ChatError("forbidden", "No."));
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
    const written = ["!gc debate 1 Hay", "After it"].map((text) => stage.message(text));
    await Promise.all(written.map((one) => router.received(one)));
    await stage.app.onIdle();
    expect(stage.lines()).toContain("Still: Good.");
  });

  describe("when the process died before the former, and is back when that is too old", () => {
    /** The bot is back, and about to say of the first of them that it is too old. */
    const back = async (...debates: readonly string[]) => {
      const { services } = stage;
      const { chat, clock } = services;
      const commands = [];
      for (const debate of debates) {
        chat.failNext("announce", new ShuttingDown(), "before");
        commands.push(await stage.say(debate));
      }
      await clock.advance(STALE_ROUND_MS);
      const written = stage.message("After it");
      await clock.advance(60_000);
      const mailboxes = createMailboxes(services.log);
      const app = createApp({ ...services, mailboxes });
      const tooOld = chat.holdNext("announce");
      await app.resume();
      await tooOld.reached;
      return { app, mailboxes, written, commands, tooOld };
    };
    const TOO_OLD = expect.stringMatching(/too old to go on with/u);

    it("answers the latter", async () => {
      const { app, mailboxes, written, tooOld } = await back("!gc debate 1 Hay");
      cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
      await app.router.caughtUp([written]);
      while (mailboxes.isBusy(conversationOf(stage.place))) {
        await stage.services.clock.advance(0);
      }
      tooOld.release();
      await app.onIdle();
      expect(stage.lines()).toEqual([TOO_OLD, "Still: Good."]);
    });

    it("says nothing of one that is called off meanwhile", async () => {
      const { app, commands, tooOld } = await back("!gc debate 1 Hay", "!gc debate 1 Oats");
      await app.router.deleted(
        conversationOf(stage.place),
        commands.slice(1).map(({ id }) => id),
      );
      tooOld.release();
      await app.onIdle();
      expect(stage.lines()).toEqual([TOO_OLD]);
    });
  });
});
