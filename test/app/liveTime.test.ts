import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import { asId, type MessageId } from "../../src/domain/ids.js";
import { aPerson } from "../support/builders.js";
import { TestClock } from "../support/clock.js";
import { RecordingChat } from "../support/recordingChat.js";
import { HANG, json } from "../support/scriptedModel.js";
import { risingSnowflakes } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const QUARTER_MS = 16 * 60_000;

describe("a machine whose clock is not Discord's", () => {
  it.each([
    ["ahead", -QUARTER_MS],
    ["behind", QUARTER_MS],
  ])(
    "answers what is written now although it is far %s, and says so once in the log",
    async (_, ms) => {
      const { model, clock, log } = stage.services;
      for (const text of ["One.", "Two."]) {
        model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", text);
        await stage.say("Hello?", { createdAtMs: clock.now() + ms });
      }
      expect(stage.lines()).toEqual(["Editor: One.", "Editor: Two."]);
      expect(log.entries.filter(({ message }) => message.includes("clock"))).toHaveLength(1);
    },
  );

  it("answers nothing that is old when it reads what it has missed", async () => {
    const { clock } = stage.services;
    const old = stage.message("Hello?", { createdAtMs: clock.now() - QUARTER_MS });
    await stage.app.router.caughtUp([old]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([]);
  });

  it("obeys a group chat command all the same", async () => {
    const { clock } = stage.services;
    await stage.say("!gc list", { createdAtMs: clock.now() - QUARTER_MS });
    expect(stage.lines()).toHaveLength(1);
  });
});

describe("on the floor, with a clock that is ahead of Discord's", () => {
  const ask = async (operation: Operation, input: object, isCommand: boolean) => {
    const { services, place } = stage;
    const asker = aPerson({ name: "Ana" });
    const since = isCommand ? { sinceId: asId<MessageId>(services.chat.nextId()) } : {};
    await runOperation(operation, { ...services, asker, place, ...since }, input);
  };

  const CLOCKS = [
    ["a minute, asked by a tool", 60_000, false],
    ["a minute, asked by a command", 60_000, true],
    ["an hour, asked by a command", 60 * 60_000, true],
  ] as const;

  const openWith = async (aheadMs: number) => {
    await stage.close();
    const clock = new TestClock();
    const chat = new RecordingChat({ nextId: risingSnowflakes(() => clock.now() - aheadMs) });
    stage = await openStage({ kind: "moderated", overrides: { clock, chat } });
  };

  it.each(CLOCKS)("a stop ends a turn: %s", async (_, aheadMs, isCommand) => {
    await openWith(aheadMs);
    const { clock, model } = stage.services;
    model.answerTo("turn", HANG);
    await ask(floorTurns, { order: "selective", agents: ["Editor"] }, isCommand);
    await model.requested(1);
    await clock.advance(20_000);
    await stage.say("stop", { createdAtMs: clock.now() - aheadMs });
    expect(stage.lines().at(-1)).toBe("(bot) -# Stopped by Ana.");
    expect(model.running).toBe(0);
  });

  it.each(CLOCKS)("what was said before a crash is found: %s", async (_, aheadMs, isCommand) => {
    await openWith(aheadMs);
    const { services } = stage;
    services.chat.failNext("announce", new ShuttingDown(), "after");
    await ask(floorOpen, { topic: "Tea" }, isCommand);
    await stage.app.onIdle();
    const said = stage.lines();
    expect(said).toHaveLength(1);
    services.chat.forgetNonces();
    const app = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await app.resume();
    await app.onIdle();
    expect(stage.lines()).toEqual(said);
  });
});
