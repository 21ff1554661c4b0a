/** Commands of the floor that come while others run, or in one instant: each finds what the one before left. */
import { afterEach, describe, expect, it } from "vitest";
import { archiveGroup } from "../../src/app/archiving.js";
import { startFloorRound } from "../../src/app/floorRounds.js";
import { membersOf } from "../../src/app/opening.js";
import { floorClose } from "../../src/app/operations/floorClose.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { roundWhy } from "../../src/app/operations/roundWhy.js";
import type { FloorTask } from "../../src/domain/floor.js";
import { asId } from "../../src/domain/ids.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async (members = ["Researcher", "Editor"]) => {
  stage = await openStage({ members, kind: "moderated" });
};
const asker = aPerson({ name: "Ana" });
const ask = async (operation: Operation, input: object) =>
  (await runOperation(operation, { ...stage.services, asker, place: stage.place }, input)).text;
const run = async (operation: Operation, input: object) => {
  const answer = await ask(operation, input);
  await stage.app.onIdle();
  return answer;
};
const latest = () => stage.services.storage.floors.latest(asId(stage.place.channelId));
/** What is stored to run now, without the look at what is ahead. */
const store = async (task: FloorTask, topic?: string) => {
  const { services, group, place } = stage;
  const members = await membersOf(services, group);
  const given = topic === undefined ? {} : { topic };
  await startFloorRound(services, { group, place, members, asker, task, ...given });
};
const turns = () => stage.services.model.requests.filter(({ purpose }) => purpose === "turn");
/** Somebody has been given a turn that does not end by itself. */
const inATurn = async () => {
  stage.services.model.answerTo("turn", HANG);
  await ask(floorTurns, { order: "selective", agents: ["Editor"] });
  await stage.services.model.requested(1);
};

describe("commands of one instant", () => {
  it("run in the order in which they came, each after the one before", async () => {
    await open();
    stage.services.model.answerTo("turn", "One.", "Two.", "Three.", "A summary.");
    const answers = await Promise.all([
      ask(floorOpen, { topic: "First" }),
      ask(floorTurns, { order: "batch" }),
      ask(floorTurns, { order: "selective", agents: ["Editor"] }),
      ask(floorClose, { summary: true }),
      ask(floorClose, {}).catch((error: unknown) => String(error)),
      ask(floorOpen, { topic: "Second" }),
      ask(floorOpen, { topic: "Third" }).catch((error: unknown) => String(error)),
    ]);
    await stage.app.onIdle();
    expect(answers[4]).toContain("Closing is already under way.");
    expect(answers[6]).toContain("A floor is open here already");
    const lines = stage.lines();
    const told = lines.filter((line) => !line.includes("given by") && !line.includes(" gives "));
    expect(told).toEqual([
      expect.stringContaining("First"),
      "Researcher: One.",
      "Editor: Two.",
      "Editor: Three.",
      "Researcher: A summary.",
      expect.stringContaining("The floor is closed"),
      expect.stringContaining("Second"),
    ]);
    expect(await latest()).toMatchObject({ topic: "Second", closedAtMs: null });
  });
});

describe("a command that waits", () => {
  it("leaves the floor alone until its turn comes", async () => {
    await open();
    await run(floorOpen, { topic: "First" });
    await inATurn();
    await ask(floorClose, {});
    await ask(floorOpen, { topic: "Second" });
    expect(await latest()).toMatchObject({ topic: "First", closedAtMs: null });
    await run(roundStop, {});
    expect(await latest()).toMatchObject({ topic: "Second", closedAtMs: null });
    expect(stage.lines().slice(-2)).toEqual([
      expect.stringContaining("The floor is closed"),
      expect.stringContaining("Second"),
    ]);
  });

  it("closes the floor also when its summary is stopped, and says that there is none", async () => {
    await open();
    await run(floorOpen, { topic: "First" });
    stage.services.model.answerTo("turn", HANG);
    await ask(floorClose, { summary: true });
    await stage.services.model.requested(1);
    await expect(ask(floorClose, {})).rejects.toThrow("Closing is already under way.");
    await run(roundStop, {});
    expect(stage.lines().slice(-2)).toEqual([
      "(bot) -# Stopped by Ana.",
      "(bot) **The floor is closed** without a summary, since **Ana** stopped it.",
    ]);
    expect((await latest())?.closedAtMs).not.toBeNull();
    await expect(ask(floorClose, {})).rejects.toThrow("No floor is open here");
  });

  it("says what it was when its channel is archived before it begins", async () => {
    await open();
    await inATurn();
    await ask(floorVote, { question: "Tea?", options: ["Yes", "No"] });
    await archiveGroup(stage.services, stage.group, aManager({ name: "Mo" }));
    await stage.app.onIdle();
    expect(stage.lines().slice(-2)).toEqual([
      "(bot) -# Stopped: Mo archived this channel.",
      "(bot) -# Not started, because this channel was archived: a vote called by **Ana**.",
    ]);
  });

  it("opens a floor when the moderated run before it has closed its own", async () => {
    await open();
    stage.services.model.answerTo("moderate", HANG);
    await ask(floorModerate, { goal: "Tea" });
    await stage.services.model.requested(1);
    await expect(ask(floorClose, {})).rejects.toThrow("closes the floor when it ends");
    await ask(floorOpen, { topic: "Second" });
    await run(roundStop, {});
    expect(await latest()).toMatchObject({ topic: "Second", closedAtMs: null });
    expect(stage.lines().at(-1)).toContain("Second");
    stage.services.model.answerTo("turn", "Well.");
    await run(floorTurns, { order: "selective", agents: ["Editor"] });
    const prompt = stage.services.model.lastRequest.messages.at(-1)?.text;
    expect(prompt).toContain("Topic: Second");
  });

  it("takes its topic from the floor that is open by then", async () => {
    await open();
    await inATurn();
    stage.services.model.answerTo("turn", "Well.");
    await ask(floorOpen, { topic: "Tea" });
    await ask(floorTurns, { order: "selective", agents: ["Editor"] });
    await run(roundStop, {});
    expect(stage.services.model.lastRequest.messages.at(-1)?.text).toContain("Topic: Tea");
    expect(stage.lines().at(-1)).toBe("Editor: Well.");
  });

  it.each<[string, FloorTask, string]>([
    ["a second opening", { do: "open" }, "A floor is open here already"],
    ["a second closing", { do: "close", hasSummary: false }, "was closed already"],
  ])("says in one line that it has become pointless: %s", async (_what, task, sentence) => {
    await open();
    if (task.do === "close") await store({ do: "open" }, "Tea");
    await store(task, "Tea");
    await store(task, "Coffee");
    await stage.app.onIdle();
    const floor = await latest();
    expect(floor?.topic).toBe("Tea");
    expect(stage.lines().at(-1)).toMatch(/^\(bot\) -# /u);
    expect(stage.lines().at(-1)).toContain(sentence);
    expect(stage.lines()).toHaveLength(task.do === "close" ? 3 : 2);
    expect(await run(roundWhy, {})).toContain(`Nothing was done for Ana. `);
    expect(await run(roundWhy, {})).toContain(sentence);
  });

  it("gives no turn to who has been removed or muted meanwhile, and none at all when nobody is left", async () => {
    await open(["Researcher", "Editor", "Planner", "Critic"]);
    const { storage, model } = stage.services;
    const id = (name: string) => stage.agents[name]?.id ?? asId("nobody");
    await inATurn();
    model.answerTo("turn", "Still here.");
    await ask(floorTurns, { order: "selective", agents: ["Researcher", "Editor", "Planner"] });
    await ask(floorTurns, { order: "selective", agents: ["Researcher", "Planner"] });
    await ask(floorVote, { question: "Q", options: ["Y", "N"], agents: ["Researcher"] });
    await storage.groups.update(stage.group.id, {
      members: [id("Editor"), id("Planner"), id("Critic")],
      muted: [id("Planner")],
    });
    await run(roundStop, {});
    expect(turns()).toHaveLength(2);
    expect(stage.lines().slice(-3)).toEqual([
      "Editor: Still here.",
      expect.stringContaining("none of the agents that were asked for can speak"),
      expect.stringContaining("none of the agents that were asked for can speak"),
    ]);
  });

  it("does not have a host moderate that is muted by then", async () => {
    await open();
    await inATurn();
    await ask(floorModerate, { goal: "Tea" });
    const muted = [stage.group.hostId];
    await stage.services.storage.groups.update(stage.group.id, { muted });
    await run(roundStop, {});
    expect(stage.lines().at(-1)).toContain("the host cannot moderate any more");
  });
});
