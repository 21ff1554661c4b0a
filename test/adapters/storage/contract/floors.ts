import { expect, test } from "vitest";
import type { FloorTask } from "../../../../src/domain/floor.js";
import {
  asId,
  type ConversationId,
  type RoundId,
  type UserId,
} from "../../../../src/domain/ids.js";
import type { RoundEvent } from "../../../../src/domain/round/round.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { message, messageId, opened, placeIn, round, roundId } from "../samples.js";

const CONVERSATION = asId<ConversationId>("500");

export function floorStoresContract(storage: () => Storage): void {
  const begin = (id: string, trigger: number, task: FloorTask, floorId: RoundId = roundId(id)) =>
    storage().rounds.open(round(id, trigger, { place: placeIn("500"), kind: "moderated" }), {
      ...opened([]),
      floor: { floorId, topic: task.do === "open" ? "Tea" : null, by: "Ana", task },
    });
  const close = (floorId: string): RoundEvent => ({
    type: "announced",
    notice: { type: "floorClosed", by: "Ana", floorId: roundId(floorId) },
    messageId: messageId(99),
  });
  const moderate: FloorTask = { do: "moderate", goal: "Decide." };

  test("a floor opens with its round and closes with what is said in one", async () => {
    expect(await storage().floors.latest(CONVERSATION)).toBeNull();
    expect(await begin("f1", 10, { do: "open" })).toBe(true);
    const floor = await storage().floors.latest(CONVERSATION);
    expect(floor).toMatchObject({ floorId: "f1", topic: "Tea", openedBy: "Ana", closedAtMs: null });
    await storage().rounds.append(roundId("f1"), 1, [close("other")], { atMs: 20 });
    expect((await storage().floors.latest(CONVERSATION))?.closedAtMs).toBeNull();
    await storage().rounds.append(roundId("f1"), 2, [close("f1")], { atMs: 30 });
    expect((await storage().floors.latest(CONVERSATION))?.closedAtMs).toBe(30);
  });

  test("a second floor is not opened while one is open, and nothing of its round is stored", async () => {
    await begin("f1", 10, { do: "open" });
    expect(await begin("f2", 11, { do: "open" })).toBe(false);
    expect(await storage().rounds.get(roundId("f2"))).toBeNull();
    expect((await storage().floors.latest(CONVERSATION))?.floorId).toBe("f1");
    await storage().rounds.append(roundId("f1"), 1, [close("f1")], { atMs: 20 });
    expect(await begin("f2", 11, { do: "open" })).toBe(true);
    expect((await storage().floors.latest(CONVERSATION))?.floorId).toBe("f2");
  });

  test("anything else opens a floor without a topic, which may be given one", async () => {
    await begin("r1", 10, moderate);
    expect(await storage().floors.latest(CONVERSATION)).toMatchObject({
      floorId: "r1",
      topic: null,
    });
    await begin("r2", 11, moderate, roundId("r1"));
    expect((await storage().floors.latest(CONVERSATION))?.floorId).toBe("r1");
    expect(await begin("f1", 12, { do: "open" })).toBe(true);
    expect(await storage().floors.latest(CONVERSATION)).toMatchObject({
      floorId: "f1",
      topic: "Tea",
    });
    const rounds = await storage().floors.rounds(CONVERSATION, 2);
    expect(rounds.map(({ id }) => id)).toEqual(["f1", "r2"]);
  });

  test("a hint is claimed once for each person and floor", async () => {
    const [ana, ben] = [asId<UserId>("1"), asId<UserId>("2")];
    const { floors } = storage();
    expect(await floors.claimHint(CONVERSATION, null, ana)).toBe(true);
    expect(await floors.claimHint(CONVERSATION, null, ana)).toBe(false);
    expect(await floors.claimHint(CONVERSATION, null, ben)).toBe(true);
    expect(await floors.claimHint(CONVERSATION, roundId("f1"), ana)).toBe(true);
    expect(await floors.claimHint(asId("600"), null, ana)).toBe(true);
  });

  test("the feed has every message and event once, in the order in which they were stored", async () => {
    const { messages, rounds, feed } = storage();
    expect(await feed.newest()).toBe(0);
    await messages.record(message(12), { isPending: true });
    await messages.record(message(11, { place: placeIn("600") }), { isPending: false });
    await messages.record(message(12), { isPending: true });
    await rounds.open(round("r1", 12, { place: placeIn("500") }), opened([12]));
    expect(await rounds.open(round("r2", 12), opened([12]))).toBe(false);
    await rounds.append(
      roundId("r1"),
      1,
      [{ type: "expired" }, { type: "closed", outcome: "stale" }],
      {
        atMs: 30,
        message: message(13),
      },
    );
    await expect(
      rounds.append(roundId("r1"), 1, [{ type: "expired" }], { atMs: 31 }),
    ).rejects.toThrow();
    const all = await feed.since(0, { channelId: null, limit: 100 });
    const brief = all.map((entry) =>
      entry.kind === "message"
        ? entry.message.id
        : `${entry.roundId}/${entry.seq} ${entry.event.type}`,
    );
    expect(brief).toEqual(["12", "11", "r1/0 opened", "r1/1 expired", "r1/2 closed", "13"]);
    expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(all[3]?.atMs).toBe(30);
    expect(await feed.newest()).toBe(6);
    const some = await feed.since(2, { channelId: asId("500"), limit: 2 });
    expect(some.map(({ number }) => number)).toEqual([3, 4]);
    const elsewhere = await feed.since(0, { channelId: asId("600"), limit: 100 });
    expect(elsewhere.map(({ number }) => number)).toEqual([2]);
  });

  test("numbers of many writers at once have no gap, and none appears after a greater one", async () => {
    const { messages, feed } = storage();
    const seen: number[] = [];
    const look = async () => {
      const entries = await feed.since(seen.at(-1) ?? 0, { channelId: null, limit: 1_000 });
      seen.push(...entries.map(({ number }) => number));
    };
    const writers = Array.from({ length: 40 }, async (_, index) => {
      await messages.record(message(1_000 + index), { isPending: false });
      await look();
    });
    await Promise.all(writers.map((writer) => writer));
    await look();
    const once = [...new Set(seen)].sort((a, b) => a - b);
    expect(once).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });
}
