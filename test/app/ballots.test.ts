/** What is kept and told of votes: one sentence of a reason, and of a secret vote nothing but counts. */
import { afterEach, describe, expect, it } from "vitest";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorResults } from "../../src/app/operations/floorResults.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { roundWhy } from "../../src/app/operations/roundWhy.js";
import { usage } from "../../src/app/operations/usage.js";
import type { Asker } from "../../src/ports/chat.js";
import { ModelError } from "../../src/ports/model.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async (...members: readonly string[]) => {
  stage = await openStage({
    members,
    kind: "moderated",
    overrides: { settings: { hasStatusLine: true } },
  });
};
const ask = async (operation: Operation, input: object, asker: Asker = aPerson({ name: "Ana" })) =>
  (await runOperation(operation, { ...stage.services, asker, place: stage.place }, input)).text;
const run = async (operation: Operation, input: object) => {
  const answer = await ask(operation, input);
  await stage.app.onIdle();
  return answer;
};
const secretly = { question: "Tea?", options: ["Yes", "No"], secret: true };
const choose = (choice: string, reason = "So.") => json({ choice, reason });
const FAILS = new ModelError("unavailable", "down");

describe("a secret vote", () => {
  it("tells only how many could not vote, in no view who", async () => {
    await open("Researcher", "Editor", "Planner");
    stage.services.model.answerTo("vote", choose("Yes"), choose("Hm"), choose("Hm"), FAILS);
    await run(floorVote, secretly);
    expect(stage.lines().at(-1)).toMatch(/\n-# 2 of the 3 could not vote\.$/u);
    const views = [
      ...stage.lines(),
      await ask(floorResults, {}),
      await ask(roundWhy, {}),
      await ask(usage, {}, aManager()),
    ].join("\n");
    expect(views).not.toMatch(/Researcher|Editor|Planner/u);
    expect(views).toContain("(secret votes)");
  });

  it("shows its calls as one sum, and those of other calls apart", async () => {
    await open("Researcher", "Editor");
    stage.services.model
      .answerTo("moderate", hold(secretly))
      .answerTo("vote", choose("Yes"), choose("No"))
      .answerTo("moderate", call("close", {}));
    await run(floorModerate, { goal: "Decide." });
    expect(await ask(roundWhy, {})).toMatch(
      /```\nsecret votes [^\n]*\n[^\n]*\nmod\. Researcher [^\n]*\nmod\. Researcher [^\n]*\nall 4 calls [^\n]*\n```/u,
    );
  });

  it("tells nothing of its calls while it goes on, and the log names no voter", async () => {
    await open("Researcher", "Editor", "Planner");
    stage.services.model.answerTo("vote", choose("Hm"), choose("Yes"), HANG);
    await ask(floorVote, secretly);
    await stage.services.model.requested(3);
    expect(await ask(roundWhy, {})).toContain("1 of 3 have voted");
    expect(await ask(roundWhy, {})).not.toContain("```");
    expect(stage.lines().join("\n")).toMatch(/-# Vote \d of 3(?!:)/u);
    await run(roundStop, {});
    const log = JSON.stringify(stage.services.log.entries);
    expect(log).toContain("a vote does not fit");
    for (const { id } of Object.values(stage.agents)) expect(log).not.toContain(id);
  });

  it("has two voters at least, also one that the host calls", async () => {
    await open("Researcher", "Editor");
    const single = { ...secretly, agents: ["Editor"] };
    await expect(ask(floorVote, single)).rejects.toThrow("at least 2 voters");
    stage.services.model.answerTo("moderate", hold(single), call("close", {}));
    await run(floorModerate, { goal: "Decide." });
    expect(stage.services.model.lastRequest.messages.at(-1)?.text).toContain("at least 2 voters");
  });
});

describe("a reason", () => {
  it("is one sentence, whatever the model writes", async () => {
    await open("Researcher", "Editor");
    stage.services.model.answerTo(
      "vote",
      choose("Yes", "It is warm. It is good, too. Tea!"),
      choose("No", "No. I prefer\nwater."),
    );
    await run(floorVote, { ...secretly, secret: false });
    expect(stage.lines().at(-1)).toContain("- Researcher: **Yes**: It is warm.\n");
    expect(stage.lines().at(-1)).toMatch(/- Editor: \*\*No\*\*: No\. I prefer water\.$/u);
  });
});

function call(name: string, given: object) {
  return { toolCalls: [{ id: name, name, argumentsJson: JSON.stringify(given) }] };
}

function hold(given: object) {
  return call("hold_vote", given);
}
