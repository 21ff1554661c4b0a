import * as fc from "fast-check";
import { expect, test } from "vitest";
import { asId, type ConversationId } from "../../../../src/domain/ids.js";
import type { RoundEvent } from "../../../../src/domain/round/round.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { agentId, message, messageId, opened, placeIn, reply, round, roundId } from "../samples.js";

/** Objects as the program makes them; fast-check would also make some without a prototype. */
const plain = <T>(fields: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record(fields, { noNullPrototype: true });

const CONVERSATION = asId<ConversationId>("500");

export function roundStoreContract(storage: () => Storage): void {
  const wait = (...ids: number[]) =>
    Promise.all(ids.map((id) => storage().messages.record(message(id), { isPending: true })));

  test("a round opens with its first event, and its trigger messages no longer wait", async () => {
    await wait(10, 11, 12);
    const first = round("r1", 11, { place: placeIn("500"), kind: "hosted" });
    expect(await storage().rounds.open(first, opened([10, 11]))).toBe(true);
    expect(await storage().rounds.get(first.id)).toEqual(first);
    expect(await storage().rounds.journal(first.id)).toEqual([
      { seq: 0, atMs: first.openedAtMs, event: opened([10, 11]) },
    ]);
    const pending = await storage().messages.pending(CONVERSATION);
    expect(pending.map(({ id }) => id)).toEqual(["12"]);
    expect(await storage().rounds.get(roundId("none"))).toBeNull();
    expect(await storage().rounds.journal(roundId("none"))).toEqual([]);
  });

  test("a second round with the same trigger is not stored and settles nothing", async () => {
    await wait(10, 11);
    await storage().rounds.open(round("r1", 11), opened([11]));
    expect(await storage().rounds.open(round("r2", 11), opened([10, 11]))).toBe(false);
    expect(await storage().rounds.get(roundId("r2"))).toBeNull();
    expect(await storage().rounds.journal(roundId("r2"))).toEqual([]);
    expect(await storage().messages.pending(CONVERSATION)).toHaveLength(1);
  });

  test("of rounds opened at once for one trigger exactly one exists", async () => {
    const results = await Promise.all(
      ["r1", "r2", "r3", "r4"].map((id) => storage().rounds.open(round(id, 11), opened([11]))),
    );
    expect(results.filter((isOpen) => isOpen)).toHaveLength(1);
    expect(await storage().rounds.unfinished()).toHaveLength(1);
  });

  test("events are appended in order, several at a time", async () => {
    const { rounds } = storage();
    await rounds.open(round("r1", 11), opened([11]));
    const judged: RoundEvent = {
      type: "judged",
      scores: [{ agentId: agentId("agent-editor"), score: 0.1 + 0.2 }],
      failure: null,
    };
    await rounds.append(roundId("r1"), 1, [judged, { type: "expired" }], { atMs: 20 });
    await rounds.append(roundId("r1"), 3, [], { atMs: 25 });
    await rounds.append(roundId("r1"), 3, [{ type: "closed", outcome: "stale" }], { atMs: 30 });
    expect(await rounds.journal(roundId("r1"))).toEqual([
      { seq: 0, atMs: 5_000, event: opened([11]) },
      { seq: 1, atMs: 20, event: judged },
      { seq: 2, atMs: 20, event: { type: "expired" } },
      { seq: 3, atMs: 30, event: { type: "closed", outcome: "stale" } },
    ]);
  });

  test.each([
    ["too low", 0],
    ["of an event that is there", 1],
    ["too high", 3],
  ])("a sequence number %s is refused, and nothing of it is stored", async (_what, seq) => {
    const { rounds, messages } = storage();
    const open = round("r1", 11);
    await rounds.open(open, opened([11]));
    await rounds.append(open.id, 1, [{ type: "expired" }], { atMs: 20 });
    const before = await rounds.journal(open.id);
    await expect(
      rounds.append(
        open.id,
        seq,
        [
          { type: "posted", part: 0, messageId: messageId(12) },
          { type: "closed", outcome: "done" },
        ],
        { atMs: 30, message: reply(12, open) },
      ),
    ).rejects.toMatchObject({ name: "StorageError", isTransient: false });
    expect(await rounds.journal(open.id)).toEqual(before);
    expect(await rounds.get(open.id)).toEqual(open);
    expect(await messages.get(messageId(12))).toBeNull();
  });

  test("of two writers that append at the same place one is refused", async () => {
    const { rounds } = storage();
    await rounds.open(round("r1", 11), opened([11]));
    const results = await Promise.allSettled(
      [20, 21, 22].map((atMs) => rounds.append(roundId("r1"), 1, [{ type: "expired" }], { atMs })),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await rounds.journal(roundId("r1"))).toHaveLength(2);
  });

  test("an event of a round that does not exist is refused", async () => {
    await expect(
      storage().rounds.append(roundId("none"), 0, [{ type: "expired" }], { atMs: 1 }),
    ).rejects.toMatchObject({ name: "StorageError" });
  });

  test("a posted event is stored together with its message", async () => {
    const { rounds, messages } = storage();
    const open = round("r1", 11);
    await rounds.open(open, opened([11]));
    const posted: RoundEvent = { type: "posted", part: 0, messageId: messageId(12) };
    await rounds.append(open.id, 1, [posted], { atMs: 20, message: reply(12, open) });
    expect(await messages.get(messageId(12))).toEqual(reply(12, open));
    expect(await messages.pending(CONVERSATION)).toEqual([]);

    // The message is known already: neither the event nor anything else is stored.
    await expect(
      rounds.append(open.id, 2, [posted], { atMs: 30, message: reply(12, open) }),
    ).rejects.toMatchObject({ name: "StorageError" });
    expect(await rounds.journal(open.id)).toHaveLength(2);
  });

  test("a closed event closes the round", async () => {
    const { rounds } = storage();
    const open = round("r1", 11);
    await rounds.open(open, opened([11]));
    await rounds.append(open.id, 1, [{ type: "closed", outcome: "done" }], { atMs: 77 });
    expect(await rounds.get(open.id)).toEqual({ ...open, closedAtMs: 77 });
    expect(await rounds.unfinished()).toEqual([]);
  });

  test("events come back exactly, whatever their texts and numbers hold", async () => {
    let serial = 0;
    const text = fc.string({ unit: "binary", maxLength: 40 }).map((drawn) => `${drawn}\0\ud800"\\`);
    const event: fc.Arbitrary<RoundEvent> = fc.oneof(
      plain({
        type: fc.constant("composed" as const),
        agentId: fc.constant(agentId("agent-editor")),
        displayName: text,
        parts: fc.array(plain({ content: text, share: text, file: fc.option(text) })),
        handoffs: fc.array(text.map(agentId)),
        seenThroughId: fc.constant(messageId(1)),
      }),
      plain({
        type: fc.constant("judged" as const),
        scores: fc.array(
          plain({
            agentId: text.map(agentId),
            // JSON has no negative zero, and a score is never one.
            score: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
        ),
        failure: fc.constant(null),
      }),
      plain({
        type: fc.constant("stopped" as const),
        by: fc.option(text),
        userId: fc.constant(null),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 5 }), async (events) => {
        serial += 1;
        const id = roundId(`round-${serial}`);
        await storage().rounds.open(round(id, serial), opened([serial]));
        await storage().rounds.append(id, 1, events, { atMs: 9 });
        const journal = await storage().rounds.journal(id);
        expect(journal.slice(1).map((entry) => entry.event)).toEqual(events);
        expect(journal.map((entry) => entry.seq)).toEqual(journal.map((_, index) => index));
      }),
      { numRuns: 25 },
    );
  });

  test("unfinished rounds are listed oldest first", async () => {
    const { rounds } = storage();
    const late = round("r1", 100, { openedAtMs: 9_000, place: placeIn("500", "501") });
    const sameTime = round("r2", 1_000, { openedAtMs: 7_000 });
    const early = round("r3", 999, { openedAtMs: 7_000 });
    for (const one of [late, sameTime, early]) await rounds.open(one, opened([one.triggerId]));
    const closed = round("r4", 98);
    await rounds.open(closed, opened([98]));
    await rounds.append(closed.id, 1, [{ type: "closed", outcome: "done" }], { atMs: 1 });
    expect(await rounds.unfinished()).toEqual([early, sameTime, late]);
  });

  test("the latest round of a conversation is its newest, closed or not; a thread has its own", async () => {
    const { rounds } = storage();
    expect(await rounds.latest(CONVERSATION)).toBeNull();
    const older = round("r1", 10, { openedAtMs: 100 });
    const newer = round("r0", 11, { openedAtMs: 200 });
    const inThread = round("r2", 12, { openedAtMs: 300, place: placeIn("500", "501") });
    for (const one of [newer, older, inThread]) await rounds.open(one, opened([one.triggerId]));
    expect(await rounds.latest(CONVERSATION)).toEqual(newer);
    await rounds.append(newer.id, 1, [{ type: "closed", outcome: "cap" }], { atMs: 201 });
    expect((await rounds.latest(CONVERSATION))?.id).toBe("r0");
    expect(await rounds.latest(asId<ConversationId>("501"))).toEqual(inThread);
  });

  test("a round is found by any message that started it and by its replies, deleted ones too", async () => {
    const { rounds, messages } = storage();
    await wait(10, 11, 13);
    const open = round("r1", 11);
    await rounds.open(open, opened([10, 11]));
    const posted: RoundEvent = { type: "posted", part: 0, messageId: messageId(12) };
    await rounds.append(open.id, 1, [posted], { atMs: 20, message: reply(12, open) });
    await messages.markDeleted([messageId(12)], 30);
    for (const id of [10, 11, 12]) {
      expect(await rounds.ofMessage(messageId(id))).toEqual(open);
    }
    expect(await rounds.ofMessage(messageId(13))).toBeNull();
    expect(await rounds.ofMessage(messageId(14))).toBeNull();
  });

  test("a round is found by its trigger when that was never stored as a message", async () => {
    const open = round("r1", 11);
    await storage().rounds.open(open, opened([11]));
    expect(await storage().rounds.ofMessage(messageId(11))).toEqual(open);
  });
}
