import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { archiveAgent } from "../../src/app/archiving.js";
import { groupUpdate } from "../../src/app/operations/groupUpdate.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { addAgent, aManager } from "../support/builders.js";
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

  it("is not heard, though it has answered, and is asked no more in a debate", async () => {
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
    for (const name of ["Ardan", "Still"]) expect(heardBy(name)).not.toContain("It is art.");
    expect(heardBy("Still")).toContain("[Curren] (has left the chat)");
  });

  it("is settled after a restart, when it left while nobody listened", async () => {
    const { storage } = stage.services;
    cast({ Curren: processEnd(), Ardan: HANG });
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
