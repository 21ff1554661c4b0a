import { afterEach, beforeEach, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { sayAgain } from "../../src/app/sayAgain.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import { conversationOf } from "../../src/domain/message.js";
import { aManager } from "../support/builders.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const messageIds = () => stage.services.chat.shown(stage.place).map(({ id }) => id);

/** Editor's reply of two messages is to become "Short.", and the process dies at that call. */
async function dyingAt(call: "editPost" | "remove", time: "before" | "after"): Promise<string> {
  const { services, place } = stage;
  const { model, chat } = services;
  const old = ["one", "two"].map((word) => `${word} ${"x ".repeat(900)}`.trim()).join("\n\n");
  model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", old);
  await stage.say("Well?");
  model.answerTo("turn", "Short.");
  chat.failNext(call, new ShuttingDown(), time);
  const [first] = messageIds();
  if (first === undefined) throw new Error("There is no reply.");
  const { later } = await sayAgain({ ...services, asker: aManager(), place }, first);
  return (await later)?.text ?? "";
}

async function restarted(): Promise<void> {
  const { services } = stage;
  const app = createApp({ ...services, mailboxes: createMailboxes(services.log) });
  await app.resume();
  await app.onIdle();
}

it.each([
  ["before a message is changed", "editPost", "before"],
  ["after a message is changed", "editPost", "after"],
  ["before a message is taken away", "remove", "before"],
  ["after a message is taken away", "remove", "after"],
] as const)(
  "a reply is the new one in the channel and in prompts when the process dies %s",
  async (_, call, time) => {
    const { storage } = stage.services;
    expect(await dyingAt(call, time)).toBe("I am being restarted. I go on with it when I am back.");
    await restarted();
    await restarted();
    expect(stage.lines()).toEqual(["Editor: Short."]);
    const [left] = messageIds();
    const { messages } = await storage.messages.transcript(conversationOf(stage.place), 9);
    expect(messages.map(({ text }) => text)).toEqual(["Well?", "Short."]);
    expect(left && (await storage.messages.formerTexts(left))).toHaveLength(1);
    expect(await storage.replyChanges.list()).toEqual([]);
  },
);

it("a reply that is deleted before the next start stays deleted", async () => {
  const { storage, chat } = stage.services;
  await dyingAt("editPost", "before");
  const ids = messageIds();
  for (const id of ids) await chat.remove(stage.place, id);
  await storage.messages.markDeleted(ids, 1);
  await restarted();
  expect(stage.lines()).toEqual([]);
  expect(await storage.replyChanges.list()).toEqual([]);
});
