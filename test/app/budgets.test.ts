import { afterEach, describe, expect, it } from "vitest";
import { ask } from "../../src/app/operations/ask.js";
import { floorClose } from "../../src/app/operations/floorClose.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { roundPreview } from "../../src/app/operations/roundPreview.js";
import { roundWhy } from "../../src/app/operations/roundWhy.js";
import { sentenceOf } from "../../src/app/report.js";
import type { Settings } from "../../src/app/services.js";
import { asId, type UserId } from "../../src/domain/ids.js";
import { conversationOf } from "../../src/domain/message.js";
import { ESTIMATED } from "../../src/domain/usage.js";
import type { TokenUsage } from "../../src/ports/model.js";
import { aPerson } from "../support/builders.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const NONE = { server: null, group: null, person: null };
const DAY_MS = 86_400_000;
/** A call of the scripted model. */
const CALL_TOKENS = 110;
/** Midnight after the day on which the test's clock begins, 2026-01-05. */
const MIDNIGHT = "<t:1767657600:f>";

async function open(dailyTokens: Partial<Settings["dailyTokens"]>) {
  stage = await openStage({
    overrides: { settings: { dailyTokens: { ...NONE, ...dailyTokens } } },
  });
}

const SCORES = JSON.stringify({ researcher: 0, editor: 0.9 });

/** One round of two calls: the judge's, and one turn. */
function answered(text: string) {
  stage.services.model
    .answerTo("judge", json({ researcher: 0, editor: 0.9 }))
    .answerTo("turn", text);
}

describe("a budget of the day", () => {
  it("that is used up silences a group with one notice until midnight, and nothing is answered later", async () => {
    await open({ group: 2 * CALL_TOKENS });
    answered("One.");
    await stage.say("One?");
    await stage.say("Two?");
    await stage.say("Three?");
    expect(stage.lines()).toEqual([
      "Editor: One.",
      `(bot) -# This group has used up today's tokens: agents are silent until midnight UTC (${MIDNIGHT}). Messages written until then will not be answered, so write again after that.`,
    ]);
    const { messages } = await stage.services.storage.messages.transcript(
      conversationOf(stage.place),
      10,
    );
    expect(messages.map(({ text }) => text)).toEqual(["One?", "One.", "Two?", "Three?"]);
    expect(await stage.services.storage.messages.pendingPlaces()).toEqual([]);

    await stage.services.clock.advance(DAY_MS);
    answered("Four.");
    await stage.say("Four?");
    await stage.say("Five?");
    expect(stage.lines().slice(2)).toEqual([
      "Editor: Four.",
      expect.stringMatching(/^\(bot\) -# This group has used up today's tokens/),
    ]);
  });

  it.each<[string, TokenUsage | null]>([
    ["tells nothing", null],
    ["tells less than nothing", { inputTokens: -5, outputTokens: -5, cachedTokens: 0 }],
    ["tells nothing but zeros", { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }],
    ["tells no numbers", { inputTokens: Number.NaN, outputTokens: 0.5, cachedTokens: 0 }],
    ["tells what cannot be", { inputTokens: 1e15, outputTokens: 1e15, cachedTokens: 1e15 }],
  ])("counts an estimate when the endpoint %s", async (_, usage) => {
    await open({ group: 5_000 });
    const { model, storage } = stage.services;
    model.answerTo("judge", { text: SCORES, usage }).answerTo("turn", { text: "One.", usage });
    await stage.say("One?");
    const rows = await storage.usage.since(stage.place.guildId, 0);
    expect(rows.map(({ outcome }) => outcome)).toEqual([ESTIMATED, ESTIMATED]);
    for (const { tokens } of rows) {
      expect(tokens?.inputTokens).toBeGreaterThan(50);
      expect(tokens?.inputTokens).toBeLessThan(2_000);
      expect(tokens?.outputTokens).toBeGreaterThan(0);
      expect(tokens?.outputTokens).toBeLessThan(20);
    }
    model
      .answerTo("judge", { text: SCORES, usage })
      .answerTo("turn", { text: "word ".repeat(4_000), usage });
    await stage.say("Two?");
    const before = stage.lines().length;
    await stage.say("Three?");
    expect(stage.lines().slice(before)).toEqual([
      expect.stringMatching(/^\(bot\) -# This group has used up today's tokens/),
    ]);
  });

  it("that is used up in a round lets the turn in flight end, and no other begin", async () => {
    await open({ server: 2 * CALL_TOKENS });
    stage.services.model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", "One.");
    await stage.say("One?");
    expect(stage.lines()).toEqual([
      "Researcher: One.",
      expect.stringMatching(/^\(bot\) -# This server has used up today's tokens/),
    ]);
    await stage.say("Two?");
    expect(stage.lines()).toHaveLength(2);
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    expect((await runOperation(roundWhy, context, {})).text).toContain(
      "**Stopped**: the day's tokens were used up",
    );
  });

  it("of a person silences agents for that person only, by name", async () => {
    await open({ person: 2 * CALL_TOKENS });
    answered("One.");
    await stage.say("One?");
    await stage.say("Two?");
    expect(stage.lines().at(-1)).toMatch(
      /^\(bot\) -# Ana has used up today's tokens: agents do not answer Ana until midnight UTC/,
    );
    const ben = aPerson({ name: "Ben", userId: asId<UserId>("800000000000000077") });
    answered("Three.");
    await stage.say("Three?", { author: ben });
    expect(stage.lines().at(-1)).toBe("Editor: Three.");
  });

  it("counts only its own day, group and server", async () => {
    await open({ group: 2 * CALL_TOKENS });
    const { storage, clock } = stage.services;
    const row = {
      atMs: clock.now() - DAY_MS,
      guildId: stage.group.guildId,
      groupId: stage.group.id,
      roundId: null,
      agentId: null,
      userId: null,
      purpose: "turn",
      model: "m",
      tokens: { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 },
      durationMs: 1,
      outcome: "ok",
    } as const;
    await storage.usage.add(row);
    await storage.usage.add({ ...row, atMs: clock.now(), groupId: null });
    answered("One.");
    await stage.say("One?");
    expect(stage.lines()).toEqual(["Editor: One."]);
  });

  it("refuses a question and a preview with until when", async () => {
    await open({ group: CALL_TOKENS });
    stage.services.model.answerTo("turn", "Here.");
    await stage.say("@editor @researcher");
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    const before = stage.services.chat.effects.length;
    for (const [operation, input] of [
      [ask, { agent: "Editor", text: "Why?" }],
      [roundPreview, { text: "Why?" }],
    ] as const) {
      const refused = await runOperation(operation, context, input).catch(sentenceOf);
      expect(refused).toMatch(/^This group has used up today's tokens: .*midnight UTC/);
    }
    expect(stage.services.chat.effects).toHaveLength(before);
  });

  it("refuses what a person asks for who has used up their own, in words to that person", async () => {
    await open({ person: CALL_TOKENS });
    stage.services.model.answerTo("turn", "Here.");
    await stage.say("@editor @researcher", { author: aPerson() });
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    const refused = await runOperation(ask, context, { agent: "Editor", text: "Why?" }).catch(
      sentenceOf,
    );
    expect(refused).toBe(
      `You have used up today's tokens: agents do not answer you until midnight UTC (${MIDNIGHT}).`,
    );
  });

  it("refuses turns, votes and a moderation on the floor before anything is posted or stored", async () => {
    await useUpFloor();
    const { services, place } = stage;
    const before = services.chat.effects.length;
    const rounds = await services.storage.floors.rounds(conversationOf(place), 10);
    for (const [operation, input] of [
      [floorTurns, { order: "batch" }],
      [floorVote, { question: "Tea?", options: ["Yes", "No"] }],
      [floorModerate, { goal: "Decide." }],
    ] as const) {
      const refused = await command(operation, input).catch(sentenceOf);
      expect(refused).toMatch(
        /^This group has used up today's tokens: .*midnight UTC \(.*\)\. Give the command again then\.$/,
      );
    }
    await stage.app.onIdle();
    expect(services.chat.effects).toHaveLength(before);
    expect(await services.storage.floors.rounds(conversationOf(place), 10)).toEqual(rounds);
  });

  it("that is used up between two turns ends them, and says to give the turns again", async () => {
    stage = await openStage({
      kind: "moderated",
      overrides: { settings: { dailyTokens: { ...NONE, group: CALL_TOKENS } } },
    });
    stage.services.model.answerTo("turn", "One.");
    await command(floorTurns, { order: "batch" });
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toMatch(/midnight UTC \(.*\)\. Give the turns again then\.$/u);
  });

  it("lets a floor be closed without the summary that was wanted, and says so", async () => {
    await useUpFloor();
    const answer = await command(floorClose, { summary: true });
    await stage.app.onIdle();
    expect(answer).toMatch(
      /^The floor is closed without a summary\. This group has used up today's tokens: .*midnight UTC \([^)]*\)\.$/,
    );
    const floor = await stage.services.storage.floors.latest(conversationOf(stage.place));
    expect(floor?.closedAtMs).not.toBeNull();
    expect(stage.lines().filter((line) => line.includes("used up"))).toEqual([]);
  });

  it("refuses a debate in words, and posts and stores no topic", async () => {
    stage = await openStage({
      kind: "hosted",
      members: ["Researcher", "Editor"],
      overrides: { settings: { dailyTokens: { ...NONE, group: CALL_TOKENS } } },
    });
    await useUp();
    await stage.say("!gc debate Is it art?");
    expect(stage.lines()).toEqual([
      expect.stringMatching(/^\(bot\) This group has used up today's tokens: .*midnight UTC/),
    ]);
    const { messages } = await stage.services.storage.messages.transcript(
      conversationOf(stage.place),
      10,
    );
    expect(messages.map(({ text }) => text)).not.toContain("Is it art?");
  });
});

/** A moderated group with an open floor, whose tokens are used up. */
async function useUpFloor() {
  stage = await openStage({
    kind: "moderated",
    overrides: { settings: { dailyTokens: { ...NONE, group: CALL_TOKENS } } },
  });
  await command(floorOpen, { topic: "Tea" });
  await stage.app.onIdle();
  await useUp();
}

async function useUp() {
  const { storage, clock } = stage.services;
  await storage.usage.add({
    atMs: clock.now(),
    guildId: stage.group.guildId,
    groupId: stage.group.id,
    roundId: null,
    agentId: null,
    userId: null,
    purpose: "turn",
    model: "m",
    tokens: { inputTokens: CALL_TOKENS, outputTokens: 0, cachedTokens: 0 },
    durationMs: 1,
    outcome: "ok",
  });
}

async function command(operation: Operation, input: object): Promise<string> {
  const context = { ...stage.services, asker: aPerson(), place: stage.place };
  return (await runOperation(operation, context, input)).text;
}
