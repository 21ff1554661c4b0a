import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { CatchUp } from "../../src/app/catchUp.js";
import { warnOfMissingHistory } from "../../src/app/historyRights.js";
import { marksOf } from "../../src/app/marks.js";
import { asId, compareSnowflakes, type MessageId } from "../../src/domain/ids.js";
import { conversationOf, type Place } from "../../src/domain/message.js";
import { ChatError, type ReceivedMessage } from "../../src/ports/chat.js";
import { type MessageStore, StorageError } from "../../src/ports/storage.js";
import { addGroup, GUILD, placeOf } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
let written: ReceivedMessage[];
/** What reading meets before it works again; the last one stays. */
let troubles: (Error | "hangs" | "works")[];
let tries: number;
let closing: AbortController;
beforeEach(async () => {
  stage = await openStage();
  written = [];
  troubles = ["works"];
  tries = 0;
  closing = new AbortController();
});
afterEach(async () => {
  closing.abort();
  await stage.close();
  stage.services.model.assertDone();
});

const history = {
  places: (): readonly Place[] => [stage.place, { ...stage.place, channelId: "7" as never }],
  since: async (place: Place, afterId: string | null, _limit: number, signal?: AbortSignal) => {
    if (conversationOf(place) === conversationOf(stage.place)) {
      tries += 1;
      const trouble = troubles.length > 1 ? troubles.shift() : troubles[0];
      if (trouble instanceof Error) throw trouble;
      if (trouble === "hangs") {
        await new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
        });
      }
    }
    return written.filter(
      (message) =>
        conversationOf(message.place) === conversationOf(place) &&
        (afterId === null || compareSnowflakes(message.id, afterId) > 0),
    );
  },
  newestId: (place: Place): MessageId | null =>
    written.filter((message) => conversationOf(message.place) === conversationOf(place)).at(-1)
      ?.id ?? null,
};
const AWAY = new ChatError("unavailable", "Discord is in trouble (status 503).");
const marks = () => marksOf(stage.services, history, GUILD);
const read = async (given: Awaited<ReturnType<typeof marksOf>>) => {
  await catching().read(given);
  await stage.app.onIdle();
};
/** Time goes on, and what falls due in it is done. */
const pass = async (ms: number) => {
  for (let leftMs = ms; leftMs > 0; leftMs -= 10_000) {
    await stage.services.clock.advance(Math.min(leftMs, 10_000));
    await stage.app.onIdle();
  }
};
const catching = () =>
  new CatchUp(stage.services, { history, router: stage.app.router }, closing.signal);

describe("a message that comes while what is known is read again", () => {
  it("is answered", async () => {
    const { model } = stage.services;
    const editor = json({ researcher: 0, editor: 1 });
    model.answerTo("judge", editor).answerTo("turn", "Before.");
    model.answerTo("judge", editor).answerTo("turn", "After.");
    const known = await stage.say("Known");
    const received = stage.app.router.received(stage.message("New"));
    const caughtUp = stage.app.router.caughtUp(Array.from({ length: 20 }, () => known));
    await Promise.all([received, caughtUp]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Before.", "Editor: After."]);
  });
});

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
});

describe("a conversation that cannot be read", () => {
  const answers = () =>
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "At last.");
  const owed = async () => {
    await stage.services.clock.advance(60_000);
    written = [stage.message("Owed")];
  };

  it.each([
    ["is in trouble", AWAY],
    ["names a pause", new ChatError("rate-limited", "A pause.", { retryAfterMs: 5_000 })],
    ["does not answer", "hangs" as const],
  ])(
    "where Discord %s is tried again until it can, without anybody writing",
    async (_, trouble) => {
      await owed();
      troubles = [trouble, trouble, trouble, "works"];
      answers();
      const reading = read(await marks());
      await pass(90_000);
      await reading;
      expect(stage.lines()).toEqual(["Editor: At last."]);
      expect(tries).toBe(4);
      expect(stage.services.log.messages("warn")).toHaveLength(1);
    },
  );

  it.each([
    ["the database is away", new StorageError("It is away.", { isTransient: true }), "warn"],
    ["something is wrong", new Error("A bug."), "error"],
  ] as const)("is tried again when %s while it is stored", async (_, trouble, level) => {
    await owed();
    written.push(stage.message("Owed too"));
    const { storage, log, model } = stage.services;
    let failures = 2;
    const messages: MessageStore = {
      ...storage.messages,
      record: async (...given) => {
        if (given[0].text === "Owed too" && failures > 0) {
          failures -= 1;
          throw trouble;
        }
        return storage.messages.record(...given);
      },
    };
    const { router } = createApp({ ...stage.services, storage: { ...storage, messages } });
    answers();
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "And that.");
    await new CatchUp(stage.services, { history, router }, closing.signal).read(await marks());
    await pass(60_000);
    expect(stage.lines()).toEqual(["Editor: At last.", "Editor: And that."]);
    expect(log.messages(level)).toEqual(["what was written could not be stored yet"]);
    const before = tries;
    await pass(20 * 60_000);
    expect(tries).toBe(before);
  });

  it("is not lost when that takes fourteen minutes, and is then read no more", async () => {
    await owed();
    troubles = [AWAY];
    await read(await marks());
    await pass(13 * 60_000);
    troubles = ["works"];
    answers();
    await pass(60_000);
    expect(stage.lines()).toEqual(["Editor: At last."]);
    const before = tries;
    await pass(20 * 60_000);
    expect(tries).toBe(before);
  });

  it("holds up no other one", async () => {
    await owed();
    const other = await addGroup(stage.services, {
      displayName: "Two",
      members: Object.values(stage.agents),
    });
    const place = placeOf(other);
    const mark = { place, afterId: asId<MessageId>("1"), heardId: null };
    written.push(stage.message("Owed there", { place }));
    troubles = ["hangs"];
    answers();
    const reading = read(new Map([...(await marks()), [conversationOf(place), mark]]));
    await stage.services.model.requested(2);
    await stage.app.onIdle();
    expect(stage.services.chat.lines(place)).toEqual(["Editor: At last."]);
    closing.abort();
    await reading;
  });

  it("for good is said there and in the log", async () => {
    await owed();
    troubles = [AWAY];
    await read(await marks());
    await pass(17 * 60_000);
    expect(stage.lines()).toEqual([
      "(bot) -# I could not read what was written here while I was away. If something is still open, please write it again.",
    ]);
    expect(stage.services.log.messages("error")).toHaveLength(1);
  });

  it("after a second loss of the connection is read from where the first one began", async () => {
    await owed();
    await stage.services.clock.advance(10 * 60_000);
    const catchUp = catching();
    troubles = [AWAY];
    await catchUp.read(await marks());
    await pass(5 * 60_000);
    const live = stage.message("Live");
    answers();
    await stage.app.router.received(live);
    await stage.app.onIdle();
    await pass(5 * 60_000);
    written.push(live);
    troubles = ["works"];
    await catchUp.read(await marks());
    await stage.app.onIdle();
    const [missed] = written;
    const stored = await stage.services.storage.messages.get(missed?.id ?? asId("0"));
    expect(stored?.text).toBe("Owed");
  });
});

describe("where the bot may not read the history", () => {
  const MISSING = new ChatError("forbidden", "No.", { needs: "Read Message History" });
  const NOTICE =
    "(bot) -# I cannot read what was written here while I was away: I need Read Message History in this channel. Give it to me within 15 minutes, or write again.";

  it("that is said once, also after another start, when something may have been missed", async () => {
    troubles = [MISSING];
    await stage.services.clock.advance(60_000);
    written = [stage.message("Owed")];
    await read(await marks());
    await read(await marks());
    expect(stage.lines()).toEqual([NOTICE]);
    written.push(stage.message("Owed too"));
    await read(await marks());
    expect(stage.lines()).toEqual([NOTICE, NOTICE]);
  });

  it("nothing is said when nothing was written", async () => {
    troubles = [MISSING];
    await read(await marks());
    await pass(60_000);
    expect(stage.lines()).toEqual([]);
    expect(tries).toBe(1);
  });

  it("what was written is answered when the permission is given in time", async () => {
    troubles = [MISSING, MISSING, "works"];
    await stage.services.clock.advance(60_000);
    written = [stage.message("Owed")];
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "At last.");
    await read(await marks());
    await pass(60_000);
    expect(stage.lines()).toEqual([NOTICE, "Editor: At last."]);
  });

  it("that holds after another start too, and nothing is said again", async () => {
    troubles = [MISSING];
    await stage.services.clock.advance(60_000);
    written = [stage.message("Owed")];
    await read(await marks());
    closing.abort();
    closing = new AbortController();
    written.push(theNotice());
    await stage.services.clock.advance(60_000);
    await read(await marks());
    stage.services.model
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "At last.");
    written.pop();
    troubles = ["works"];
    await pass(60_000);
    expect(stage.lines()).toEqual([NOTICE, "Editor: At last."]);
  });

  it("nothing is tried for what was told more than fifteen minutes ago", async () => {
    troubles = [MISSING];
    await stage.services.clock.advance(60_000);
    written = [stage.message("Owed")];
    await read(await marks());
    closing.abort();
    closing = new AbortController();
    written.push(theNotice());
    await stage.services.clock.advance(16 * 60_000);
    tries = 0;
    await read(await marks());
    await pass(120_000);
    expect(tries).toBe(1);
    expect(stage.lines()).toEqual([NOTICE]);
  });

  /** The bot's own line, which is the newest message there. */
  function theNotice(): ReceivedMessage {
    const [shown] = stage.services.chat.shown(stage.place);
    if (shown === undefined) throw new Error("Nothing was said.");
    return stage.message("The notice", { id: shown.id });
  }

  it.each([
    ["a server", false, 1, "Read Message History is missing in a server"],
    ["a channel", true, 1, "Read Message History is missing in a channel"],
  ])("the log names the remedy at the start: in %s", async (_, mayReadServer, count, beginning) => {
    const rights = {
      places: history.places,
      mayRead: () => false,
      mayReadServer: () => mayReadServer,
    };
    await warnOfMissingHistory(stage.services, rights, GUILD);
    const warnings = stage.services.log.messages("warn");
    expect(warnings).toHaveLength(count);
    expect(warnings[0]).toContain(beginning);
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
    await catching().read(await marks());
    expect(model.running).toBe(1);
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });
});
