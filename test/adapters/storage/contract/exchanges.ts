import { expect, test } from "vitest";
import type { Chain } from "../../../../src/domain/chain.js";
import {
  asId,
  type ConversationId,
  type ThreadId,
  type UserId,
} from "../../../../src/domain/ids.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { agentId, channelId, message, opened, placeIn, round, roundId } from "../samples.js";

const CHAIN: Chain = {
  role: "request",
  id: roundId("r1"),
  startedBy: { userId: asId<UserId>("70"), name: "Ana" },
  depth: 1,
  fromId: agentId("agent-editor"),
  fromName: "Editor",
  about: "When?",
  back: placeIn("600"),
  threadId: asId<ThreadId>("601"),
};

export function exchangeStoreContract(storage: () => Storage): void {
  test("a chain has as many places as it has, each for one call, and a call keeps its own", async () => {
    const { exchanges } = storage();
    const claim = (key: string) => exchanges.claim(roundId("r1"), key, 2);
    expect([await claim("a"), await claim("b"), await claim("c"), await claim("a")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(await exchanges.claim(roundId("r2"), "c", 2)).toBe(true);
  });

  test("calls at one moment do not get more places than there are", async () => {
    const { exchanges } = storage();
    const keys = ["a", "b", "c", "d", "e"];
    const claimed = await Promise.all(keys.map((key) => exchanges.claim(roundId("r1"), key, 3)));
    expect(claimed.filter((isClaimed) => isClaimed)).toHaveLength(3);
  });

  test("the thread of two agents is found by both and the channel, and is known as one", async () => {
    const { exchanges } = storage();
    const between = {
      agentId: agentId("agent-a"),
      otherId: agentId("agent-b"),
      channelId: channelId("500"),
    };
    const thread = asId<ThreadId>("501");
    expect(await exchanges.thread(between)).toBeNull();
    await exchanges.setThread(between, asId<ThreadId>("499"));
    await exchanges.setThread(between, thread);
    expect(await exchanges.thread(between)).toBe(thread);
    expect(await exchanges.thread({ ...between, otherId: agentId("agent-c") })).toBeNull();
    expect(await exchanges.ofThread(thread)).toEqual(between);
    expect(await exchanges.ofThread(asId<ThreadId>("502"))).toBeNull();
  });

  test("a message to an agent is stored with its round's event, and waits with all that belongs to it", async () => {
    const { rounds, messages } = storage();
    const first = round("r1", 11, { kind: "direct", groupId: null });
    await rounds.open(first, opened([11]));
    expect(await rounds.get(first.id)).toEqual(first);
    const sent = message(20, { place: placeIn("700"), chain: CHAIN });
    await rounds.append(first.id, 1, [{ type: "sent", messageId: sent.id }], {
      atMs: 20,
      message: sent,
    });
    expect(await messages.pending(asId<ConversationId>("700"))).toEqual([sent]);
    expect(await messages.pendingPlaces()).toContainEqual(placeIn("700"));
  });
}
