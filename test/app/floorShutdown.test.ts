/** The process is asked to end while the floor is at work and further commands wait. */
import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { floorClose } from "../../src/app/operations/floorClose.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import type { ModelRequest } from "../../src/ports/model.js";
import { aPerson } from "../support/builders.js";
import { HANG, json, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(() => stage.close());

const speaker = (request: ModelRequest) =>
  /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1] ?? "nobody";

/** The same whoever asks again; a moderating host closes at once. */
function answer(request: ModelRequest): Scripted {
  if (request.purpose === "vote") return json({ choice: "Yes", reason: "So." });
  if (request.purpose !== "moderate") return `${speaker(request)}.`;
  return { toolCalls: [{ id: "c1", name: "close", argumentsJson: "{}" }] };
}

type Command = readonly [Operation, object];

async function give(commands: readonly Command[]): Promise<void> {
  const context = { ...stage.services, asker: aPerson({ name: "Ana" }), place: stage.place };
  for (const [operation, input] of commands) await runOperation(operation, context, input);
}

/** What stands in the channel when these commands are given one right after the other. */
async function play(
  commands: readonly Command[],
  ending: { readonly first: Scripted; readonly isCutOff: boolean } | null,
): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  stage = await openStage({ members: ["Researcher", "Editor"], kind: "moderated" });
  const { model, log, clock } = stage.services;
  const later = Array.from({ length: 40 }, () => answer);
  let release = (): void => undefined;
  const slow = new Promise<Scripted>((resolve) => {
    release = () => {
      resolve(ending?.first ?? "");
    };
  });
  if (ending !== null) model.answer(ending.isCutOff ? HANG : () => slow);
  model.answer(...later);
  await give(commands);
  if (ending === null) {
    await stage.app.onIdle();
    return { before: [], after: stage.lines() };
  }
  await model.requested(1);
  const stopping = stage.app.stop();
  if (ending.isCutOff) await clock.advance(21_000);
  else release();
  await stopping;
  const before = stage.lines();
  const next = createApp({ ...stage.services, mailboxes: createMailboxes(log) });
  await next.resume();
  await next.onIdle();
  return { before, after: stage.lines() };
}

const STORIES: readonly (readonly [string, readonly Command[]])[] = [
  [
    "a closing and a moderated run",
    [
      [floorTurns, { order: "batch" }],
      [floorClose, {}],
      [floorModerate, { goal: "Tea" }],
    ],
  ],
  [
    "a vote and more turns",
    [
      [floorTurns, { order: "batch" }],
      [floorVote, { question: "Tea?", options: ["Yes", "No"] }],
      [floorTurns, { order: "selective", agents: ["Editor"] }],
    ],
  ],
  [
    "an opening",
    [
      [floorTurns, { order: "batch" }],
      [floorClose, {}],
      [floorOpen, { topic: "Coffee" }],
    ],
  ],
];

describe("commands that wait when the process is asked to end", () => {
  describe.each(STORIES)("%s", (_what, commands) => {
    it.each([
      ["that hangs and is cut off", true],
      ["that may be finished", false],
    ])(
      "say nothing after a turn %s, and follow in their order after the restart",
      async (_how, isCutOff) => {
        const { after: whole } = await play(commands, null);
        await stage.close();
        const { before, after } = await play(commands, { first: "Researcher.", isCutOff });
        expect(before).toEqual(whole.slice(0, isCutOff ? 1 : 2));
        expect(after).toEqual(whole);
      },
    );
  });
});

describe("commands that have waited for long", () => {
  const restarted = async (awayMs: number) => {
    await stage.services.clock.advance(awayMs);
    const next = createApp({ ...stage.services, mailboxes: createMailboxes(stage.services.log) });
    await next.resume();
    await next.onIdle();
  };

  it.each([
    [
      "and are done when the process was away for a moment",
      60_000,
      ["Editor: Editor.", "closed**"],
    ],
    [
      "and are given up when it was away for a quarter of an hour",
      16 * 60_000,
      ["so this was not finished"],
    ],
  ])("wait behind turns %s", async (_what, awayMs, last) => {
    stage = await openStage({
      members: ["Researcher", "Editor"],
      kind: "moderated",
      overrides: { settings: { turnTimeoutMs: 60 * 60_000 } },
    });
    const { model, clock } = stage.services;
    let release = (): void => undefined;
    const slow = new Promise<Scripted>((resolve) => {
      release = () => {
        resolve("Researcher.");
      };
    });
    model.answer(() => slow, ...Array.from({ length: 9 }, () => answer));
    await give([
      [floorTurns, { order: "selective", agents: ["Researcher"] }],
      [floorTurns, { order: "selective", agents: ["Editor"] }],
      [floorClose, {}],
    ]);
    await model.requested(1);
    await clock.advance(16 * 60_000);
    const stopping = stage.app.stop();
    release();
    await stopping;
    expect(stage.lines()).toHaveLength(2);
    await restarted(awayMs);
    const lines = stage.lines().slice(-last.length);
    for (const [index, text] of last.entries()) expect(lines[index]).toContain(text);
  });
});
