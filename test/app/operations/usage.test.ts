import { describe, expect, it } from "vitest";
import { runOperation } from "../../../src/app/operations/operation.js";
import { usage } from "../../../src/app/operations/usage.js";
import { sentenceOf } from "../../../src/app/report.js";
import { displayWidth } from "../../../src/domain/columns.js";
import type { AgentId, GroupId } from "../../../src/domain/ids.js";
import { ESTIMATED } from "../../../src/domain/usage.js";
import type { UsageRow } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aManager, aPerson, GUILD, placeOf } from "../../support/builders.js";
import { setUp } from "./setup.js";

const DAY_MS = 86_400_000;

async function stage(settings: Parameters<typeof setUp>[0] = {}) {
  const services = await setUp(settings);
  const editor = await addAgent(services, { displayName: "Editor" });
  const writer = await addAgent(services, { displayName: "Writer of long names and more" });
  const review = await addGroup(services, { displayName: "Review", members: [editor, writer] });
  const other = await addGroup(services, { displayName: "Other", members: [editor, writer] });
  const call = async (
    agentId: AgentId | null,
    groupId: GroupId | null,
    change: Partial<UsageRow> = {},
  ) =>
    services.storage.usage.add({
      atMs: services.clock.now(),
      guildId: GUILD,
      groupId,
      roundId: null,
      agentId,
      userId: null,
      purpose: "turn",
      model: "gpt-5-mini-2025-08-07",
      tokens: { inputTokens: 10_000, outputTokens: 1_000, cachedTokens: 0 },
      durationMs: 1,
      outcome: "ok",
      ...change,
    });
  return { services, editor, writer, review, other, call };
}

describe("/usage", () => {
  it("says which tokens are an estimate", async () => {
    const { services, editor, review, call } = await stage();
    await call(editor.id, review.id);
    const NOTE = "an estimate, since the model's endpoint did not count them.";
    expect(await services.run(usage, {})).not.toContain(NOTE);
    await call(editor.id, review.id, { outcome: ESTIMATED });
    const once = await services.run(usage, {});
    expect(once).toContain("2 calls: 20.0k tokens in");
    expect(once).toContain(`-# The tokens of one call are ${NOTE}`);
    await call(editor.id, review.id, { outcome: ESTIMATED });
    expect(await services.run(usage, {})).toContain(`-# The tokens of 2 calls are ${NOTE}`);
  });

  it("shows a manager the whole server: by agent, group, day and purpose, failed calls included", async () => {
    const prices = new Map([["gpt-5-mini", { input: 0.25, output: 2, cached: 0.025 }]]);
    const { services, editor, writer, review, other, call } = await stage({ settings: { prices } });
    await call(editor.id, review.id);
    await call(editor.id, other.id, { atMs: services.clock.now() - DAY_MS });
    await call(writer.id, null, { purpose: "direct", model: "unheard-of" });
    await call(null, review.id, { purpose: "judge", tokens: null, outcome: "timeout" });
    await call(editor.id, review.id, { atMs: services.clock.now() - 7 * DAY_MS });

    const text = await services.run(usage, {});
    expect(text.split("\n").map((line) => line.trimEnd())).toEqual([
      "**Usage of the last 7 days**",
      "4 calls (1 failed): 30.0k tokens in, 3000 out, <$0.01",
      "```",
      "agent            tokens  calls",
      "Editor            22.0k      2    <$0.01",
      "Writer of long…   11.0k      1",
      "(judge)               0      1     $0.00",
      "",
      "group            tokens  calls",
      "Review            11.0k      2    <$0.01",
      "Other             11.0k      1    <$0.01",
      "own channels      11.0k      1",
      "",
      "day (UTC)        tokens  calls",
      "2026-01-05        22.0k      3    <$0.01",
      "2026-01-04        11.0k      1    <$0.01",
      "",
      "purpose          tokens  calls",
      "turn              22.0k      2    <$0.01",
      "own channels      11.0k      1",
      "judge                 0      1     $0.00",
      "```",
      "-# Without a price in `PRICES`: unheard-of",
    ]);
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(60);
  });

  it("of one group and one day shows no more than that", async () => {
    const { services, editor, review, other, call } = await stage();
    await call(editor.id, review.id);
    await call(editor.id, other.id);
    await call(editor.id, review.id, { atMs: services.clock.now() - DAY_MS });
    const text = await services.run(usage, { group: "@review", days: 1 });
    expect(text).toContain("**Usage of today** in **Review**\n1 call: 10.0k tokens in, 1000 out\n");
    expect(text).not.toContain("Other");
    expect(text).not.toContain("$");
  });

  it("says when nothing was used", async () => {
    const { services } = await stage();
    expect(await services.run(usage, { days: 30 })).toBe(
      "**Usage of the last 30 days**\nNothing was used.",
    );
  });

  it("shows other people only the group in whose channel they are", async () => {
    const { services, editor, review, other, call } = await stage();
    await call(editor.id, review.id);
    await call(editor.id, other.id);
    const here = { ...services, asker: aPerson(), place: placeOf(review) };
    const own = (await runOperation(usage, here, {})).text;
    expect(own).toContain("in **Review**\n1 call:");
    expect((await runOperation(usage, here, { group: "Review" })).text).toBe(own);
    const refused = await runOperation(usage, here, { group: "Other" }).catch(sentenceOf);
    expect(refused).toMatch(/only managers .* see the rest/);
    expect(await services.refusal(usage, {}, aPerson())).toBe(refused);
    const asManager = { ...here, asker: aManager() };
    expect((await runOperation(usage, asManager, {})).text).toContain("2 calls:");
  });

  it.each([
    [{ days: 0 }, /at least one day/],
    [{ days: 367 }, /366 days at most/],
    [{ days: 1.5 }, /whole days/],
    [{ group: "nothing" }, /There is no group called “nothing”/],
  ])("refuses %j", async (input, sentence) => {
    const { services } = await stage();
    expect(await services.refusal(usage, input)).toMatch(sentence);
  });
});
