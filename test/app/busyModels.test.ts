import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelError } from "../../src/ports/model.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const tooLong = () => new ModelError("too-long", "context_length_exceeded");
const busy = (retryAfterMs: number | null) =>
  new ModelError("rate-limited", "busy", { retryAfterMs });
const EDITOR = json({ researcher: 0, editor: 1 });

/** What the n-th request shows of the conversation. */
function shown(index: number): string {
  const { messages } = stage.services.model.requests[index] ?? { messages: [] };
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ text }) => text)
    .join("\n");
}

async function talkAtLength(): Promise<void> {
  const { model } = stage.services;
  for (let index = 1; index <= 12; index += 1) {
    model.answerTo("judge", EDITOR).answerTo("turn", `Answer ${index}. ${"word ".repeat(100)}`);
    await stage.say(`@Editor, question ${index}? @Editor only. ${"more ".repeat(100)}`);
  }
}

describe("a conversation that is too long for the model", () => {
  it("is shown to it once more with half of it left out, oldest first", async () => {
    await talkAtLength();
    stage.services.model.answerTo("judge", EDITOR).answerTo("turn", tooLong(), "Now it fits.");
    await stage.say("@Editor, the last one?");
    expect(stage.lines().at(-1)).toBe("Editor: Now it fits.");
    const [first, second] = [shown(25), shown(26)];
    expect(first).toContain("question 1?");
    expect(second).toMatch(/^\(\d+ earlier messages are left out\.\)/);
    expect(second).not.toContain("question 1?");
    expect(second).toContain("question 12?");
    expect(second).toContain("the last one?");
    expect(second.length).toBeLessThan(first.length / 1.9);
  });

  it("is tried no third time; people are told", async () => {
    await talkAtLength();
    stage.services.model.answerTo("judge", EDITOR).answerTo("turn", tooLong(), tooLong());
    await stage.say("@Editor, the last one?");
    expect(stage.lines().at(-1)).toBe(
      "(bot) -# Editor could not answer: this conversation is too long for its model.",
    );
  });
});

it("is not sent again when nothing of it can be left out", async () => {
  stage.services.model.answerTo("judge", EDITOR).answerTo("turn", tooLong());
  await stage.say("Hello?");
  expect(stage.lines()).toEqual([
    "(bot) -# Editor could not answer: this conversation is too long for its model.",
  ]);
});

describe("a model that is busy", () => {
  it("is waited for once in a turn, whatever it answers after that", async () => {
    const { model, clock } = stage.services;
    model.answerTo("judge", EDITOR).answerTo("turn", busy(1_000), "", busy(1_000));
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    await clock.advance(1_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) -# Editor could not answer: its model is not working just now.",
    ]);
  });

  it("is waited for a moment when it does not say how long", async () => {
    const { model, clock } = stage.services;
    model.answerTo("judge", EDITOR).answerTo("turn", busy(null), "Here.");
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    await clock.advance(2_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Here."]);
  });

  it("is waited for while it is being loaded", async () => {
    const { model, clock } = stage.services;
    const loading = new ModelError("unavailable", "loading", { retryAfterMs: 3_000 });
    model.answerTo("judge", EDITOR).answerTo("turn", loading, "Loaded.");
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    await clock.advance(3_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Loaded."]);
  });

  it("is waited for by the judge once, and then the host answers", async () => {
    const { model, clock } = stage.services;
    model
      .answerTo("judge", busy(1_000), json({ nobody: 1 }), busy(1_000))
      .answerTo("turn", "As the host.");
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(1);
    await clock.advance(1_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) -# The judge could not score (its model is not working), so the host answers.",
      "Researcher: As the host.",
    ]);
  });
});
