import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catchUp, marksOf } from "../../src/app/catchUp.js";
import { compareSnowflakes } from "../../src/domain/ids.js";
import { conversationOf, type Place } from "../../src/domain/message.js";
import { ChatError, type ReceivedMessage } from "../../src/ports/chat.js";
import { GUILD } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
let written: ReceivedMessage[];
beforeEach(async () => {
  stage = await openStage();
  written = [];
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const history = {
  places: (): readonly Place[] => [stage.place, { ...stage.place, channelId: "7" as never }],
  since: async (place: Place, afterId: string | null) =>
    written.filter(
      (message) =>
        conversationOf(message.place) === conversationOf(place) &&
        (afterId === null || compareSnowflakes(message.id, afterId) > 0),
    ),
};
const marks = () => marksOf(stage.services, history, GUILD);
const read = async (given: Awaited<ReturnType<typeof marksOf>>) => {
  await catchUp(stage.services, { history, router: stage.app.router }, given);
  await stage.app.onIdle();
};

describe("what was written while nobody listened", () => {
  it("starts one round for all of it, also in a group where nothing was said before", async () => {
    await stage.services.clock.advance(60_000);
    written = [stage.message("One"), stage.message("Two")];
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "Both.");
    await read(await marks());
    expect(stage.lines()).toEqual(["Editor: Both."]);
    expect(stage.services.model.lastRequest.messages.at(-1)?.text).toContain("One\n");
  });

  it("is found though a message arrived before the reading began", async () => {
    const { model, clock, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Hello.");
    await stage.say("First");
    await clock.advance(3_600_000);
    const missed = stage.message("Missed, an hour later");
    await clock.advance(3_600_000);
    const given = await marks();
    const live = stage.message("Live");
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Live too.");
    await stage.app.router.received(live);
    written = [missed, live];
    await read(given);
    expect((await storage.messages.get(missed.id))?.text).toBe("Missed, an hour later");
    expect(stage.lines()).toEqual(["Editor: Hello.", "Editor: Live too."]);
  });

  it("is stored and not answered when it is older than fifteen minutes", async () => {
    written = [stage.message("Long ago")];
    await stage.services.clock.advance(16 * 60_000);
    const given = await marks();
    await read(given);
    expect(
      await stage.services.storage.messages.get(written[0]?.id ?? ("" as never)),
    ).not.toBeNull();
    expect(stage.lines()).toEqual([]);
  });

  it("is passed over where the bot may not read", async () => {
    const refusing = {
      since: () => Promise.reject(new ChatError("forbidden", "No history.")),
    };
    await catchUp(stage.services, { history: refusing, router: stage.app.router }, await marks());
    expect(stage.services.log.messages("warn")).toHaveLength(1);
  });
});

describe("a stop that is seen again", () => {
  it("does not end a round that began after it", async () => {
    const { model, clock } = stage.services;
    await clock.advance(60_000);
    const stop = stage.message("stop");
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Afterwards"));
    await model.requested(2);
    written = [stop];
    await catchUp(stage.services, { history, router: stage.app.router }, await marks());
    expect(model.running).toBe(1);
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });
});
