import SqliteClient from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { useSqlite } from "../../src/adapters/storage/sqlite.js";
import { createStorage } from "../../src/adapters/storage/stores.js";
import { Outage } from "../../src/app/outage.js";
import { type PatientStorage, patientStorage } from "../../src/app/patientStorage.js";
import type { Agent } from "../../src/domain/agent.js";
import { asId, type ThreadId } from "../../src/domain/ids.js";
import { type Storage, StorageError } from "../../src/ports/storage.js";
import { addAgent, placeOf } from "../support/builders.js";
import { TestClock } from "../support/clock.js";
import { RecordingChat } from "../support/recordingChat.js";
import { json } from "../support/scriptedModel.js";
import { RecordingLog, risingSnowflakes, type TestServices } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";

const PAUSE_NOTICE = /^\(bot\) -# My database cannot be used just now/;

/** A database that fails when told so: `fails` is asked at each call, and says whether the call is done before. */
type Failing = (call: number, method: string) => "before" | "after" | null;

function flaky(storage: Storage, fails: Failing): Storage {
  let calls = 0;
  const wrap = <Store extends object>(store: Store): Store =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
        name,
        async (...args: unknown[]) => {
          calls += 1;
          const time = fails(calls, name);
          if (time === "before") throw new StorageError("away", { isTransient: true });
          const result = await method(...args);
          if (time === "after") throw new StorageError("away", { isTransient: true });
          return result;
        },
      ]),
    ) as Store;
  const wrapped = Object.fromEntries(
    Object.entries(storage).map(([name, store]: [string, object]) => [name, wrap(store)]),
  ) as unknown as Storage;
  return { ...wrapped, close: () => storage.close() };
}

interface World {
  readonly stage: Stage;
  readonly storage: PatientStorage;
  readonly outage: Outage;
  readonly closing: AbortController;
}

let world: World | null = null;
afterEach(async () => {
  world?.closing.abort();
  await world?.stage.close();
  world = null;
});

async function open(storage: Storage): Promise<World> {
  const clock = new TestClock();
  const chat = new RecordingChat({ nextId: risingSnowflakes(() => clock.now()) });
  const log = new RecordingLog();
  const closing = new AbortController();
  const outage = new Outage({ chat, clock, log }, closing.signal);
  const patient = patientStorage(storage, outage);
  const stage = await openStage({ overrides: { storage: patient, chat, clock, log } });
  world = { stage, storage: patient, outage, closing };
  return world;
}

function agentsIn<const Names extends readonly string[]>(
  services: TestServices,
  ...names: Names
): Promise<{ readonly [Key in keyof Names]: Agent }>;
async function agentsIn(services: TestServices, ...names: readonly string[]): Promise<unknown> {
  const agents: Agent[] = [];
  for (const displayName of names) agents.push(await addAgent(services, { displayName }));
  return agents;
}

/** Lets time go on until it is done. */
async function afterWaiting(clock: TestClock, work: Promise<unknown>): Promise<void> {
  const running = new Set([work]);
  const finished = work.finally(() => running.delete(work));
  while (running.size > 0) await clock.advance(1_000);
  await finished;
}

const answers = (lines: readonly string[]) => lines.filter((line) => !PAUSE_NOTICE.test(line));

describe("a database that fails for a while", () => {
  it("changes nothing of a round, whatever call it fails at, done or not, and costs no model call", async () => {
    const run = async (failAt: number | null, time: "before" | "after") => {
      let isArmed = false;
      let since = 0;
      const { stage, closing } = await open(
        flaky(await openTestStorage(), (call) => {
          if (!isArmed) {
            since = call;
            return null;
          }
          const nth = call - since;
          return failAt !== null && nth >= failAt && nth < failAt + 3 ? time : null;
        }),
      );
      stage.services.model
        .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
        .answerTo("turn", "One.", "Two.");
      isArmed = true;
      await afterWaiting(stage.services.clock, stage.say("When was that?"));
      stage.services.model.assertDone();
      isArmed = false;
      const rounds = await stage.services.storage.rounds.unfinished();
      const outcome = { lines: answers(stage.lines()), open: rounds.length };
      const told = stage.lines().length - outcome.lines.length;
      closing.abort();
      await stage.close();
      world = null;
      return { outcome, told };
    };
    const undisturbed = await run(null, "before");
    expect(undisturbed).toEqual({
      outcome: { lines: ["Researcher: One.", "Editor: Two."], open: 0 },
      told: 0,
    });
    let told = 0;
    for (const time of ["before", "after"] as const) {
      for (let failAt = 1; failAt <= 60; failAt += 1) {
        const disturbed = await run(failAt, time);
        expect(disturbed.outcome, `call ${failAt} ${time}`).toEqual(undisturbed.outcome);
        expect(disturbed.told).toBeLessThanOrEqual(1);
        told += disturbed.told;
      }
    }
    expect(told).toBeGreaterThan(10);
  });

  it("says so once where people write, and answers afterwards what they wrote, once and in order", async () => {
    let isDown = false;
    const { stage, outage } = await open(
      flaky(await openTestStorage(), () => (isDown ? "before" : null)),
    );
    const { model, clock, log } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "Before.");
    await stage.say("Zero?");
    isDown = true;
    const first = stage.say("One?");
    const second = stage.say("Two?");
    await clock.advance(60_000);
    expect(outage.isOn).toBe(true);
    expect(stage.lines()).toEqual(["Editor: Before.", expect.stringMatching(PAUSE_NOTICE)]);

    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "After.");
    isDown = false;
    await afterWaiting(clock, Promise.all([first, second]));
    expect(stage.lines()).toEqual([
      "Editor: Before.",
      expect.stringMatching(PAUSE_NOTICE),
      "Editor: After.",
    ]);
    expect(model.lastRequest.messages.at(-1)?.text).toContain("One?\n[Ana (person)] Two?");
    expect(log.messages("error")).toEqual([
      "the database cannot do its work; everything waits until it can",
    ]);
    model.assertDone();
  });

  it("while a model answers is said where people wait for it, whatever call it fails at", async () => {
    let isDown = false;
    const { stage } = await open(flaky(await openTestStorage(), () => (isDown ? "before" : null)));
    const { model, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", () => {
      isDown = true;
      return "Here it is.";
    });
    const said = stage.say("One?");
    await model.requested(2);
    await clock.advance(10_000);
    expect(stage.lines()).toEqual([expect.stringMatching(PAUSE_NOTICE)]);
    isDown = false;
    await afterWaiting(clock, said);
    expect(answers(stage.lines())).toEqual(["Editor: Here it is."]);
    model.assertDone();
  });

  it("that works again is noticed when somebody writes, who is told nothing", async () => {
    let isDown = false;
    const { stage, outage, closing } = await open(
      flaky(await openTestStorage(), () => (isDown ? "before" : null)),
    );
    const { model, clock } = stage.services;
    isDown = true;
    const waiting = stage.services.storage.settings.get("x");
    await clock.advance(60_000);
    isDown = false;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "At once.");
    const atMs = clock.now();
    await stage.say("One?");
    expect(clock.now()).toBe(atMs);
    expect(outage.isOn).toBe(false);
    expect(stage.lines()).toEqual(["Editor: At once."]);
    await waiting;
    model.assertDone();
    closing.abort();
  });

  it("ends what waits when the process ends, without a further answer", async () => {
    let isDown = false;
    const { stage, closing } = await open(
      flaky(await openTestStorage(), () => (isDown ? "before" : null)),
    );
    isDown = true;
    const waiting = stage.app.router.received(stage.message("One?"));
    const outcome = expect(waiting).rejects.toMatchObject({ name: "StorageError" });
    await stage.services.clock.advance(5_000);
    closing.abort();
    await outcome;
    isDown = false;
    expect(answers(stage.lines())).toEqual([]);
  });

  it("is said wherever agents hear people, also in threads and where nothing was written before, and nowhere else", async () => {
    let isDown = false;
    const raw = await openTestStorage();
    const { stage, storage } = await open(flaky(raw, () => (isDown ? "before" : null)));
    const { chat, clock } = stage.services;
    const [ada, ben, eve] = await agentsIn(
      { ...stage.services, storage: raw },
      "Ada",
      "Ben",
      "Eve",
    );
    await raw.archive.archiveAgent(eve.id, clock.now());
    await storage.agents.list(ada.guildId);
    const [cy] = await agentsIn({ ...stage.services, storage: storage.atOnce }, "Cy");
    isDown = true;
    const heard = [
      placeOf(ada),
      placeOf(ben),
      placeOf(cy),
      { ...stage.place, threadId: asId<ThreadId>("700000000000000001") },
    ];
    const unheard = [placeOf(eve), { ...stage.place, channelId: chat.addChannel() }];
    const said = [...heard, ...heard, ...unheard].map((place) => stage.say("One?", { place }));
    await clock.advance(30_000);
    for (const place of heard) {
      expect(chat.lines(place)).toEqual([expect.stringMatching(PAUSE_NOTICE)]);
    }
    for (const place of unheard) expect(chat.lines(place)).toEqual([]);
    stage.services.model.answer(...Array.from({ length: 20 }, () => "Yes."));
    isDown = false;
    await afterWaiting(clock, Promise.all(said));
    expect(answers(chat.lines(placeOf(ada)))).toEqual(["Ada: Yes."]);
  });

  it("does not keep a fault waiting that time cannot heal", async () => {
    const { stage, outage } = await open(await openTestStorage());
    const broken = outage.through(stage.place, async () => {
      throw new StorageError("damaged", { isTransient: false });
    });
    await expect(broken).rejects.toMatchObject({ message: "damaged" });
    expect(outage.isOn).toBe(false);
    expect(stage.lines()).toEqual([]);
  });
});

describe("a full disk", () => {
  it("stops a round where it is, and the round goes on when there is room", async () => {
    const client = new SqliteClient(":memory:");
    const { stage } = await open(createStorage(useSqlite(client), "The file"));
    const { model, clock } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
      .answerTo("turn", `${"long ".repeat(1_500)}end.`);
    const pages = Number(client.pragma("page_count", { simple: true }));
    client.pragma(`max_page_count = ${pages}`);
    const said = stage.say(`Tell me. ${"x".repeat(1_900)} ${"y".repeat(9_000)}`);
    await clock.advance(120_000);
    expect(stage.lines()).toEqual([expect.stringMatching(PAUSE_NOTICE)]);

    client.pragma("max_page_count = 100000");
    await afterWaiting(clock, said);
    expect(answers(stage.lines()).at(-1)).toMatch(/end\.$/);
    model.assertDone();
  });
});
