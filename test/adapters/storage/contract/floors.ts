import { expect, test } from "vitest";
import {
  asId,
  type ConversationId,
  type GuildId,
  type UserId,
} from "../../../../src/domain/ids.js";
import type { RoundEvent } from "../../../../src/domain/round/round.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { agentId, message, messageId, opened, placeIn, round, roundId } from "../samples.js";

const CONVERSATION = asId<ConversationId>("500");

export function floorStoresContract(storage: () => Storage): void {
  const open = (id: string, trigger: number) =>
    storage().rounds.open(round(id, trigger, { place: placeIn("500"), kind: "moderated" }), {
      ...opened([]),
      floor: { floorId: roundId(id), topic: null, by: "Ana", task: { do: "open" } },
    });
  const entered = (
    floorId: string,
    topic: string | null,
    opensFor: string | null = "Ana",
  ): RoundEvent => ({
    type: "entered",
    floorId: roundId(floorId),
    topic,
    opensFor,
    members: [],
    hostId: agentId("editor"),
    pointless: null,
  });
  const close = (floorId: string): RoundEvent => ({
    type: "announced",
    notice: { type: "floorClosed", by: "Ana", floorId: roundId(floorId) },
    messageId: messageId(99),
  });

  test("a floor opens when its round comes to its turn and closes with what is said in one", async () => {
    expect(await open("f1", 10)).toBe(true);
    expect(await storage().floors.latest(CONVERSATION)).toBeNull();
    await storage().rounds.append(roundId("f1"), 1, [entered("f1", "Tea")], { atMs: 15 });
    expect(await storage().floors.latest(CONVERSATION)).toEqual({
      floorId: "f1",
      topic: "Tea",
      openedBy: "Ana",
      openedAtMs: 15,
      closedAtMs: null,
    });
    await storage().rounds.append(roundId("f1"), 2, [close("other")], { atMs: 20 });
    expect((await storage().floors.latest(CONVERSATION))?.closedAtMs).toBeNull();
    await storage().rounds.append(roundId("f1"), 3, [close("f1")], { atMs: 30 });
    expect((await storage().floors.latest(CONVERSATION))?.closedAtMs).toBe(30);
  });

  test("a floor stays as it is for a round that belongs to it, and gives way to the next one", async () => {
    const latest = () => storage().floors.latest(CONVERSATION);
    await open("r1", 10);
    await open("r2", 11);
    await open("r3", 12);
    await storage().rounds.append(roundId("r1"), 1, [entered("r1", null)], { atMs: 15 });
    await storage().rounds.append(roundId("r2"), 1, [entered("r1", null, null)], { atMs: 16 });
    expect(await latest()).toMatchObject({ floorId: "r1", topic: null, openedAtMs: 15 });
    await storage().rounds.append(roundId("r3"), 1, [entered("r3", "Tea", "Ben")], { atMs: 17 });
    expect(await latest()).toMatchObject({ floorId: "r3", topic: "Tea", openedBy: "Ben" });
    const rounds = await storage().floors.rounds(CONVERSATION, 2);
    expect(rounds.map(({ id }) => id)).toEqual(["r3", "r2"]);
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
    const all = await feed.since(0, { of: "everything", limit: 100 });
    const brief = all.map((entry) =>
      entry.kind === "message"
        ? entry.message.id
        : `${entry.roundId}/${entry.seq} ${entry.event.type}`,
    );
    expect(brief).toEqual(["12", "11", "r1/0 opened", "r1/1 expired", "r1/2 closed", "13"]);
    expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(all[3]?.atMs).toBe(30);
    expect(await feed.newest()).toBe(6);
    const some = await feed.since(2, { of: { channelId: asId("500") }, limit: 2 });
    expect(some.map(({ number }) => number)).toEqual([3, 4]);
    const elsewhere = await feed.since(0, { of: { channelId: asId("600") }, limit: 100 });
    expect(elsewhere.map(({ number }) => number)).toEqual([2]);
    const { guildId } = all[0]?.place ?? {};
    const inServer = { of: { guildId: asId<GuildId>(guildId ?? "") }, limit: 100 };
    expect(await feed.since(0, inServer)).toEqual(all);
    expect(await feed.since(0, { of: { guildId: asId("999") }, limit: 100 })).toEqual([]);
  });

  test("numbers of many writers at once have no gap, and none appears after a greater one", async () => {
    const { messages, feed } = storage();
    const seen: number[] = [];
    const look = async () => {
      const entries = await feed.since(seen.at(-1) ?? 0, { of: "everything", limit: 1_000 });
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
