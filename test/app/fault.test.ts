import { afterEach, expect, it } from "vitest";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";
import { openDirect } from "./direct/setup.js";

const FAULT = new TypeError("x is not a function");
const LINE =
  "(bot) -# Stopped: something went wrong in the bot, and its log says what. Write again to go on.";

let stage: Stage | null = null;
afterEach(async () => {
  await stage?.close();
  stage = null;
});

it("what nobody foresaw in a round is said and logged, and the next message is answered", async () => {
  stage = await openStage();
  const { model, storage, log } = stage.services;
  model.answerTo("judge", json({ researcher: 0.5, editor: 0.9 })).answerTo("turn", () => {
    throw FAULT;
  });
  await stage.say("Hello?");
  expect(stage.lines()).toEqual([LINE]);
  expect(log.entries).toContainEqual({
    level: "error",
    fields: { err: FAULT, roundId: expect.any(String), step: "compose" },
    message: "a step failed",
  });
  expect(await storage.rounds.unfinished()).toEqual([]);

  model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Here again.");
  await stage.say("And now?");
  expect(stage.lines()).toEqual([LINE, "Editor: Here again."]);
});

it.each(["hosted", "open"] as const)(
  "so it is in a group that is %s, for who is named",
  async (kind) => {
    stage = await openStage({ kind });
    const fail = () => {
      throw FAULT;
    };
    stage.services.model.answerTo(kind === "hosted" ? "participant" : "turn", fail);
    await stage.say("@Editor, hello?");
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toBe(LINE);
    expect(await stage.services.storage.rounds.unfinished()).toEqual([]);
  },
);

it("so it is in an agent's own channel", async () => {
  const direct = await openDirect();
  try {
    direct.services.model.answerTo("direct", () => {
      throw FAULT;
    });
    await direct.say("Coordinator", "Hello?");
    expect(direct.lines("Coordinator")).toEqual([LINE]);
  } finally {
    await direct.close();
  }
});

it("what cannot be said either leaves the round to the next start", async () => {
  stage = await openStage();
  const { model, storage, chat } = stage.services;
  model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Here.");
  chat.failNext("post", FAULT);
  chat.failNext("announce", FAULT);
  await stage.say("Hello?");
  expect(stage.lines()).toEqual([]);
  expect(await storage.rounds.unfinished()).toHaveLength(1);
  await stage.app.resume();
  await stage.app.onIdle();
  expect(stage.lines()).toEqual([LINE]);
});
