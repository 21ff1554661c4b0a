import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { Recheck } from "../../src/app/recheck.js";
import type { MessageId } from "../../src/domain/ids.js";
import type { Message } from "../../src/domain/message.js";
import { ChatError, type ReceivedMessage } from "../../src/ports/chat.js";
import type { Seen } from "../../src/ports/listener.js";
import { GUILD } from "../support/builders.js";
import { processEnd } from "../support/processEnd.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
let seen: Seen | null | Error;
let asked: number;
const never = new AbortController().signal;

beforeEach(async () => {
  stage = await openStage();
  seen = null;
  asked = 0;
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const history = {
  newest: async () => {
    asked += 1;
    if (seen instanceof Error) throw seen;
    return seen;
  },
};
const recheck = () => new Recheck(history, stage.services);
const store = async (
  text: string,
  change: Partial<Pick<Message, "replyToId" | "debatePasses">> = {},
): Promise<ReceivedMessage> => {
  const message = stage.message(text);
  const { id, place, author, createdAtMs } = message;
  await stage.services.storage.messages.record(
    {
      id,
      place,
      author: { kind: "person", userId: author.userId, name: author.name },
      text,
      attachments: [],
      replyToId: null,
      askedId: null,
      createdAtMs,
      editedAtMs: null,
      deletedAtMs: null,
      roundId: null,
      turn: null,
      seenThroughId: null,
      ...change,
    },
    { isPending: false },
  );
  return message;
};
const standing = async () =>
  (await stage.services.storage.messages.transcript(stageConversation(), 100)).messages.map(
    ({ text }) => text,
  );
const stageConversation = () =>
  stage.place.channelId as string as Parameters<
    Stage["services"]["storage"]["messages"]["transcript"]
  >[0];
const all = (...ids: readonly MessageId[]): Seen => ({ ids, isWhole: true, edited: [] });

describe("what changed while nobody listened", () => {
  it("is taken over: deletions, edits, and nothing else", async () => {
    const [kept, gone, edited] = [await store("kept"), await store("gone"), await store("old")];
    seen = {
      ids: [kept.id, edited.id],
      isWhole: true,
      edited: [{ message: { ...edited, text: "new" }, editedAtMs: 5 }],
    };
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual(["kept", "new"]);
    expect((await stage.services.storage.messages.get(gone.id))?.deletedAtMs).not.toBeNull();
  });

  it("takes the topic of a debate away with the command that opened it", async () => {
    const command = stage.message("!gc debate 1 Hay");
    const topic = await store("Hay", { debatePasses: 1, replyToId: command.id });
    seen = all(command.id, topic.id);
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual(["Hay"]);
    seen = all(topic.id);
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual([]);
  });

  it("leaves what is further back than Discord was asked", async () => {
    await store("far away");
    const near = await store("near");
    seen = { ids: [near.id], isWhole: false, edited: [] };
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual(["far away", "near"]);
  });

  it("is the whole channel when nothing stands there any more", async () => {
    await store("purged");
    seen = all();
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual([]);
  });

  it.each([
    ["where the history may not be read", null],
    ["where Discord cannot be asked", new ChatError("unavailable", "Down.")],
  ])("changes nothing %s", async (_, answer) => {
    await store("kept");
    seen = answer;
    await recheck().of(stage.place, never);
    expect(await standing()).toEqual(["kept"]);
  });

  it("leaves what came live alone, which a history that lags behind does not have yet", async () => {
    const message = await store("just now");
    seen = all();
    const rechecked = recheck();
    rechecked.heard(message);
    await rechecked.of(stage.place, never);
    expect(await standing()).toEqual(["just now"]);
    rechecked.forget(stage.place.guildId);
    await rechecked.of(stage.place, never);
    expect(await standing()).toEqual([]);
  });

  it("is not waited for when Discord does not answer", async () => {
    await store("kept");
    const silent = new Recheck(
      {
        newest: (_place, _limit, signal) =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
          }),
      },
      stage.services,
    );
    const waited = silent.of(stage.place, never);
    await stage.services.clock.advance(5_000);
    await waited;
    expect(await standing()).toEqual(["kept"]);
  });

  it("is asked for once, and again after a new connection", async () => {
    const { id } = await store("kept");
    seen = all(id);
    const one = recheck();
    await one.of(stage.place, never);
    await one.of(stage.place, never);
    expect(asked).toBe(1);
    one.forget(GUILD);
    await one.of(stage.place, never);
    expect(asked).toBe(2);
  });

  it("stops an interrupted round whose trigger is gone, before any model is asked", async () => {
    const { model, chat, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Never seen.");
    chat.failNext("post", processEnd());
    await stage.say("Deleted later");
    seen = all();
    const again = createApp({ ...stage.services, recheck: recheck() });
    await again.resume();
    await again.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped: the message that started this was deleted."]);
    expect(await storage.rounds.unfinished()).toEqual([]);
  });
});
