/** The time that a turn in an agent's own channel has in all. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../src/app/app.js";
import { createMailboxes } from "../../../src/app/mailbox.js";
import { TURN_TIMEOUT_MS } from "../../../src/domain/limits.js";
import { processEnd } from "../../support/processEnd.js";
import type { ScriptedFunction } from "../../support/scriptedModel.js";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const LATE = "(bot) -# Editor could not answer: its model took too long.";
const TASKS = { display_name: "Notes", prompt: "You take notes." };

/** Takes so long, and calls tools then. */
const after =
  (ms: number, ...uses: readonly (readonly [string, unknown])[]): ScriptedFunction =>
  async () => {
    await direct.services.clock.advance(ms);
    return calling(...uses);
  };

const given = () => direct.services.model.requests.map(({ timeoutMs }) => timeoutMs);

describe("a turn with tools", () => {
  it("has one time for all its calls", async () => {
    direct.services.model
      .answerTo("direct", after(50_000, ["agent_list", {}]), after(60_000, ["agent_list", {}]))
      .answerTo("direct", "There are three.");
    await direct.say("Editor", "Who is there?");
    expect(given()).toEqual([TURN_TIMEOUT_MS, TURN_TIMEOUT_MS - 50_000, TURN_TIMEOUT_MS - 110_000]);
    expect(direct.lines("Editor")).toEqual(["Editor: There are three."]);
  });

  it("has it for what its tools do as well; no tool begins after that, and what was done is said", async () => {
    const { chat, clock, model } = direct.services;
    const createChannel = chat.createChannel.bind(chat);
    chat.createChannel = async (...wanted) => {
      await clock.advance(TURN_TIMEOUT_MS);
      return createChannel(...wanted);
    };
    model.answerTo("direct", calling(["agent_create", TASKS], ["archive", { name: "Researcher" }]));
    await direct.say("Editor", "Make Notes, and archive Researcher.");
    expect(await direct.results("Editor")).toEqual([
      expect.stringContaining("is ready"),
      "The time of this turn is over, so this did not run.",
    ]);
    expect(direct.lines("Editor").some((line) => line === LATE)).toBe(true);
    expect(direct.lines("Editor").some((line) => line.includes("Done by Editor"))).toBe(true);
    expect(model.requests).toHaveLength(1);
  });

  it("goes on after a restart with the time that was left", async () => {
    const { services } = direct;
    const { model, storage, clock } = services;
    model.answerTo("direct", after(100_000, ["agent_list", {}])).answerTo("direct", "Three.");
    const append = storage.rounds.append.bind(storage.rounds);
    storage.rounds.append = (...wanted) =>
      wanted[2].some(({ type }) => type === "toolRan")
        ? Promise.reject(processEnd())
        : append(...wanted);
    await direct.say("Editor", "Who is there?");
    storage.rounds.append = append;
    await clock.advance(TURN_TIMEOUT_MS);
    const again = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await again.resume();
    await again.onIdle();
    expect(given()).toEqual([TURN_TIMEOUT_MS, TURN_TIMEOUT_MS - 100_000]);
    expect(direct.lines("Editor")).toEqual(["Editor: Three."]);
  });
});
