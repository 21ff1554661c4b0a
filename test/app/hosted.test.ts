import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sayAgain } from "../../src/app/sayAgain.js";
import { asId, type ThreadId } from "../../src/domain/ids.js";
import { ModelError } from "../../src/ports/model.js";
import { aManager, placeOf } from "../support/builders.js";
import { answerLater, castOn, openHosted, speakerOf } from "../support/hostedCast.js";
import { processEnd } from "../support/processEnd.js";
import { HANG } from "../support/scriptedModel.js";
import type { Stage } from "../support/stage.js";

let stage: Stage;
const { cast, heardBy, storedAnswers } = castOn(() => stage);

beforeEach(async () => {
  stage = await openHosted();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

describe("a hosted round", () => {
  it("asks every participant once and lets only the host speak", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good: Curren had fun." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual(["Still: Good: Curren had fun."]);
    const [opened] = await stage.journal();
    expect(opened?.type).toBe("opened");
    const round = await stage.services.storage.rounds.latest(stage.place.channelId as never);
    const message = `[GROUPCHAT round=${round?.id} from Ana] How was training?\nReply once; do not message other participants.`;
    expect(heardBy("Curren")).toBe(message);
    expect(heardBy("Ardan")).toBe(message);
    expect(heardBy("Still")).toBe(
      [
        "[Ana (person)] How was training?",
        "[What the participants told you in this round; people have not seen it]",
        "[Curren] Fun.",
        "[Ardan] Hard.",
        "[End of what the participants told you]",
      ].join("\n"),
    );
    expect(stage.services.model.requests.map(({ purpose }) => purpose)).toEqual([
      "participant",
      "participant",
      "turn",
    ]);
  });

  it("gives nobody tools", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
    await stage.say("How was training?");
    for (const { tools } of stage.services.model.requests) expect(tools).toBeUndefined();
  });

  it("shows a participant its own replies and the host's, never another's", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
    await stage.say("How was training?");
    cast({ Curren: "Yes.", Ardan: "No.", Still: "Perhaps." });
    await stage.say("Again tomorrow?");
    const request = stage.services.model.requests.findLast((one) => speakerOf(one) === "Curren");
    const rounds = stage.services.model.requests
      .filter((one) => speakerOf(one) === "Curren")
      .map((one) => /round=(\S+)/u.exec(one.messages.at(-1)?.text ?? "")?.[1]);
    expect(new Set(rounds).size).toBe(2);
    expect(request?.messages.slice(1)).toEqual([
      {
        role: "user",
        text: `[GROUPCHAT round=${rounds[0]} from Ana] How was training?\nReply once; do not message other participants.`,
      },
      { role: "assistant", text: "Fun." },
      {
        role: "user",
        text: `[Still] Good.\n[GROUPCHAT round=${rounds[1]} from Ana] Again tomorrow?\nReply once; do not message other participants.`,
      },
    ]);
  });

  it("says who could not be reached, and goes on with the others", async () => {
    cast({ Curren: new ModelError("unavailable", "down"), Ardan: "Hard.", Still: "Ok." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual(["(bot) Forwarding to Curren failed.", "Still: Ok."]);
    expect(heardBy("Still")).toContain(
      "[Ardan] Hard.\n[Curren] (did not answer: its model is not working just now)",
    );
  });

  it("asks one that says nothing once more, before the host speaks", async () => {
    const answers = ["", "Hard."];
    cast({ Curren: "Fun.", Ardan: () => answers.shift() ?? "Never.", Still: "Ok." }, 4);
    await stage.say("How was training?");
    expect(stage.lines()).toEqual(["Still: Ok."]);
    expect(heardBy("Still")).toContain("[Curren] Fun.\n[Ardan] Hard.");
  });

  it("says in the channel of each that did not answer what kept it, and asks no second time after an error", async () => {
    cast({ Curren: new ModelError("refused", "filtered"), Ardan: "", Still: "Ok." }, 4);
    await stage.say("How was training?");
    expect(stage.lines()).toEqual([
      "(bot) -# Curren did not answer: its model declined to answer this.\n-# Ardan did not answer: its model gave an empty answer twice.",
      "Still: Ok.",
    ]);
  });

  it("stops waiting when the time is over, and ends the calls that still run", async () => {
    const { model, clock } = stage.services;
    cast({ Curren: HANG, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await clock.advance(60_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Curren did not answer in time.", "Still: Ok."]);
    expect(await stage.journal()).toContainEqual(
      expect.objectContaining({ type: "missed", failure: "timeout", pass: 1 }),
    );
  });
});

describe("a reply that does not count", () => {
  it("is that of a participant that has gone at the very moment at which it comes", async () => {
    const { model, storage } = stage.services;
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    const members = stage.group.members.filter((id) => id !== stage.agents["Curren"]?.id);
    await storage.groups.update(stage.group.id, { members });
    curren.say("Fun.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Still: Ok."]);
    expect(await stage.journal()).toContainEqual(
      expect.objectContaining({ type: "ignored", why: "removed" }),
    );
    expect(heardBy("Still")).not.toContain("Fun.");
    cast({ Ardan: "Still hard.", Still: "Well." });
    await stage.say("And now?");
    expect(stage.lines().at(-1)).toBe("Still: Well.");
  });

  it("is one that comes when the wait is over", async () => {
    const { model, clock } = stage.services;
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await clock.advance(60_000);
    curren.say("Fun, sorry for the delay.");
    await stage.app.onIdle();
    expect(heardBy("Still")).not.toContain("Fun");
    const kinds = (await stage.journal()).map((event) =>
      event.type === "ignored" ? event.why : event.type,
    );
    expect(kinds.filter((kind) => kind === "missed" || kind === "late")).toEqual([
      "missed",
      "late",
    ]);
    expect(kinds.indexOf("late")).toBeLessThan(kinds.indexOf("collected"));
  });
});

describe("a stop", () => {
  it.each([["in the same instant"], ["while the bot was away"]])(
    "that was written %s as debates keeps them from being held",
    async (when) => {
      const { router } = stage.app;
      const written = ["!gc debate 1 Hay", "!gc debate 1 Oats", "stop"].map((text) =>
        stage.message(text),
      );
      const opening = stage.services.chat.holdNext("announce");
      if (when === "while the bot was away") await router.caughtUp(written);
      else await Promise.all(written.map((message) => router.received(message)));
      opening.release();
      await stage.app.onIdle();
      expect(stage.lines()).toEqual([
        "(bot) Debate of 1 pass, opened by **Ana**:\n>>> Hay",
        "(bot) -# Stopped by Ana.",
      ]);
    },
  );

  it("ends the calls, and nothing is posted", async () => {
    const { model } = stage.services;
    cast({ Curren: HANG, Ardan: "Hard." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await stage.say("stop");
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
    expect(model.running).toBe(0);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "stopped" });
  });

  it("ends the host's turn too", async () => {
    const { model } = stage.services;
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: HANG });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(3);
    await stage.say("stop");
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });

  it("comes with the end of the chat", async () => {
    const { model } = stage.services;
    cast({ Curren: HANG, Ardan: HANG });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await stage.say("!gc end");
    expect(stage.lines()).toEqual([
      "(bot) The group chat has ended. **Curren** and **Ardan** have left.",
      "(bot) -# Stopped by Ana.",
    ]);
  });

  it.each([
    ["a thread", "the channel"],
    ["the channel", "a thread"],
  ])("comes with the end of the chat, written in %s, also in %s", async (where, elsewhere) => {
    const { services, app, place } = stage;
    const thread = { ...place, threadId: asId<ThreadId>("777000000000000001") };
    const at = (name: string) => (name === "a thread" ? thread : place);
    for (const [text, there] of [
      ["How was training?", elsewhere],
      ["And the race?", where],
    ] as const) {
      cast({ Curren: HANG, Ardan: HANG });
      await app.router.received(stage.message(text, { place: at(there) }));
    }
    await services.model.requested(4);
    await stage.say("!gc end", { place: at(where) });
    expect(services.chat.lines(place).at(-1)).toBe("(bot) -# Stopped by Ana.");
    expect(services.chat.lines(thread).at(-1)).toBe("(bot) -# Stopped by Ana.");
  });
});

describe("messages while a round runs", () => {
  it("wait, and start the next one together, without the host having answered them before", async () => {
    const { model } = stage.services;
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "First." });
    await stage.app.router.received(stage.message("One?"));
    await model.requested(2);
    await stage.app.router.received(stage.message("Two?"));
    await stage.app.router.received(stage.message("Three?"));
    cast({ Curren: "Twice.", Ardan: "Thrice.", Still: "Second." });
    curren.say("Fun.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Still: First.", "Still: Second."]);
    const [first, second] = model.requests.filter((one) => speakerOf(one) === "Still");
    expect(first?.messages.at(-1)?.text).not.toContain("Two?");
    expect(second?.messages.at(-1)?.text).toMatch(/Two\?\n\[Ana \(person\)\] Three\?\n\[What/u);
    expect(heardBy("Curren")).toMatch(
      /^\[Still\] First\.\n\[GROUPCHAT .*\] Two\?\n\[GROUPCHAT .*\] Three\?\nReply once/u,
    );
  });
});

describe("after a crash", () => {
  const died = () => processEnd();

  it("asks nobody again who had answered", async () => {
    const { model, storage } = stage.services;
    const ardan = answerLater();
    cast({ Curren: "Fun.", Ardan: ardan.answer });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await storedAnswers(1);
    ardan.fail(died());
    await stage.app.onIdle();
    expect(await storage.rounds.unfinished()).toHaveLength(1);

    cast({ Ardan: "Hard.", Still: "Good." });
    await stage.app.resume();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Still: Good."]);
    expect(heardBy("Still")).toContain("[Curren] Fun.\n[Ardan] Hard.");
  });

  it("asks nobody again when the host was composing or its reply was being posted", async () => {
    const { model, chat } = stage.services;
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: died() });
    await stage.say("How was training?");
    chat.failNext("post", died(), "after");
    cast({ Still: "Good." });
    await stage.app.resume();
    await stage.app.onIdle();
    await stage.app.resume();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Still: Good."]);
    expect(model.requests).toHaveLength(4);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "done" });
  });
});

describe("a debate", () => {
  it("shows everybody what was said in the pass before, and lets the host close it", async () => {
    const { model } = stage.services;
    cast({ Curren: "It is art.", Ardan: "It is not.", Still: "They differ." }, 2);
    cast({ Curren: "Still art.", Ardan: "Perhaps art.", Still: "They agree." });
    await stage.say("!gc debate Is it art?");
    expect(stage.lines()).toEqual([
      "(bot) Debate of 2 passes, opened by **Ana**:\n>>> Is it art?",
      "Still: They agree.",
    ]);
    expect(model.requests).toHaveLength(5);
    const [first, second] = model.requests.filter((one) => speakerOf(one) === "Ardan");
    expect(first?.messages.at(-1)?.text).toMatch(
      /^\[GROUPCHAT round=\S+ from Ana\] Is it art\?\n\(A debate of 2 passes; this is the first\.\)\nReply once/u,
    );
    expect(second?.messages.at(-1)?.text).toMatch(
      /^\[GROUPCHAT round=\S+ from Ana\] Is it art\?\n\[Pass 2 of 2 .*\n\[Curren\] It is art\.\n\[Ardan\] It is not\.\nReply once/u,
    );
    expect(second?.messages.at(-2)).toEqual({ role: "assistant", text: "It is not." });
    expect(heardBy("Still")).toMatch(/\[Pass 1 .*It is art.*\[Pass 2 .*Still art/su);
  });

  it("asks again in the next pass who could not answer, and tells of it only if that fails too", async () => {
    const { model } = stage.services;
    cast({ Curren: "It is art.", Ardan: new ModelError("unavailable", "down") });
    cast({ Curren: "Still art.", Ardan: "It is not.", Still: "They differ." });
    await stage.say("!gc debate Is it art?");
    expect(stage.lines().slice(1)).toEqual(["Still: They differ."]);
    expect(model.requests.filter((one) => speakerOf(one) === "Ardan")).toHaveLength(2);
  });

  it("has no more calls than passes for each participant, and one for the host", async () => {
    cast({ Curren: "Aye.", Ardan: "Nay." });
    cast({ Curren: "Aye.", Ardan: "Nay." });
    cast({ Curren: "Aye.", Ardan: "Nay." });
    cast({ Still: "Enough." });
    await stage.say("!gc debate 3 Is it art?");
    expect(stage.services.model.requests).toHaveLength(7);
  });

  it("is a round of its own, after what people wrote before", async () => {
    const { model } = stage.services;
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "First." });
    await stage.app.router.received(stage.message("One?"));
    await model.requested(2);
    await stage.app.router.received(stage.message("!gc debate 1 Is it art?"));
    cast({ Curren: "Aye.", Ardan: "Nay.", Still: "Second." });
    curren.say("Fun.");
    await stage.app.onIdle();
    expect(stage.lines().filter((line) => line.startsWith("Still"))).toEqual([
      "Still: First.",
      "Still: Second.",
    ]);
  });
});

describe("the status line", () => {
  it("says who has answered, and then that the host writes", async () => {
    await stage.close();
    stage = await openHosted({ hasStatusLine: true });
    const { model, chat, clock } = stage.services;
    const ardan = answerLater();
    const still = answerLater();
    cast({ Curren: "Fun.", Ardan: ardan.answer, Still: still.answer });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await storedAnswers(1);
    await clock.advance(500);
    expect(stage.lines()).toEqual(["(bot) -# 1 of 2 have answered: **Curren**"]);
    ardan.say("Hard.");
    await model.requested(3);
    await clock.advance(1_250);
    expect(stage.lines()).toEqual(["(bot) -# **Still** is writing"]);
    still.say("Good.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Still: Good."]);
    expect(chat.effectsOf("announce")).toHaveLength(1);
  });
});

describe("a chat that begins in an agent's own channel", () => {
  it("answers what had been written before, which the participants are shown", async () => {
    const { model } = stage.services;
    const [still, curren] = [stage.agents["Still"], stage.agents["Curren"]];
    if (still === undefined || curren === undefined) throw new Error("Somebody is missing.");
    const place = placeOf(still);
    const first = answerLater();
    cast({ Still: first.answer });
    await stage.app.router.received(stage.message("Own question", { place }));
    await model.requested(1);
    await stage.app.router.received(stage.message("Waiting question", { place }));
    await stage.services.clock.advance(1_000);
    await stage.app.router.received(stage.message("!gc start Curren", { place }));
    cast({ Curren: "Hello.", Still: "We are two." });
    first.say("Alone.");
    await stage.app.onIdle();
    expect(heardBy("Curren")).toMatch(
      /^\[GROUPCHAT round=\S+ from Ana\] Waiting question\nReply once; do not message/u,
    );
    const asked = heardBy("Curren");
    cast({ Curren: "Again.", Still: "Aye." });
    await stage.say("Next question", { place });
    const request = model.requests.findLast((one) => speakerOf(one) === "Curren");
    expect(request?.messages[1]?.text).toBe(asked);
    expect(JSON.stringify(request)).not.toContain("Own question");
  });
});

describe("the host's reply said again", () => {
  it("is composed from what the participants said then, and nobody is asked", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "First." });
    await stage.say("How was training?");
    cast({ Curren: "Yes.", Ardan: "No.", Still: "Second." });
    await stage.say("Again?");
    const { chat, model } = stage.services;
    const [first] = chat.shown(stage.place);
    cast({ Still: "Better." });
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    const answer = await sayAgain(context, first?.id ?? ("0" as never));
    expect((await answer.later)?.text).toBe("**Still** has said it again.");
    expect(stage.lines()).toEqual(["Still: Better.", "Still: Second."]);
    const [asked, , again] = model.requests.filter((one) => speakerOf(one) === "Still");
    expect(again?.messages).toEqual(asked?.messages);
  });
});
