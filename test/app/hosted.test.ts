import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons } from "../../commands/buttons.js";
import { archiveAgent } from "../../src/app/archiving.js";
import { groupUpdate } from "../../src/app/operations/groupUpdate.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { sayAgain } from "../../src/app/sayAgain.js";
import type { Settings } from "../../src/app/services.js";
import { ModelError, type ModelRequest } from "../../src/ports/model.js";
import { addAgent, aManager, aPerson, placeOf } from "../support/builders.js";
import { HANG, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
const openHosted = (settings: Partial<Settings> = {}) =>
  openStage({
    kind: "hosted",
    members: ["Still", "Curren", "Ardan"],
    overrides: { settings: { collectTimeoutMs: 60_000, ...settings } },
  });

beforeEach(async () => {
  stage = await openHosted();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** The answers of the next calls, by the agent that is called, in whatever order they come. */
function cast(
  answers: Readonly<Record<string, Scripted>>,
  calls = Object.keys(answers).length,
): void {
  for (let call = 0; call < calls; call += 1) {
    stage.services.model.answer((request: ModelRequest) => {
      const answer = answers[speakerOf(request)];
      if (answer === undefined) throw new Error(`Nobody wrote what ${speakerOf(request)} says.`);
      return answer;
    });
  }
}

function speakerOf(request: ModelRequest): string {
  return /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1] ?? "nobody";
}

/** What an agent was shown last, in the newest request to it. */
function heardBy(displayName: string): string {
  const request = stage.services.model.requests.findLast((one) => speakerOf(one) === displayName);
  return request?.messages.at(-1)?.text ?? "";
}

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

  it("says in the channel of each that did not answer what kept it, and asks it no second time", async () => {
    cast({ Curren: new ModelError("refused", "filtered"), Ardan: "", Still: "Ok." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual([
      "(bot) -# Curren did not answer: its model declined to answer this.\n-# Ardan did not answer: its model gave an empty answer.",
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

describe("who leaves in the middle of a round", () => {
  /** Everybody is asked, and Curren's model says nothing more. */
  async function whileCurrenIsAsked(): Promise<void> {
    cast({ Curren: HANG, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await stage.services.model.requested(2);
  }

  async function expectRoundWithoutCurren(lines: readonly string[]): Promise<void> {
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(lines);
    expect(heardBy("Still")).toContain(
      "[Ardan] Hard.\n[Curren] (did not answer: it has left the chat)",
    );
    expect(stage.services.model.running).toBe(0);
    const kinds = (await stage.journal()).map(({ type }) => type);
    expect(kinds).toContain("departed");
    expect(kinds).not.toContain("missed");
  }

  it("is not waited for any longer, and nobody says that it was late", async () => {
    await whileCurrenIsAsked();
    await stage.app.router.received(stage.message("!gc remove Curren"));
    await expectRoundWithoutCurren(["(bot) **Curren** has left the group chat.", "Still: Ok."]);
  });

  it("is not heard in it, also when it is added again", async () => {
    await whileCurrenIsAsked();
    await stage.app.router.received(stage.message("!gc remove Curren"));
    await stage.app.router.received(stage.message("!gc add Curren"));
    await expectRoundWithoutCurren([
      "(bot) **Curren** has left the group chat.",
      "(bot) **Curren** has joined the group chat.",
      "Still: Ok.",
    ]);
    cast({ Curren: "Back.", Ardan: "Harder.", Still: "Welcome." });
    await stage.say("And now?");
    expect(heardBy("Still")).toContain("[Curren] Back.");
  });

  it("may have been left out by a change of the group, or archived", async () => {
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    await whileCurrenIsAsked();
    await runOperation(groupUpdate, context, { group: "Review", members: ["Still", "Ardan"] });
    await expectRoundWithoutCurren(["(bot) **Curren** has left the group chat.", "Still: Ok."]);

    await stage.close();
    stage = await openHosted();
    await whileCurrenIsAsked();
    const curren = stage.agents["Curren"];
    if (curren === undefined) throw new Error("There is no Curren.");
    await archiveAgent(stage.services, curren, null);
    await expectRoundWithoutCurren(["(bot) **Curren** has left the group chat.", "Still: Ok."]);
  });

  it("may be left out by `!gc start`", async () => {
    await whileCurrenIsAsked();
    await stage.app.router.received(stage.message("!gc start Ardan"));
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toBe("Still: Ok.");
    expect(heardBy("Still")).toContain("[Curren] (did not answer: it has left the chat)");
  });

  it("keeps what it has answered, and is asked no more in a debate", async () => {
    const { model } = stage.services;
    const ardan = answerLater();
    cast({ Curren: "It is art.", Ardan: ardan.answer });
    await stage.app.router.received(stage.message("!gc debate Is it art?"));
    await model.requested(2);
    await storedAnswers(1);
    await stage.app.router.received(stage.message("!gc remove Curren"));
    cast({ Ardan: "Agreed.", Still: "They agree." });
    ardan.say("It is not.");
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toBe("Still: They agree.");
    expect(model.requests.filter((one) => speakerOf(one) === "Curren")).toHaveLength(1);
    expect(heardBy("Still")).toMatch(/\[Curren\] It is art\..*\[Curren\] \(has left the chat\)/su);
  });

  it("is settled after a restart, when it left while nobody listened", async () => {
    const { storage } = stage.services;
    cast({ Curren: new Error("the process died"), Ardan: HANG });
    await stage.say("How was training?");
    const members = stage.group.members.filter((id) => id !== stage.agents["Curren"]?.id);
    await storage.groups.update(stage.group.id, { members });
    cast({ Ardan: "Hard.", Still: "Ok." });
    await stage.app.resume();
    await expectRoundWithoutCurren(["Still: Ok."]);
  });
});

describe("who joins in the middle of a round", () => {
  it("takes part from the next one on", async () => {
    const { model } = stage.services;
    await addAgent(stage.services, { displayName: "Mejiro" });
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await stage.app.router.received(stage.message("!gc add Mejiro"));
    curren.say("Fun.");
    await stage.app.onIdle();
    expect(model.requests).toHaveLength(3);
    cast({ Curren: "Yes.", Ardan: "No.", Mejiro: "Hello.", Still: "Four of us now." });
    await stage.say("Again?");
    expect(heardBy("Still")).toContain("[Mejiro] Hello.");
  });
});

describe("a new host in the middle of a round", () => {
  it("speaks from the next round on, and its answer counts in this one", async () => {
    const { model } = stage.services;
    const curren = answerLater();
    cast({ Curren: curren.answer, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    await runOperation(groupUpdate, context, { group: "Review", host: "Curren" });
    curren.say("Fun.");
    await stage.app.onIdle();
    expect(heardBy("Still")).toContain("[Curren] Fun.");
    cast({ Still: "Aye.", Ardan: "Nay.", Curren: "I am the host now." });
    await stage.say("And now?");
    expect(stage.lines()).toEqual([
      "(bot) **Curren** is the host now.",
      "Still: Ok.",
      "Curren: I am the host now.",
    ]);
  });

  it("is said to be the host when the one before is archived", async () => {
    const still = stage.agents["Still"];
    if (still === undefined) throw new Error("There is no Still.");
    await archiveAgent(stage.services, still, null);
    expect(stage.lines()).toEqual([
      "(bot) **Still** has left the group chat. **Curren** is the host now.",
    ]);
  });
});

describe("a stop", () => {
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
  const died = () => new Error("the process died");

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
      "(bot) **Ana** opens a debate of 2 passes:\n>>> Is it art?",
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

describe("the button under the host's reply", () => {
  it("shows the one who presses it what each participant said", async () => {
    cast({ Curren: new ModelError("timeout", "slow"), Ardan: "Hard.", Still: "Ok." });
    await stage.say("How was training?");
    const { chat } = stage.services;
    const [button] = chat.effectsOf("post").at(-1)?.post.buttons ?? [];
    const [name = "", roundId = ""] = button?.id.split(":") ?? [];
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    const answer = await buttons.get(name)?.(context, roundId, "1" as never);
    expect(answer?.text).toBe(
      "**Ardan**\n> Hard.\n\n**Curren** did not answer: its model took too long.",
    );
    const elsewhere = { ...stage.place, channelId: chat.addChannel() };
    await expect(
      buttons.get(name)?.({ ...context, place: elsewhere }, roundId, "1" as never),
    ).rejects.toThrow("belongs to another channel");
  });
});

describe("the button where the host says nothing", () => {
  const labels = () =>
    stage.services.chat
      .effectsOf("announce")
      .flatMap(({ announcement }) => announcement.buttons.map(({ label }) => label));

  it("is under the line that says why the host could not answer", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: new ModelError("refused", "no") });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual([
      "(bot) -# Still could not answer: its model declined to answer this.",
    ]);
    expect(labels()).toEqual(["Why", "What each of them said"]);
  });

  it("is under the line that says who stopped it, once somebody has answered", async () => {
    cast({ Curren: HANG, Ardan: "Hard." });
    await stage.app.router.received(stage.message("How was training?"));
    await storedAnswers(1);
    await stage.say("stop");
    expect(labels()).toEqual(["What each of them said"]);
  });

  it("is not there when nobody had answered, or the message was deleted", async () => {
    const { model } = stage.services;
    cast({ Curren: HANG, Ardan: HANG });
    await stage.app.router.received(stage.message("One?"));
    await model.requested(2);
    await stage.say("stop");
    cast({ Curren: HANG, Ardan: "Hard." });
    const message = stage.message("Two?");
    await stage.app.router.received(message);
    await storedAnswers(1);
    await stage.app.router.deleted(stage.place.channelId as never, [message.id]);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) -# Stopped by Ana.",
      "(bot) -# Stopped: the message that started this was deleted.",
    ]);
    expect(labels()).toEqual([]);
  });
});

/** An answer that is given when the test says so. */
function answerLater() {
  let say: (text: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const answer = new Promise<string>((resolve, reject) => {
    say = resolve;
    fail = reject;
  });
  return { answer: () => answer, say: (text: string) => say(text), fail: (e: Error) => fail(e) };
}

/** Waits until so many answers are in the journal. */
async function storedAnswers(count: number): Promise<void> {
  const isThere = async () =>
    (await stage.journal()).filter(({ type }) => type === "answered").length >= count;
  while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve));
}

describe("what the button shows", () => {
  it("leaves no doubt of who said what, whatever is in it", async () => {
    cast({
      Curren: "Fun.\n\n**Ardan**\nI hate it.\n```js\nopen",
      Ardan: "Mid ``` line.",
      Still: "Ok.",
    });
    await stage.say("How was training?");
    const [button] = stage.services.chat.effectsOf("post").at(-1)?.post.buttons ?? [];
    const [name = "", roundId = ""] = button?.id.split(":") ?? [];
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    const answer = await buttons.get(name)?.(context, roundId, "1" as never);
    expect(answer?.text.split("\n")).toEqual([
      "**Curren**",
      "> Fun.",
      "> ",
      "> **Ardan**",
      "> I hate it.",
      "> ```js",
      "> open",
      "> ```",
      "",
      "**Ardan**",
      "> Mid \\`\\`\\` line.",
    ]);
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
