import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { usage } from "../../src/app/operations/usage.js";
import { ModelError } from "../../src/ports/model.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;

beforeEach(async () => {
  stage = await openStage({
    overrides: { settings: { dailyTokens: { server: null, group: 1_000, person: null } } },
  });
});

afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const toEditor = json({ researcher: 0, editor: 0.9 });
const TOLD = { inputTokens: 700, outputTokens: 300, cachedTokens: 0 };

/** What the turn of a round took, as it is stored. */
async function turnRow() {
  const rows = await stage.services.storage.usage.since(stage.place.guildId, 0);
  return rows.find(({ purpose }) => purpose === "turn");
}

async function fails(error: ModelError) {
  stage.services.model.answerTo("judge", toEditor).answerTo("turn", error);
  await stage.say("One?");
}

async function shownUsage(): Promise<string> {
  const context = { ...stage.services, asker: aManager(), place: stage.place };
  return (await runOperation(usage, context, {})).text;
}

describe("the tokens of a call that failed", () => {
  it("count as the endpoint told them, for `/usage` and for budgets", async () => {
    await fails(new ModelError("refused", "filtered", { usage: TOLD }));
    expect(await turnRow()).toMatchObject({ outcome: "refused", tokens: TOLD });
    expect(await shownUsage()).toContain("2 calls (1 failed): 800 tokens in, 310 out");
    await stage.say("Two?");
    expect(stage.lines().at(-1)).toMatch(/^\(bot\) -# This group has used up today's tokens/);
  });

  it("are an estimate of the prompt where a model may have worked and nothing tells", async () => {
    await fails(new ModelError("timeout", "slow", { usage: "unknown" }));
    const row = await turnRow();
    expect(row?.outcome).toBe("timeout, estimated");
    expect(row?.tokens).toMatchObject({ outputTokens: 0, cachedTokens: 0 });
    expect(row?.tokens?.inputTokens).toBeGreaterThan(50);
    expect(await shownUsage()).toContain("-# The tokens of one call are an estimate");
  });

  it("are an estimate where the endpoint told what cannot be", async () => {
    const told = { inputTokens: 1e15, outputTokens: 0, cachedTokens: 0 };
    await fails(new ModelError("bad-answer", "no choices", { usage: told }));
    expect((await turnRow())?.outcome).toBe("bad-answer, estimated");
    expect((await turnRow())?.tokens?.inputTokens).toBeLessThan(2_000);
  });

  it("are none where the endpoint refused it", async () => {
    await fails(new ModelError("unauthorized", "no key"));
    expect(await turnRow()).toMatchObject({ outcome: "unauthorized", tokens: null });
  });

  it("are an estimate of the prompt when it was stopped", async () => {
    const { model } = stage.services;
    model.answerTo("judge", toEditor).answerTo("turn", HANG);
    const round = stage.say("One?");
    await model.requested(2);
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    await runOperation(roundStop, context, {});
    await round;
    const row = await turnRow();
    expect(row?.outcome).toBe("aborted, estimated");
    expect(row?.tokens?.inputTokens).toBeGreaterThan(50);
  });
});
