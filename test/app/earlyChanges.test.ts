/** What happened to a message is told, or has happened, before the message itself is known. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EarlyChanges } from "../../src/app/earlyChanges.js";
import { asId, type MessageId } from "../../src/domain/ids.js";
import { conversationOf } from "../../src/domain/message.js";
import type { ReceivedMessage } from "../../src/ports/chat.js";
import { TestClock } from "../support/clock.js";
import { HANG, json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const editorSays = (text: string) =>
  stage.services.model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", text);
const edit = (message: ReceivedMessage, text: string, afterMs = 1) =>
  stage.app.router.edited(message.id, text, message.createdAtMs + afterMs);
const remove = (...ids: readonly MessageId[]) =>
  stage.app.router.deleted(conversationOf(stage.place), ids);
const lastHeard = () => stage.services.model.requests.at(-1)?.messages.at(-1)?.text;

/** Both ways by which a message becomes known. */
const ways = [
  ["arrives", (message: ReceivedMessage) => stage.app.router.received(message)],
  ["is caught up with", (message: ReceivedMessage) => stage.app.router.caughtUp([message])],
] as const;

describe.each(ways)("a message that %s", (_way, come) => {
  it("after it was deleted is answered by nobody and in no prompt", async () => {
    const gone = stage.message("Never mind");
    await remove(gone.id);
    await come(gone);
    editorSays("Yes.");
    await stage.say("Hello?");
    expect(lastHeard()).toBe("[Ana (person)] Hello?");
    expect(stage.lines()).toEqual(["Editor: Yes."]);
  });

  it("after it was edited is answered once, with its newer text", async () => {
    const message = stage.message("Old");
    await edit(message, "New");
    editorSays("Yes.");
    await come(message);
    await stage.app.onIdle();
    await come(message);
    await stage.app.onIdle();
    expect(lastHeard()).toBe("[Ana (person)] New");
    expect(stage.lines()).toEqual(["Editor: Yes."]);
  });

  it("after it was made a command is neither obeyed nor answered", async () => {
    const message = stage.message("Hello");
    await edit(message, "!gc list");
    await come(message);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([]);
    expect(await stage.services.storage.messages.get(message.id)).toBeNull();
  });

  it("as a command that was corrected is obeyed as it stands now", async () => {
    const message = stage.message("!gc lst");
    await edit(message, "!gc help");
    await come(message);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([expect.stringContaining("`!gc help`: these commands")]);
  });

  it("with a file that was taken away has only those that are left", async () => {
    const file = (name: string) => ({
      name,
      type: "image/png",
      bytes: 3,
      url: `https://cdn.discordapp.com/attachments/1/2/${name}`,
    });
    const message = stage.message("", { attachments: [file("a.png"), file("b.png")] });
    await stage.app.router.filesLeft(message.id, [file("b.png")]);
    editorSays("Yes.");
    await come(message);
    await stage.app.onIdle();
    const stored = await stage.services.storage.messages.get(message.id);
    expect(stored?.attachments.map(({ name }) => name)).toEqual(["b.png"]);
  });

  it("with a text that is newer than an edit keeps it", async () => {
    const message = stage.message("Newest", { editedAtMs: stage.services.clock.now() + 5 });
    await edit(message, "Earlier", 1);
    editorSays("Yes.");
    await come(message);
    await stage.app.onIdle();
    await edit(message, "Between", 2);
    expect(await stage.services.storage.messages.get(message.id)).toMatchObject({
      text: "Newest",
      editedAtMs: message.editedAtMs,
    });
    expect(lastHeard()).toBe("[Ana (person)] Newest");
  });
});

describe("a stop", () => {
  it.each(ways)("that %s after it was deleted stops nothing", async (_way, come) => {
    stage.services.model.answerTo("judge", HANG);
    void stage.app.router.received(stage.message("Hello?"));
    await stage.services.model.requested(1);
    const stop = stage.message("stop");
    await remove(stop.id);
    await come(stop);
    expect(stage.lines()).toEqual([]);
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });
});

describe("edits that come in the wrong order", () => {
  it("leave the newest text, also when that is the first one again", async () => {
    editorSays("Yes.");
    const message = await stage.say("Tea");
    await edit(message, "Tea", 2);
    await edit(message, "Coffee", 1);
    expect((await stage.services.storage.messages.get(message.id))?.text).toBe("Tea");
  });
});

describe("an agent's message that is deleted before it is stored", () => {
  it("is in no later prompt", async () => {
    const { rounds } = stage.services.storage;
    const append = rounds.append.bind(rounds);
    rounds.append = async (roundId, seq, events, options) => {
      if (options.message !== undefined) await remove(options.message.id);
      return append(roundId, seq, events, options);
    };
    editorSays("A bad word.");
    await stage.say("Say something");
    rounds.append = append;
    editorSays("Yes.");
    await stage.say("And now?");
    expect(JSON.stringify(stage.services.model.requests.at(-1)?.messages)).not.toContain("bad");
  });
});

describe("what was told of messages", () => {
  const id = (n: number) => asId<MessageId>(String(1_200_000_000_000_000_000n + BigInt(n)));

  it("is forgotten after a quarter of an hour", async () => {
    const clock = new TestClock();
    const changes = new EarlyChanges(clock);
    changes.deleted([id(1)]);
    await clock.advance(15 * 60_000 + 1);
    changes.deleted([id(2)]);
    expect([changes.isDeleted(id(1)), changes.isDeleted(id(2))]).toEqual([false, true]);
  });

  it("is kept of the newest 5,000", () => {
    const changes = new EarlyChanges(new TestClock());
    for (let n = 0; n <= 5_000; n += 1) changes.deleted([id(n)]);
    expect([changes.isDeleted(id(0)), changes.isDeleted(id(1))]).toEqual([false, true]);
  });
});
