import { beforeEach, expect, test } from "vitest";
import type { HostedChat } from "../../../../src/domain/hostedChat.js";
import { conversationOf } from "../../../../src/domain/message.js";
import type { RoundEvent } from "../../../../src/domain/round/round.js";
import type { Storage } from "../../../../src/ports/storage.js";
import type { Owed, OwedWords } from "../../../../src/ports/words.js";
import {
  agent,
  channelId,
  GUILD,
  group,
  message,
  messageId,
  OTHER_GUILD,
  opened,
  placeIn,
  round,
} from "../samples.js";

export function hostedChatStoreContract(storage: () => Storage): void {
  const [still, curren, ardan] = [agent("still"), agent("curren"), agent("ardan")];

  const chat = (fields: Partial<HostedChat> = {}): HostedChat => ({
    groupId: null,
    guildId: GUILD,
    channelId: channelId("600"),
    hostId: still.id,
    participants: [],
    startedAtMs: 1_800_000_000_000,
    ...fields,
  });

  beforeEach(async () => {
    for (const one of [still, curren, ardan]) await storage().agents.create(one);
  });

  test("a chat is found by its channel, with its participants in their order", async () => {
    const { hostedChats } = storage();
    const full = chat({ participants: [curren.id, ardan.id] });
    expect(await hostedChats.start(full)).toBe(true);
    expect(await hostedChats.byChannel(full.channelId)).toEqual(full);
    expect(await hostedChats.setParticipants(full.channelId, [ardan.id])).toBe(true);
    expect((await hostedChats.byChannel(full.channelId))?.participants).toEqual([ardan.id]);
    expect(await hostedChats.setParticipants(full.channelId, [])).toBe(true);
    expect((await hostedChats.byChannel(full.channelId))?.participants).toEqual([]);
  });

  test("a channel holds one chat, and a second start changes nothing", async () => {
    const { hostedChats } = storage();
    await hostedChats.start(chat());
    expect(await hostedChats.start(chat({ participants: [curren.id] }))).toBe(false);
    expect(await hostedChats.byChannel(channelId("600"))).toEqual(chat());
  });

  test("a chat that has ended is gone, and another one can be started", async () => {
    const { hostedChats } = storage();
    await hostedChats.start(chat({ participants: [curren.id] }));
    expect(await hostedChats.end(channelId("600"))).toBe(true);
    expect(await hostedChats.end(channelId("600"))).toBe(false);
    expect(await hostedChats.byChannel(channelId("600"))).toBeNull();
    expect(await hostedChats.setParticipants(channelId("600"), [ardan.id])).toBe(false);
    expect(await hostedChats.start(chat())).toBe(true);
    expect((await hostedChats.byChannel(channelId("600")))?.participants).toEqual([]);
  });

  test("the chats of a server are listed, oldest first", async () => {
    const { hostedChats } = storage();
    const later = chat({ channelId: channelId("601"), startedAtMs: 1_800_000_000_001 });
    const elsewhere = chat({ channelId: channelId("602"), guildId: OTHER_GUILD });
    for (const one of [later, chat(), elsewhere]) await hostedChats.start(one);
    expect(await hostedChats.list(GUILD)).toEqual([chat(), later]);
  });

  const words = (nonce: string, fields: Partial<OwedWords> = {}): OwedWords => ({
    nonce,
    place: placeIn("600"),
    text: `Words ${nonce}`,
    isSilent: true,
    afterId: messageId(1),
    atMs: 1_800_000_000_000,
    trigger: null,
    ...fields,
  });
  const owed = (of: readonly OwedWords[], obeyed: Owed["obeyed"] = null): Owed => ({
    words: of,
    obeyed,
    atMs: 1_800_000_000_000,
  });

  test("what is owed is listed in its order until it is settled, and stored once", async () => {
    const { words: store, obeyed } = storage();
    const { id: _, ...trigger } = message(20, { debatePasses: 3 });
    const topic = words("b", { trigger, isSilent: false, place: placeIn("600", "700") });
    await store.owe(owed([words("a")], messageId(7)));
    await store.owe(owed([topic, words("c")]));
    await store.owe(owed([words("a", { text: "Another text" })]));
    expect(await store.list()).toEqual([words("a"), topic, words("c")]);
    expect(await obeyed.has(messageId(7))).toBe(true);
    expect(await obeyed.has(messageId(8))).toBe(false);
    await store.settle("a", null);
    await store.settle("c", null);
    expect(await store.owes(conversationOf(placeIn("600")))).toBe(false);
    expect(await store.owes(conversationOf(topic.place))).toBe(true);
  });

  test("what begins a round waits for it once it is said, and one that is known stays as it is", async () => {
    const { words: store, messages } = storage();
    const { id, ...trigger } = message(20);
    await store.owe(owed([words("a", { trigger }), words("b", { trigger })]));
    await store.settle("a", { ...trigger, id });
    expect(await store.list()).toEqual([words("b", { trigger })]);
    expect(await messages.pending(conversationOf(trigger.place))).toEqual([{ ...trigger, id }]);
    await messages.settle([id]);
    expect(await store.settle("b", { ...trigger, id })).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await messages.pending(conversationOf(trigger.place))).toEqual([]);
  });

  test("what was called off before it was said begins no round", async () => {
    const { words: store, messages } = storage();
    const { id, ...trigger } = message(20);
    await store.owe(owed([words("a", { trigger })]));
    expect(await store.settle("a", null)).toBe(true);
    expect(await store.settle("a", { ...trigger, id })).toBe(false);
    expect(await messages.get(id)).toBeNull();
  });

  test("what a change owes is stored with it, and not without it", async () => {
    const { hostedChats, groups, words: store, obeyed } = storage();
    const news = (nonce: string, id: number) => owed([words(nonce)], messageId(id));
    expect(await hostedChats.setParticipants(channelId("600"), [], news("a", 1))).toBe(false);
    expect(await hostedChats.end(channelId("600"), news("a", 1))).toBe(false);
    expect(await obeyed.has(messageId(1))).toBe(false);
    expect(await store.list()).toEqual([]);
    await hostedChats.start(chat(), news("a", 1));
    expect(await hostedChats.start(chat(), news("no", 9))).toBe(false);
    await hostedChats.setParticipants(channelId("600"), [ardan.id], news("b", 2));
    await hostedChats.end(channelId("600"), news("c", 3));
    const panel = group("panel", [still, curren]);
    await groups.create(panel);
    await groups.update(panel.id, { members: [still.id, ardan.id] }, news("d", 4));
    await storage().archive.archiveAgent(ardan.id, 1_800_000_000_001);
    await groups.update(panel.id, { members: [still.id, ardan.id] }, news("no", 9));
    expect((await store.list()).map(({ nonce }) => nonce)).toEqual(["a", "b", "c", "d"]);
    expect(await obeyed.has(messageId(4))).toBe(true);
    expect(await obeyed.has(messageId(9))).toBe(false);
  });

  test("the topic of a debate keeps how many passes it has", async () => {
    const { messages } = storage();
    await messages.record(message(20, { debatePasses: 3 }), { isPending: true });
    expect((await messages.get(messageId(20)))?.debatePasses).toBe(3);
    await messages.record(message(21), { isPending: true });
    expect(await messages.get(messageId(21))).not.toHaveProperty("debatePasses");
  });

  test("the journals of a conversation since a message come oldest first, those of others not", async () => {
    const { rounds } = storage();
    const answer: RoundEvent = { type: "answered", agentId: curren.id, pass: 1, text: "Aye." };
    const older = round("r1", 9, { kind: "hosted" });
    const first = round("r2", 10, { kind: "hosted", openedAtMs: 9_000 });
    const second = round("r3", 100, { kind: "hosted", openedAtMs: 8_000 });
    const elsewhere = round("r4", 11, { place: placeIn("501") });
    for (const one of [second, older, first, elsewhere]) {
      await rounds.open(one, opened([one.triggerId]));
    }
    await rounds.append(first.id, 1, [answer], { atMs: 1 });
    expect(await rounds.since("500" as never, messageId(10))).toEqual([
      { round: first, events: [opened([10]), answer] },
      { round: second, events: [opened([100])] },
    ]);
    expect(await rounds.since("500" as never, messageId(101))).toEqual([]);
  });
}
