import { expect, test } from "vitest";
import { asId, type MessageId, type UserId, type WebhookId } from "../../../../src/domain/ids.js";
import type { Place } from "../../../../src/domain/message.js";
import { ESTIMATE_MARK, ESTIMATED } from "../../../../src/domain/usage.js";
import type { Storage } from "../../../../src/ports/storage.js";
import {
  agentId,
  channelId,
  GUILD,
  groupId,
  OTHER_GUILD,
  placeIn,
  roundId,
  usage,
} from "../samples.js";

export function factStoresContract(storage: () => Storage): void {
  test("a model call comes back as it was counted, failed ones included", async () => {
    const good = usage({
      groupId: groupId("group-review"),
      roundId: roundId("round-1"),
      agentId: agentId("agent-editor"),
      userId: asId<UserId>("80351110224678912"),
    });
    const failed = usage({
      roundId: roundId("round-1"),
      purpose: "judge",
      tokens: null,
      outcome: "timeout",
      durationMs: 20_000,
    });
    await storage().usage.add(good);
    await storage().usage.add(failed);
    await storage().usage.add(usage({ roundId: roundId("round-2") }));
    expect(await storage().usage.ofRound(roundId("round-1"))).toEqual([good, failed]);
  });

  test("usage is added up by day, group, agent, purpose and model, failed calls included", async () => {
    const day = 20_000 * 86_400_000;
    const review = groupId("group-review");
    const editor = { groupId: review, agentId: agentId("agent-editor") };
    const huge = { inputTokens: 2_000_000_000, outputTokens: 5, cachedTokens: 0 };
    await storage().usage.add(usage({ ...editor, atMs: day - 1 }));
    await storage().usage.add(usage({ ...editor, atMs: day, outcome: ESTIMATED }));
    await storage().usage.add(
      usage({ ...editor, atMs: day + 5, outcome: "timeout", tokens: null }),
    );
    const some = { inputTokens: 7, outputTokens: 0, cachedTokens: 0 };
    await storage().usage.add(
      usage({ ...editor, atMs: day + 6, outcome: `timeout${ESTIMATE_MARK}`, tokens: some }),
    );
    await storage().usage.add(usage({ atMs: day + 86_399_999, tokens: huge }));
    await storage().usage.add(usage({ atMs: day + 86_399_999, tokens: huge }));
    await storage().usage.add(usage({ atMs: day + 86_400_000, purpose: "judge" }));
    await storage().usage.add(usage({ atMs: day, guildId: OTHER_GUILD }));

    const sums = await storage().usage.sums(GUILD, day, null);
    const common = { purpose: "turn", model: "some-model", failedCalls: 0, estimatedCalls: 0 };
    const small = { inputTokens: 127, outputTokens: 34, cachedTokens: 100 };
    expect(sums.toSorted((a, b) => b.calls - a.calls || a.dayMs - b.dayMs)).toHaveLength(3);
    expect(sums).toContainEqual({
      ...common,
      ...editor,
      ...small,
      dayMs: day,
      calls: 3,
      failedCalls: 2,
      estimatedCalls: 2,
    });
    expect(sums).toContainEqual({
      ...common,
      groupId: null,
      agentId: null,
      dayMs: day,
      calls: 2,
      inputTokens: 4_000_000_000,
      outputTokens: 10,
      cachedTokens: 0,
    });
    expect(await storage().usage.sums(GUILD, day, review)).toEqual([
      { ...common, ...editor, ...small, dayMs: day, calls: 3, failedCalls: 2, estimatedCalls: 2 },
    ]);
  });

  test("what was spent is told of the server, of a group and of a person", async () => {
    const ana = asId<UserId>("80351110224678912");
    const review = groupId("group-review");
    expect(
      await storage().usage.spent({ guildId: GUILD, groupId: review, userId: ana }, 0),
    ).toEqual({
      server: 0,
      group: 0,
      person: 0,
    });
    await storage().usage.add(usage({ atMs: 10, groupId: review }));
    await storage().usage.add(usage({ atMs: 10, userId: ana }));
    await storage().usage.add(usage({ atMs: 10, userId: ana, groupId: review, tokens: null }));
    await storage().usage.add(usage({ atMs: 9, userId: ana, groupId: review }));
    await storage().usage.add(usage({ atMs: 10, userId: ana, guildId: OTHER_GUILD }));
    const spent = (group: typeof review | null, userId: UserId | null) =>
      storage().usage.spent({ guildId: GUILD, groupId: group, userId }, 10);
    expect(await spent(review, ana)).toEqual({ server: 308, group: 154, person: 154 });
    expect(await spent(null, null)).toEqual({ server: 308, group: 0, person: 0 });
  });

  test("a call that used no tokens differs from one that did not tell", async () => {
    const none = usage({ tokens: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } });
    const untold = usage({ tokens: null, atMs: 9_001 });
    await storage().usage.add(none);
    await storage().usage.add(untold);
    expect(await storage().usage.since(GUILD, 0)).toEqual([none, untold]);
  });

  test("a duration with a fraction is rounded", async () => {
    await storage().usage.add(usage({ durationMs: 12.6 }));
    expect((await storage().usage.since(GUILD, 0))[0]?.durationMs).toBe(13);
  });

  test("usage since a moment is of one server, from that moment on, oldest first", async () => {
    const at = (atMs: number, guildId = GUILD) => storage().usage.add(usage({ atMs, guildId }));
    await at(300);
    await at(100);
    await at(200);
    await at(199);
    await at(250, OTHER_GUILD);
    const rows = await storage().usage.since(GUILD, 200);
    expect(rows.map((row) => row.atMs)).toEqual([200, 300]);
  });

  test("a channel's webhook is remembered, replaced and forgotten", async () => {
    const { webhooks } = storage();
    const webhookId = (id: string) => asId<WebhookId>(id);
    expect(await webhooks.get(channelId("1"))).toBeNull();
    await webhooks.set(channelId("1"), webhookId("10"));
    await webhooks.set(channelId("2"), webhookId("20"));
    await webhooks.set(channelId("1"), webhookId("11"));
    expect(await webhooks.get(channelId("1"))).toBe("11");
    await webhooks.remove(channelId("1"));
    await webhooks.remove(channelId("1"));
    expect(await webhooks.get(channelId("1"))).toBeNull();
    expect(await webhooks.get(channelId("2"))).toBe("20");
  });

  test("a setting is remembered and replaced", async () => {
    const { settings } = storage();
    expect(await settings.get("commands")).toBeNull();
    await settings.set("commands", "abc");
    await settings.set("commands", "");
    await settings.set("other", "x");
    expect(await settings.get("commands")).toBe("");
  });

  test("a status line is remembered by its button, and forgotten", async () => {
    const { statusLines } = storage();
    const line = (place: Place, buttonId: string, id: string | null) => ({
      place,
      buttonId,
      afterId: asId<MessageId>("100"),
      messageId: id === null ? null : asId<MessageId>(id),
    });
    const thread = placeIn("500", "501");
    await statusLines.set(line(placeIn("500"), "stop:a", null));
    await statusLines.set(line(placeIn("500"), "stop:a", "101"));
    await statusLines.set(line(thread, "stop:b", "102"));
    expect(await statusLines.list()).toEqual(
      expect.arrayContaining([
        line(placeIn("500"), "stop:a", "101"),
        line(thread, "stop:b", "102"),
      ]),
    );
    await statusLines.remove("stop:a");
    expect(await statusLines.list()).toEqual([line(thread, "stop:b", "102")]);
  });
}
