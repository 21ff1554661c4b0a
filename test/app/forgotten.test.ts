import SqliteClient from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useSqlite } from "../../src/adapters/storage/sqlite.js";
import { createStorage } from "../../src/adapters/storage/stores.js";
import { type App, createApp } from "../../src/app/app.js";
import { Forgotten } from "../../src/app/forgotten.js";
import { marksOf } from "../../src/app/marks.js";
import { compareSnowflakes } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import { ChatError, type ReceivedMessage } from "../../src/ports/chat.js";
import type { History } from "../../src/ports/listener.js";
import type { Storage } from "../../src/ports/storage.js";
import { addAgent, placeOf } from "../support/builders.js";
import { processEnd } from "../support/processEnd.js";
import { json } from "../support/scriptedModel.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";
import { calling } from "./direct/setup.js";

const LINE = expect.stringMatching(/^\(bot\) -# I was started with an older copy of my database/u);

let client: SqliteClient.Database;
let stage: Stage;
let own: Place;
let closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  client = new SqliteClient(":memory:");
  stage = await openStage({ overrides: { storage: createStorage(useSqlite(client), "The file") } });
  own = placeOf(await addAgent(stage.services, { displayName: "Notes" }));
  closing = [() => stage.close()];
  stage.services.model
    .answerTo("judge", json({ researcher: 0, editor: 1 }))
    .answerTo("turn", "Zero.");
  await stage.say("Zero?");
});
afterEach(async () => {
  for (const close of closing) await close();
  stage.services.model.assertDone();
});

function copy(): Storage {
  return createStorage(useSqlite(new SqliteClient(client.serialize())), "The copy");
}

/** The process starts again with this database; `missed` is what it has to catch up with. */
async function start(
  storage: Storage,
  missed: readonly ReceivedMessage[],
): Promise<{ readonly services: TestServices; readonly app: App }> {
  const { chat, model, clock, log } = stage.services;
  chat.forgetNonces();
  const history: Pick<History, "spoken" | "places"> = {
    places: () => [stage.place, own],
    spoken: async (place, afterId) => {
      const said = chat.shown(place).filter(({ id }) => compareSnowflakes(id, afterId) > 0);
      const posts = said.flatMap((shown) =>
        shown.by === "persona"
          ? [{ id: shown.id, personaName: shown.post.persona.name, text: shown.post.text }]
          : [],
      );
      return { posts, newestId: said.at(-1)?.id ?? null };
    },
  };
  const forgotten = new Forgotten(history, { storage, chat, clock, log });
  const services = await createTestServices({ storage, chat, model, clock, log, forgotten });
  const marks = await marksOf(services, history, stage.place.guildId);
  await forgotten.find([...marks.values()]);
  const app = createApp(services);
  await app.resume();
  await app.router.caughtUp(missed);
  await app.onIdle();
  if (storage !== stage.services.storage) closing.unshift(() => storage.close());
  return { services, app };
}

describe("a start with an older copy of the database", () => {
  it("answers nothing again that was answered after the copy was made, and knows those answers", async () => {
    const older = copy();
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    const one = await stage.say("One?");
    const { app, services } = await start(older, [one]);
    expect(stage.lines()).toEqual(["Editor: Zero.", "Editor: One."]);

    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Two.");
    await app.router.received(stage.message("Two?"));
    await app.onIdle();
    expect(model.lastRequest.messages.slice(-5)).toEqual([
      { role: "user", text: "[Ana (person)] Zero?" },
      { role: "assistant", text: "Zero." },
      { role: "user", text: "[Ana (person)] One?" },
      { role: "assistant", text: "One." },
      { role: "user", text: "[Ana (person)] Two?" },
    ]);
    expect(services.log.messages("warn").join("\n")).toContain("older copy");
  });

  it("obeys no command again whose answer is the newest that was said, nor a stop", async () => {
    const older = copy();
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    await stage.say("One?");
    const command = await stage.say("!gc list");
    const said = stage.lines();
    expect(said).toHaveLength(3);
    await start(older, [command]);
    expect(stage.lines()).toEqual(said);
  });

  it("ends in silence a round that went on after the copy was made, and what waited then", async () => {
    const { model } = stage.services;
    let older: Storage | null = null;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 1 }))
      .answerTo("turn", async () => {
        await stage.app.router.received(stage.message("Two?"));
        older = copy();
        return "One.";
      })
      .answerTo("turn", "And more.")
      .answerTo("judge", json({ researcher: 0, editor: 1 }))
      .answerTo("turn", "Two.");
    await stage.say("One?");
    const said = stage.lines();
    expect(said).toHaveLength(4);
    if (older === null) throw new Error("No copy was made.");
    const { services } = await start(older, []);
    expect(stage.lines()).toEqual(said);
    expect(await services.storage.rounds.unfinished()).toEqual([]);
    expect(await services.storage.messages.pendingPlaces()).toEqual([]);
  });

  it("says nothing where a round had only its reply left to be posted", async () => {
    const { model, chat, clock } = stage.services;
    let older: Storage | null = null;
    const post = chat.post.bind(chat);
    chat.post = async (...given) => {
      older ??= copy();
      return post(...given);
    };
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    await stage.say("One?");
    await clock.advance(1_000);
    model.answerTo("direct", "Noted.");
    await stage.say("Note that.", { place: own });
    if (older === null) throw new Error("No copy was made.");
    await start(older, []);
    expect(stage.lines()).toEqual(["Editor: Zero.", "Editor: One."]);
    expect(chat.lines(own)).toEqual(["Notes: Noted."]);
  });

  it("does again neither what a tool has done nor what a command has, and says where that may have no answer", async () => {
    const { model, services } = { ...stage, ...stage.services, services: stage.services };
    const { chat, clock } = services;
    let older: Storage | null = null;
    model.answerTo("direct", () => {
      older = copy();
      return calling(["agent_list", {}]);
    });
    // It ends before it has answered: there is nothing of an agent in that channel.
    model.answerTo("direct", "Made.");
    chat.failNext("post", processEnd());
    await stage.say("Make a group.", { place: own });
    const remove = await stage.say("!gc remove researcher");
    await clock.advance(1_000);
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    const one = await stage.say("One?");
    const said = stage.lines();
    if (older === null) throw new Error("No copy was made.");
    await start(older, [remove, one]);
    expect(stage.lines()).toEqual(said);
    expect(chat.lines(own)).toEqual([LINE]);
  });

  it("answers what was written after all that was said", async () => {
    const older = copy();
    const { model, clock } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    const one = await stage.say("One?");
    await clock.advance(60_000);
    const two = stage.message("Two?");
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "Two.");
    await start(older, [one, two]);
    expect(stage.lines()).toEqual(["Editor: Zero.", "Editor: One.", "Editor: Two."]);
  });

  it("answers nothing again at the start after that either, when it was killed before it had caught up", async () => {
    const older = copy();
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", "One.");
    const one = await stage.say("One?");
    await start(older, []);
    await start(older, [one]);
    closing.shift();
    expect(stage.lines()).toEqual(["Editor: Zero.", "Editor: One."]);
  });
});

describe("a start with the database as it was", () => {
  it("takes a post that nothing came back of for what it is, and goes on", async () => {
    const { model, chat, storage } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 1 }))
      .answerTo("turn", "One.")
      .answerTo("turn", "And more.");
    chat.failNext("post", processEnd(), "after");
    await stage.say("One?");
    await start(storage, []);
    expect(stage.lines()).toEqual(["Editor: Zero.", "Researcher: One.", "Editor: And more."]);
  });

  it("goes on beside what agents have shown of their messages to each other", async () => {
    const { model, chat, storage } = stage.services;
    const ask = stage.message("Ask.", { place: own });
    chat.people.set(ask.author.userId, ask.author);
    chat.failNext("openThread", new ChatError("forbidden", "No."));
    model.answerTo("direct", calling(["message_agent", { to: "Editor", text: "When?" }]));
    // What is shown to people stands there, and what is heard does not.
    const post = chat.post.bind(chat);
    let posts = 0;
    chat.post = async (...given) => {
      posts += 1;
      if (posts === 2) throw processEnd();
      return post(...given);
    };
    await stage.app.router.received(ask);
    await stage.app.onIdle();
    expect(chat.lines(own)).toEqual([expect.stringMatching(/^\(bot\) /u), "Notes: When?"]);
    model.answerTo("direct", "Fine.", "Fine.", "Fine.");
    await start(storage, []);
    expect(chat.lines(own).slice(2)).toEqual(["Notes: Fine.", "Editor: Fine.", "Notes: Fine."]);
  });
});
