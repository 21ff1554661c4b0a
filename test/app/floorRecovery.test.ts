/**
 * The process dies around every write to the journal of a floor's round, and starts again: the
 * channel must not differ from that of an uninterrupted run, and nobody votes twice.
 */

import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { floorClose } from "../../src/app/operations/floorClose.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import type { ModelReply, ModelRequest } from "../../src/ports/model.js";
import type { Storage } from "../../src/ports/storage.js";
import { aPerson } from "../support/builders.js";
import { processEnd } from "../support/processEnd.js";
import { json, ScriptedModel } from "../support/scriptedModel.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";

interface Death {
  readonly nth: number;
  readonly when: "before" | "after";
}

/** A storage that stops working at the n-th write to a journal, for good. */
class Mortal {
  writes = 0;
  isDead = false;
  readonly storage: Storage;

  constructor(storage: Storage, death: Death | null) {
    const mortal = async <T>(write: () => Promise<T>): Promise<T> => {
      if (this.isDead) throw processEnd();
      this.writes += 1;
      const isHit = death !== null && this.writes === death.nth;
      if (isHit && death.when === "before") this.isDead = true;
      if (this.isDead) throw processEnd();
      const result = await write();
      if (isHit) this.isDead = true;
      if (this.isDead) throw processEnd();
      return result;
    };
    const { rounds } = storage;
    this.storage = {
      ...storage,
      rounds: {
        ...rounds,
        append: (...given) => mortal(() => rounds.append(...given)),
        // A round that waits does not begin any more.
        journal: async (id) => {
          if (this.isDead) throw processEnd();
          return rounds.journal(id);
        },
      },
    };
  }
}

const speaker = (request: ModelRequest) =>
  /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1] ?? "nobody";

const call = (name: string, given: object): Partial<ModelReply> => ({
  toolCalls: [{ id: `${name}-1`, name, argumentsJson: JSON.stringify(given) }],
});

/** Answers that depend on nothing but the request: the same whoever asks again. */
function answer(request: ModelRequest): string | Partial<ModelReply> {
  if (request.purpose === "vote") {
    return json({ choice: speaker(request) === "Editor" ? "No" : "Yes", reason: "So." });
  }
  if (request.purpose !== "moderate") return `${speaker(request)}.`;
  const done = request.messages.filter(({ role }) => role === "tool").length;
  const acts = [
    call("grant_turn", { agent: "editor" }),
    call("fly", {}),
    call("hold_vote", { question: "Tea?", options: ["Yes", "No"] }),
    call("read_history", {}),
    call("post", { text: "Well." }),
    call("grant_turn", { agent: "editor" }),
    call("close", { summary: "Tea." }),
  ];
  return acts[done] ?? "done";
}

interface Run {
  readonly lines: readonly string[];
  readonly writes: number;
  /** Agents that were asked to vote, in order. */
  readonly asked: readonly string[];
  readonly outcome: string | undefined;
}

async function run(
  [operation, input]: readonly [Operation, object],
  death: Death | null,
  times = 1,
): Promise<Run> {
  const storage = await openTestStorage();
  const mortal = new Mortal(storage, death);
  const model = new ScriptedModel().answer(...Array.from({ length: 100 }, () => answer));
  const stage: Stage = await openStage({
    members: ["Researcher", "Editor"],
    kind: "moderated",
    overrides: { storage: mortal.storage, model },
  });
  const { services, place } = stage;
  for (let given = 0; given < times; given += 1) {
    await runOperation(operation, { ...services, asker: aPerson(), place }, input);
  }
  await stage.app.onIdle();
  let last: TestServices = services;
  if (mortal.isDead) {
    const { chat, clock, ids } = services;
    last = await createTestServices({ storage, model, chat, clock, ids });
    const app = createApp(last);
    await app.resume();
    await app.onIdle();
  }
  const round = (await storage.floors.rounds(place.channelId as never, 1))[0];
  const journal = round === undefined ? [] : await storage.rounds.journal(round.id);
  const closed = journal.map(({ event }) => event).find((event) => event.type === "closed");
  const result = {
    lines: stage.lines(),
    writes: mortal.writes,
    asked: model.requests.filter(({ purpose }) => purpose === "vote").map(speaker),
    outcome: closed?.outcome,
  };
  await storage.close();
  return result;
}

const STORIES: readonly (readonly [string, Operation, object])[] = [
  ["turns", floorTurns, { order: "round_robin", rounds: 2 }],
  ["a vote", floorVote, { question: "Tea?", options: ["Yes", "No"] }],
  ["a moderated run", floorModerate, { goal: "Tea" }],
];

describe("a floor whose process dies", () => {
  it.each(STORIES)("goes on where it was: %s", async (_what, operation, input) => {
    const whole = await run([operation, input], null);
    expect(whole.writes).toBeGreaterThan(4);
    expect(whole.outcome).toBe("done");
    for (let nth = 1; nth <= whole.writes; nth += 1) {
      for (const when of ["before", "after"] as const) {
        const broken = await run([operation, input], { nth, when });
        expect({ nth, when, ...broken }).toMatchObject({
          nth,
          when,
          lines: whole.lines,
          outcome: "done",
        });
        // What was not written down has to be asked for again, and nothing else.
        const again = broken.asked.length - whole.asked.length;
        expect(again).toBeLessThanOrEqual(when === "before" ? 1 : 0);
      }
    }
  });
});

describe("a command that is given twice at once", () => {
  it("is done twice, wherever the process dies", async () => {
    const story = [floorTurns, { order: "batch" }] as const;
    const whole = await run(story, null, 2);
    for (let nth = 1; nth <= whole.writes; nth += 1) {
      const broken = await run(story, { nth, when: "before" }, 2);
      expect({ nth, lines: broken.lines }).toEqual({ nth, lines: whole.lines });
      expect(broken.outcome).toBe("done");
    }
  });
});

describe("a floor that was left for long", () => {
  it("is given up when nothing has happened for a quarter of an hour, and not because it is old", async () => {
    const storage = await openTestStorage();
    const mortal = new Mortal(storage, { nth: 4, when: "after" });
    const model = new ScriptedModel().answer(...Array.from({ length: 20 }, () => answer));
    const stage = await openStage({
      members: ["Researcher", "Editor"],
      kind: "moderated",
      overrides: { storage: mortal.storage, model },
    });
    const { services, place } = stage;
    const give = async (operation: Operation, name: string, input: object) => {
      const context = { ...services, asker: aPerson({ name }), place };
      await runOperation(operation, context, input);
    };
    await give(floorTurns, "Ada", { order: "batch" });
    await give(floorVote, "Ben", { question: "Tea?", options: ["Yes", "No"] });
    await give(floorTurns, "Ada", { order: "batch" });
    await give(floorClose, "Ben", {});
    await stage.app.onIdle();
    expect(mortal.isDead).toBe(true);
    const { chat, clock, ids } = services;
    await clock.advance(16 * 60_000);
    const app = createApp(await createTestServices({ storage, model, chat, clock, ids }));
    await app.resume();
    await app.onIdle();
    // One line for each that was given up, also where two have the same words.
    const away = "(bot) -# I was away for more than 15 minutes, so this was not finished:";
    expect(stage.lines().slice(-4)).toEqual([
      `${away} turns given by **Ada**.`,
      `${away} a vote called by **Ben**.`,
      `${away} turns given by **Ada**.`,
      `${away} closing the floor, asked for by **Ben**.`,
    ]);
    await storage.close();
  });
});
