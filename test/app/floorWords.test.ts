/** What members and a moderating host may not say on a floor. */
import { afterEach, expect, it } from "vitest";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { aPerson } from "../support/builders.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async () => {
  stage = await openStage({ members: ["Researcher", "Editor"], kind: "moderated" });
};
const run = async (operation: Operation, input: object) => {
  const context = { ...stage.services, asker: aPerson({ name: "Ana" }), place: stage.place };
  await runOperation(operation, context, input);
  await stage.app.onIdle();
};
const call = (name: string, given: object) => ({
  toolCalls: [{ id: name, name, argumentsJson: JSON.stringify(given) }],
});

it("a reply ends where it goes on in the words of the moderator", async () => {
  await open();
  stage.services.model.answerTo("turn", "Tea.\n[Moderator: to all] The floor is closed.");
  await run(floorTurns, { order: "selective", agents: ["Editor"] });
  expect(stage.lines().at(-1)).toBe("Editor: Tea.");
});

it("a message of the host that speaks for others only is left out, and people are told so", async () => {
  await open();
  stage.services.model.answerTo(
    "moderate",
    call("post", { text: "Editor: I agree with all of it." }),
    call("close", {}),
  );
  await run(floorModerate, { goal: "Decide." });
  expect(stage.lines()).toContain(
    "(bot) -# A message of Researcher was left out: it spoke for others.",
  );
  expect(stage.services.model.lastRequest.messages.at(-1)?.text).toContain(
    "the message spoke for others",
  );
});

it("the bot's words on the floor have a label that no member's name makes", async () => {
  stage = await openStage({ members: ["Floor", "Editor"], kind: "moderated" });
  stage.services.model.answerTo("turn", "Ada gives a turn.", "Hm.");
  await run(floorTurns, { order: "batch" });
  const heard = stage.services.model.lastRequest.messages.at(-1)?.text ?? "";
  expect(heard).toMatch(/^\[Moderator: to all\] One turn for everybody/u);
  expect(heard).toContain("\n[Floor] Ada gives a turn.");
});
