import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChatError } from "../../src/ports/chat.js";
import { ModelError, type ModelErrorKind } from "../../src/ports/model.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;

beforeEach(async () => {
  stage = await openStage({ members: ["Researcher", "Editor"] });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const toEditor = json({ researcher: 0, editor: 0.9 });
/** What the bot itself has said. */
const notices = () => stage.lines().filter((line) => line.startsWith("(bot)"));
const refused = () => new ModelError("unauthorized", "401");

describe("a turn that fails", () => {
  it.each<[string, readonly (string | ModelError)[], string]>([
    ["a refused key", [refused()], "its model's key is refused; the bot's owner has to look at it"],
    [
      "an unknown model",
      [new ModelError("unknown-model", "404")],
      "its model `test-model` does not exist",
    ],
    [
      "words of others alone",
      ["[Researcher] I found it.", "Researcher: I found it."],
      "its model wrote only lines for other speakers",
    ],
    ["nothing", ["", " "], "its model gave an empty answer twice"],
    ["its own label alone", ["[Editor]", "Editor:"], "its model gave an empty answer twice"],
  ])("for %s says so", async (_, answers, reason) => {
    stage.services.model.answerTo("judge", toEditor).answerTo("turn", ...answers);
    await stage.say("Who can?");
    expect(stage.lines()).toEqual([`(bot) -# Editor could not answer: ${reason}.`]);
    // Of each answer the log says that it was of no use.
    expect(stage.services.log.messages("warn")).toHaveLength(answers.length);
  });

  it("for a missing permission names it, once for all who wait", async () => {
    const { model, chat } = stage.services;
    const forbidden = new ChatError("forbidden", "No.", { needs: "Manage Webhooks" });
    model.answerTo("judge", json({ researcher: 0.6, editor: 0.9 })).answerTo("turn", "From here.");
    chat.failNext("post", forbidden, "before");
    await stage.say("Who can?");
    expect(stage.lines()).toEqual([
      "(bot) -# Researcher could not answer: I need Manage Webhooks in this channel.",
    ]);
  });
});

describe("a reply that the model's limit ended", () => {
  it("says so in its last line, which no transcript has", async () => {
    const { model } = stage.services;
    model.answerTo("judge", toEditor).answerTo("turn", { text: "It was in", finish: "length" });
    await stage.say("When?");
    expect(stage.lines()).toEqual([
      "Editor: It was in\n-# The reply stops here: the model reached its length limit.",
    ]);
    model.answerTo("judge", toEditor).answerTo("turn", "1815.");
    await stage.say("Go on");
    expect(JSON.stringify(model.lastRequest.messages)).not.toContain("cut off");
  });
});

describe("a judge that fails", () => {
  const fails = async (text = "Well?") => {
    stage.services.model.answerTo("judge", refused()).answerTo("turn", "As the host.");
    await stage.say(text);
  };
  const works = async () => {
    stage.services.model.answerTo("judge", toEditor).answerTo("turn", "Mine.");
    await stage.say("Well?");
  };
  const SAID =
    "(bot) -# The judge could not score (its model's key is refused), so the host answers.";

  it("is told of before anybody answers, with the way to the reasons", async () => {
    await fails();
    expect(stage.lines()).toEqual([SAID, "Researcher: As the host."]);
    const [announcement] = stage.services.chat.effectsOf("announce");
    expect(announcement).toMatchObject({ announcement: { buttons: [{ label: "Why" }] } });
  });

  it("is told of once as long as it fails, rounds without it included", async () => {
    await fails();
    await fails();
    stage.services.model.answerTo("turn", "One.", "Two.");
    await stage.say("@all Hello");
    await fails();
    expect(notices()).toEqual([SAID]);
  });

  it("is told of again after it has worked", async () => {
    await fails();
    await works();
    await fails();
    expect(notices()).toEqual([SAID, SAID]);
  });

  it("is told of once for each way in which it fails, whatever the order", async () => {
    const failsAs = async (kind: ModelErrorKind) => {
      stage.services.model.answerTo("judge", new ModelError(kind, "No.")).answerTo("turn", "Host.");
      await stage.say("Well?");
    };
    await failsAs("timeout");
    await failsAs("unauthorized");
    await failsAs("timeout");
    await failsAs("unknown-model");
    await failsAs("unauthorized");
    expect(notices()).toEqual([
      "(bot) -# The judge could not score (it took too long), so the host answers.",
      SAID,
      "(bot) -# The judge could not score (its model is not known to the endpoint), so the host answers.",
    ]);
    await works();
    await failsAs("timeout");
    expect(notices().slice(3)).toEqual([
      "(bot) -# The judge could not score (it took too long), so the host answers.",
    ]);
  });

  it("is told of again where it could not be said", async () => {
    stage.services.chat.failNext("announce", new ChatError("refused", "No."), "before");
    await fails();
    expect(notices()).toEqual([]);
    await fails();
    expect(notices()).toEqual([SAID]);
  });

  it("leaves the word to those who were named", async () => {
    stage.services.model.answerTo("judge", refused()).answerTo("turn", "Here.");
    await stage.say("@Editor Well?");
    expect(stage.lines()).toEqual([
      "(bot) -# The judge could not score (its model's key is refused), so those who were named answer.",
      "Editor: Here.",
    ]);
  });
});
