import * as fc from "fast-check";
import { expect, test } from "vitest";
import { asId, type ConversationId, compareSnowflakes } from "../../../../src/domain/ids.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { message, messageId, placeIn } from "../samples.js";

const CONVERSATION = asId<ConversationId>("500");
const EMPTY = asId<ConversationId>("404");
const idsOf = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);

export function messageStoreContract(storage: () => Storage): void {
  const record = async (...ids: (string | number)[]) => {
    for (const id of ids) await storage().messages.record(message(id), { isPending: false });
  };

  test("a message comes back as it was stored, of a person and of an agent", async () => {
    const ofPerson = message("1203", {
      text: "Hello @Editor 👋\n```js\n1\n```",
      attachments: [
        { name: "plan.txt", type: "text/plain", bytes: 12, url: "https://cdn.example/plan.txt" },
        { name: "x", type: null, bytes: 0, url: "https://cdn.example/x" },
      ],
      replyToId: messageId(1199),
      editedAtMs: 1_700_000_000_500,
    });
    const ofAgent = message("1204", {
      place: placeIn("500", "501"),
      author: { kind: "agent", agentId: asId("agent-editor"), name: "Editor" },
      roundId: asId("round-1"),
      turn: 2,
      seenThroughId: messageId(1203),
      deletedAtMs: 1_700_000_000_900,
    });
    expect(await storage().messages.record(ofPerson, { isPending: false })).toBe(true);
    expect(await storage().messages.record(ofAgent, { isPending: false })).toBe(true);
    expect(await storage().messages.get(ofPerson.id)).toEqual(ofPerson);
    expect(await storage().messages.get(ofAgent.id)).toEqual(ofAgent);
    expect(await storage().messages.get(messageId(1))).toBeNull();
  });

  test("a message that is known is not stored again, nor does it wait again", async () => {
    await record(10);
    const again = message(10, { text: "other" });
    expect(await storage().messages.record(again, { isPending: true })).toBe(false);
    expect(await storage().messages.get(again.id)).toEqual(message(10));
    expect(await storage().messages.pending(CONVERSATION)).toEqual([]);
  });

  test("of the same event arriving many times at once exactly one is new", async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => storage().messages.record(message(10), { isPending: true })),
    );
    expect(results.filter((isNew) => isNew)).toHaveLength(1);
    expect(await storage().messages.pending(CONVERSATION)).toHaveLength(1);
  });

  test("what no database can hold as text becomes a replacement character", async () => {
    const odd = message(10, { text: "a\0b\ud800c😀", attachments: [] });
    expect(await storage().messages.record(odd, { isPending: false })).toBe(true);
    expect((await storage().messages.get(odd.id))?.text).toBe("a\ufffdb\ufffdc😀");
    expect(await storage().messages.edit(odd.id, "a\0b\ud800c😀", 1)).toBe(false);
  });

  test("an edit changes text and time; the same text or an unknown message is no edit", async () => {
    await record(10);
    expect(await storage().messages.edit(messageId(10), "Better", 50)).toBe(true);
    expect(await storage().messages.get(messageId(10))).toEqual(
      message(10, { text: "Better", editedAtMs: 50 }),
    );
    expect(await storage().messages.edit(messageId(10), "Better", 60)).toBe(false);
    expect(await storage().messages.edit(messageId(11), "Better", 60)).toBe(false);
    expect((await storage().messages.get(messageId(10)))?.editedAtMs).toBe(50);
  });

  test("an edit that arrives after a newer one changes nothing", async () => {
    await record(10);
    await storage().messages.edit(messageId(10), "Newest", 90);
    expect(await storage().messages.edit(messageId(10), "Older", 80)).toBe(false);
    expect((await storage().messages.get(messageId(10)))?.text).toBe("Newest");
  });

  test("a deleted message is gone from every list but stays known", async () => {
    await record(10, 12);
    await storage().messages.record(message(11), { isPending: true });
    const marked = await storage().messages.markDeleted([messageId(11), messageId(99)], 70);
    expect(marked).toEqual(["11"]);
    expect(await storage().messages.markDeleted([messageId(11)], 80)).toEqual([]);
    expect(await storage().messages.markDeleted([], 80)).toEqual([]);
    expect(await storage().messages.get(messageId(11))).toEqual(message(11, { deletedAtMs: 70 }));
    expect(await storage().messages.record(message(11), { isPending: true })).toBe(false);
    expect(await storage().messages.pending(CONVERSATION)).toEqual([]);
    expect(await storage().messages.pendingPlaces()).toEqual([]);
    const transcript = await storage().messages.transcript(CONVERSATION, 10);
    expect(idsOf(transcript.messages)).toEqual(["10", "12"]);
    const recent = await storage().messages.recent(CONVERSATION, { before: null, limit: 10 });
    expect(idsOf(recent)).toEqual(["10", "12"]);
  });

  test("a transcript within the limit is whole and in the order of the ids, whatever their length", async () => {
    await record("1000000000000000000", "999999999999999999", "1000000000000000001");
    await storage().messages.record(message(5, { place: placeIn("500", "501") }), {
      isPending: false,
    });
    const { messages, omitted } = await storage().messages.transcript(CONVERSATION, 3);
    expect(idsOf(messages)).toEqual([
      "999999999999999999",
      "1000000000000000000",
      "1000000000000000001",
    ]);
    expect(omitted).toBe(0);
    expect(await storage().messages.transcript(EMPTY, 3)).toEqual({ messages: [], omitted: 0 });
  });

  test("a transcript through a message is what it was then", async () => {
    await record("999999999999999999", "1000000000000000000", "1000000000000000001");
    const through = async (id: string, limit: number) => {
      const { messages, omitted } = await storage().messages.transcript(
        CONVERSATION,
        limit,
        messageId(id),
      );
      return [idsOf(messages), omitted];
    };
    const both = ["999999999999999999", "1000000000000000000"];
    expect(await through("1000000000000000000", 3)).toEqual([both, 0]);
    expect(await through("1000000000000000000", 1)).toEqual([both.slice(1), 1]);
    await storage().messages.markDeleted([messageId("1000000000000000000")], 5);
    expect(await through("1000000000000000000", 3)).toEqual([both.slice(0, 1), 0]);
    expect(await through("1", 3)).toEqual([[], 0]);
  });

  test("past the limit the beginning moves in blocks of a quarter of the limit", async () => {
    const beginnings: [number, string | undefined][] = [];
    for (let id = 101; id <= 121; id++) {
      await record(id);
      const { messages, omitted } = await storage().messages.transcript(CONVERSATION, 16);
      expect(messages.at(-1)?.id).toBe(String(id));
      beginnings.push([omitted, messages[0]?.id]);
    }
    expect(beginnings.slice(15)).toEqual([
      [0, "101"],
      [4, "105"],
      [4, "105"],
      [4, "105"],
      [4, "105"],
      [8, "109"],
    ]);
  });

  test("whatever was recorded and deleted, a transcript is the newest of it with the rest counted", async () => {
    let conversation = 1_000;
    // Ids are unique over all runs, of 15 to 20 digits.
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ scale: fc.integer({ min: 7, max: 12 }), isDeleted: fc.boolean() }), {
          maxLength: 20,
        }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(25),
        async (plan, limit, beforeIndex) => {
          conversation += 1;
          const place = placeIn(String(conversation));
          const messages = plan.map(({ scale }) => {
            serial += 1;
            return message(String(10_000_000 + serial).padEnd(8 + scale, "0"), { place });
          });
          const deleted = messages.filter((_, index) => plan[index]?.isDeleted).map(({ id }) => id);
          for (const one of messages) await storage().messages.record(one, { isPending: false });
          await storage().messages.markDeleted(deleted, 1);

          const all = idsOf(messages).sort(compareSnowflakes);
          const live = all.filter((id) => !(deleted as string[]).includes(id));
          const id = asId<ConversationId>(String(conversation));
          const transcript = await storage().messages.transcript(id, limit);
          const block = Math.max(1, Math.floor(limit / 4));
          const omitted =
            live.length <= limit ? 0 : Math.ceil((live.length - limit) / block) * block;
          expect(transcript.omitted).toBe(omitted);
          expect(idsOf(transcript.messages)).toEqual(live.slice(omitted));

          const before = all[beforeIndex] === undefined ? null : messageId(all[beforeIndex]);
          const older = live.filter((one) => before === null || compareSnowflakes(one, before) < 0);
          const recent = await storage().messages.recent(id, { before, limit });
          expect(idsOf(recent)).toEqual(older.slice(-limit));
          expect(await storage().messages.newestId(id)).toBe(all.at(-1) ?? null);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("the newest id of a conversation may be of a deleted message", async () => {
    await record("99", "100");
    await storage().messages.markDeleted([messageId(100)], 5);
    expect(await storage().messages.newestId(CONVERSATION)).toBe("100");
    expect(await storage().messages.newestId(EMPTY)).toBeNull();
  });

  test("pending messages wait oldest first, each place named once, until they are settled", async () => {
    const thread = placeIn("500", "501");
    const wait = (id: number, place = placeIn("500")) =>
      storage().messages.record(message(id, { place }), { isPending: true });
    await wait(100);
    await wait(99);
    await wait(101, thread);
    await record(102);
    expect(idsOf(await storage().messages.pending(CONVERSATION))).toEqual(["99", "100"]);
    const places = await storage().messages.pendingPlaces();
    expect(places).toHaveLength(2);
    expect(places).toEqual(expect.arrayContaining([placeIn("500"), thread]));

    await storage().messages.settle([messageId(99), messageId(100), messageId(7)]);
    await storage().messages.settle([]);
    expect(await storage().messages.pending(CONVERSATION)).toEqual([]);
    expect(await storage().messages.pendingPlaces()).toEqual([thread]);
  });

  test("a replaced text is kept beside the new one", async () => {
    await record("100");
    expect(await storage().messages.replaceText(messageId(100), "Second", 7)).toBe(true);
    expect(await storage().messages.replaceText(messageId(100), "Third", 8)).toBe(true);
    expect(await storage().messages.replaceText(messageId(9), "Nothing", 8)).toBe(false);
    expect((await storage().messages.get(messageId(100)))?.text).toBe("Third");
    expect(await storage().messages.formerTexts(messageId(100))).toEqual(["Message 100", "Second"]);
    expect(await storage().messages.formerTexts(messageId(9))).toEqual([]);
  });

  test("what was made of a file, and who was asked, come back as they were", async () => {
    const file = {
      name: "a.txt",
      type: "text/plain",
      bytes: 3,
      url: "https://cdn.discordapp.com/a",
    };
    await storage().messages.record(
      message(100, { attachments: [file], askedId: asId("agent-editor") }),
      { isPending: true },
    );
    const read = [{ ...file, content: { kind: "text", text: "abc" } }] as const;
    await storage().messages.setAttachments(messageId(100), read);
    expect(await storage().messages.get(messageId(100))).toMatchObject({
      attachments: read,
      askedId: "agent-editor",
    });
  });
}
