import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons } from "../../commands/buttons.js";
import { ModelError } from "../../src/ports/model.js";
import { aPerson } from "../support/builders.js";
import { castOn, openHosted } from "../support/hostedCast.js";
import { HANG } from "../support/scriptedModel.js";
import type { Stage } from "../support/stage.js";

let stage: Stage;
const { cast, storedAnswers } = castOn(() => stage);

beforeEach(async () => {
  stage = await openHosted();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
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
    ).rejects.toThrow("in another channel");
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

  it("is under the line that says that the tokens were used up by the answers", async () => {
    await stage.close();
    stage = await openHosted({ dailyTokens: { server: null, group: 150, person: null } });
    cast({ Curren: "Fun.", Ardan: "Hard." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual([expect.stringContaining("has used up today's tokens")]);
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

describe("what the button shows", () => {
  it("names under each pass of a debate who could not answer in it, and who left", async () => {
    const { model } = stage.services;
    model.answer("Aye.", new ModelError("refused", "no"), HANG, "No.", "Ok.");
    await stage.app.router.received(stage.message("!gc debate 2 Hay"));
    await model.requested(4);
    await storedAnswers(2);
    await stage.app.router.received(stage.message("!gc remove Curren"));
    await stage.app.onIdle();
    const [button] = stage.services.chat.effectsOf("post").at(-1)?.post.buttons ?? [];
    const [name = "", roundId = ""] = button?.id.split(":") ?? [];
    const context = { ...stage.services, asker: aPerson(), place: stage.place };
    const answer = await buttons.get(name)?.(context, roundId, "1" as never);
    expect(answer?.text.split("\n\n")).toEqual([
      "__Pass 1__",
      "**Curren**\n> Aye.",
      "**Ardan** did not answer: its model declined to answer this.",
      "__Pass 2__",
      "**Ardan**\n> No.",
      "**Curren** left during pass 2, so the host did not hear it.",
    ]);
  });

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
