import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { json } from "../support/scriptedModel.js";
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
