import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelError } from "../../../src/ports/model.js";
import { type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const NO_TOOLS = new ModelError("no-tools", "400 m does not support tools");

describe("an agent whose model takes no tools", () => {
  it("answers in words, knows that it has none, and is asked without them from then on", async () => {
    const { model } = direct.services;
    model.answerTo("direct", NO_TOOLS, "Hello.", "Still here.");
    await direct.say("Editor", "Hi");
    await direct.say("Editor", "And now?");
    expect(direct.lines("Editor").slice(1)).toEqual(["Editor: Hello.", "Editor: Still here."]);
    expect(model.requests.map(({ tools }) => tools !== undefined)).toEqual([true, false, false]);
    expect(model.lastRequest.messages[0]?.text).toContain("You have no tools");
    expect(model.lastRequest.messages[0]?.text).not.toContain("message_agent");
  });

  it("tells people once that it can only talk", async () => {
    const { model } = direct.services;
    model.answerTo("direct", NO_TOOLS, "Hello.", "Still here.");
    await direct.say("Editor", "Hi");
    await direct.say("Editor", "And now?");
    expect(direct.lines("Editor").filter((line) => line.startsWith("(bot)"))).toEqual([
      "(bot) -# The model of Editor cannot use tools, so Editor can only talk here: it changes nothing, looks up nothing and writes to no other agent. `/agent_update` gives it another model.",
    ]);
  });
});
