/** However a run ends that the host moderates, the floor that it ran is closed, and people are told why. */
import { afterEach, describe, expect, it } from "vitest";
import { archiveAgent, archiveGroup } from "../../src/app/archiving.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { asId } from "../../src/domain/ids.js";
import { ModelError } from "../../src/ports/model.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async () => {
  stage = await openStage({ members: ["Researcher", "Editor", "Planner"], kind: "moderated" });
};
const ask = async (operation: Operation, input: object) => {
  const asker = aPerson({ name: "Ana" });
  const context = { ...stage.services, asker, place: stage.place };
  return (await runOperation(operation, context, input)).text;
};
const run = async (operation: Operation, input: object) => {
  const answer = await ask(operation, input);
  await stage.app.onIdle();
  return answer;
};
const grant = (agent: string, times = 1) => ({
  toolCalls: Array.from({ length: times }, (_, index) => ({
    id: `c${index}`,
    name: "grant_turn",
    argumentsJson: JSON.stringify({ agent }),
  })),
});
const latest = () => stage.services.storage.floors.latest(asId(stage.place.channelId));
/** The run is in the middle of a turn. */
const inATurn = async () => {
  stage.services.model.answerTo("moderate", grant("editor")).answerTo("turn", HANG);
  await ask(floorModerate, { goal: "Tea" });
  await stage.services.model.requested(2);
};

describe("the floor of a moderated run", () => {
  it("is closed when the host's model fails, also the one that a person has opened", async () => {
    await open();
    const down = new ModelError("timeout", "late");
    stage.services.model
      .answerTo("moderate", grant("editor"))
      .answerTo("turn", "Tea.")
      .answerTo("moderate", down, down);
    await run(floorOpen, { topic: "Drinks" });
    await run(floorModerate, { goal: "Tea" });
    expect(stage.lines().slice(-2)).toEqual([
      "Editor: Tea.",
      "(bot) **The floor is closed**, since **Researcher** cannot go on moderating: its model took too long.",
    ]);
    expect((await latest())?.closedAtMs).not.toBeNull();
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "failed" });
    await run(floorOpen, { topic: "Again" });
    expect(await latest()).toMatchObject({ topic: "Again", closedAtMs: null });
  });

  it("is closed when a person stops the run, and that is said", async () => {
    await open();
    await inATurn();
    expect(await run(roundStop, {})).toBe("Stopped.");
    expect(stage.lines().slice(-2)).toEqual([
      "(bot) -# Stopped by Ana.",
      "(bot) **The floor is closed**, since **Ana** stopped the run.",
    ]);
    expect((await latest())?.closedAtMs).not.toBeNull();
  });

  it("is closed when the host is archived in the middle", async () => {
    await open();
    const host = stage.agents["Researcher"];
    if (host === undefined) throw new Error("There is no host.");
    stage.services.model.answerTo("moderate", grant("editor")).answerTo("turn", async () => {
      await archiveAgent(stage.services, host, aManager());
      return "Tea.";
    });
    await run(floorModerate, { goal: "Tea" });
    expect(stage.lines()).toContain("Editor: Tea.");
    expect(stage.lines().at(-1)).toBe(
      "(bot) **The floor is closed**, since **Researcher** cannot go on moderating: it is no longer in this group.",
    );
    expect((await latest())?.closedAtMs).not.toBeNull();
  });

  it("is closed when its group is archived", async () => {
    await open();
    await inATurn();
    await archiveGroup(stage.services, stage.group, aManager({ name: "Mo" }));
    await stage.app.onIdle();
    expect(stage.lines().slice(-2)).toEqual([
      "(bot) -# Stopped: Mo archived this channel.",
      "(bot) **The floor is closed**, since this channel was archived.",
    ]);
    expect((await latest())?.closedAtMs).not.toBeNull();
  });
});

describe("a moderating host that calls much at once", () => {
  it("has each call answered, and the first sixteen carried out", async () => {
    await open();
    stage.services.model
      .answerTo("moderate", grant("editor", 40))
      .answerTo("turn", ...Array.from({ length: 16 }, (_, index) => `Turn ${index + 1}.`))
      .answerTo("moderate", { toolCalls: [{ id: "end", name: "close", argumentsJson: "{}" }] });
    await run(floorModerate, { goal: "Tea" });
    const { messages } = stage.services.model.lastRequest;
    const answers = messages.filter(({ role }) => role === "tool").map(({ text }) => text);
    expect(answers).toHaveLength(40);
    expect(answers.slice(0, 16).every((text) => text.startsWith("Editor said: "))).toBe(true);
    expect(new Set(answers.slice(16))).toEqual(
      new Set(["Error: not done: at most 16 calls of one reply are carried out."]),
    );
  });
});

describe("a voter whose model gives no text", () => {
  it("is said to have given none", async () => {
    await open();
    const yes = json({ choice: "Yes", reason: "Warm." });
    stage.services.model.answerTo("vote", "", "", yes, "", yes);
    await run(floorVote, { question: "Tea?", options: ["Yes", "No"] });
    expect(stage.lines().at(-1)).toContain(
      "- Researcher: abstained (its model gave an empty answer twice)",
    );
    expect(stage.services.model.requests[1]?.messages.at(-1)?.text).toContain("it holds no text");
  });

  it("is said to have called tools when that is all it did", async () => {
    await open();
    const yes = json({ choice: "Yes", reason: "Warm." });
    const calls = { text: "", wantedTools: true };
    stage.services.model.answerTo("vote", calls, calls, yes, yes);
    await run(floorVote, { question: "Tea?", options: ["Yes", "No"] });
    expect(stage.lines().at(-1)).toContain(
      "- Researcher: abstained (its model called tools instead of answering)",
    );
  });
});
