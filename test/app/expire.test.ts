import { afterEach, describe, expect, it } from "vitest";
import { STALE_ROUND_MS } from "../../src/domain/limits.js";
import type { Storage } from "../../src/ports/storage.js";
import { processEnd } from "../support/processEnd.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";
import { calling, cast, type Direct, openDirect } from "./direct/setup.js";

const DIED = processEnd();
const TOO_OLD = expect.stringMatching(/^\(bot\) .*too old to go on with/u);

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = await openStage(options);
  closing.push(() => stage.close());
  return stage;
}

/** The process is back when the rounds that it was in are too old. */
async function backTooLate({ services, app }: Pick<Stage, "services" | "app">): Promise<void> {
  await services.clock.advance(STALE_ROUND_MS + 1);
  await app.resume();
  await app.onIdle();
}

/** A database from which the process dies when the end of a round is to be stored. */
async function dyingAtTheEnd(): Promise<Storage> {
  const storage = await openTestStorage();
  let isDead = false;
  const { rounds } = storage;
  return {
    ...storage,
    close: () => storage.close(),
    rounds: {
      ...rounds,
      async append(...given) {
        const isEnd = given[2].some(({ type }) => type === "closed");
        if (isEnd && !isDead) {
          isDead = true;
          throw DIED;
        }
        await rounds.append(...given);
      },
    },
  };
}

describe("a round that is too old to go on after a restart", () => {
  it("ends without a word when its last reply stands in the channel, and later turns know that reply", async () => {
    const stage = await open();
    const { model, chat, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "In 1912.");
    chat.failNext("post", DIED, "after");
    await stage.say("When was that?");
    await backTooLate(stage);
    expect(stage.lines()).toEqual(["Editor: In 1912."]);
    expect(await storage.rounds.unfinished()).toEqual([]);

    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "No.");
    await stage.say("Sure?");
    expect(model.lastRequest.messages.slice(-3)).toEqual([
      { role: "user", text: "[Ana (person)] When was that?" },
      { role: "assistant", text: "In 1912." },
      { role: "user", text: "[Ana (person)] Sure?" },
    ]);
  });

  it("is too old when somebody was still to speak, and what stands in the channel is in the transcript", async () => {
    const stage = await open();
    const { model, chat, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0.6, editor: 0.9 })).answerTo("turn", "In 1912.");
    chat.failNext("post", DIED, "after");
    await stage.say("When was that?");
    await backTooLate(stage);
    expect(stage.lines()).toEqual(["Researcher: In 1912.", TOO_OLD]);
    const [shown] = chat.shown(stage.place);
    expect((await storage.messages.get(shown?.id as never))?.text).toBe("In 1912.");
  });

  it("posts nothing that was not posted", async () => {
    const stage = await open();
    const { model, chat } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "In 1912.");
    chat.failNext("post", DIED);
    await stage.say("When was that?");
    await backTooLate(stage);
    expect(stage.lines()).toEqual([TOO_OLD]);
  });

  it("ends without a word when nothing but its end was left", async () => {
    const stage = await open({ overrides: { storage: await dyingAtTheEnd() } });
    const { model, storage } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "In 1912.");
    await stage.say("When was that?");
    await backTooLate(stage);
    expect(stage.lines()).toEqual(["Editor: In 1912."]);
    expect(await storage.rounds.unfinished()).toEqual([]);
  });

  it("says what it had to say at its end, once", async () => {
    const stage = await open();
    const { model, chat } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 0.9 })).answerTo("turn", "", "");
    chat.failNext("announce", DIED, "after");
    await stage.say("When was that?");
    const said = stage.lines();
    expect(said).toEqual([expect.stringContaining("Editor")]);
    await backTooLate(stage);
    expect(stage.lines()).toEqual(said);
  });

  it("tells who asked when a message to another agent stands in its channel and nobody took it up", async () => {
    const direct: Direct = await openDirect({ agents: ["Researcher", "Editor"] });
    closing.push(() => direct.close());
    const { chat } = direct.services;
    cast(direct, {
      Editor: [
        calling(["message_agent", { to: "Researcher", text: "When?" }]),
        "There is no answer.",
      ],
    });
    const post = chat.post.bind(chat);
    chat.post = async (...given) => {
      const id = await post(...given);
      if (given[0].place.threadId !== null) return id;
      chat.post = post;
      throw DIED;
    };
    await direct.say("Editor", "Ask.");
    await backTooLate(direct);
    expect(direct.lines("Researcher")).toEqual(["Editor: When?", TOO_OLD]);
    expect(direct.lines("Editor")).toEqual([TOO_OLD, "Editor: There is no answer."]);
  });
});
