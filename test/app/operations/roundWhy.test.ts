import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOperation } from "../../../src/app/operations/operation.js";
import { explainByButton, roundWhy, whyByButton } from "../../../src/app/operations/roundWhy.js";
import { sentenceOf } from "../../../src/app/report.js";
import { asId, type RoundId, type ThreadId } from "../../../src/domain/ids.js";
import { conversationOf, type Place } from "../../../src/domain/message.js";
import { ModelError } from "../../../src/ports/model.js";
import { aManager, aPerson, OTHER_GUILD } from "../../support/builders.js";
import { HANG, json } from "../../support/scriptedModel.js";
import { openStage, type Stage } from "../../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const context = (change: { asker?: ReturnType<typeof aPerson>; place?: Place } = {}) => ({
  ...stage.services,
  asker: aPerson(),
  place: stage.place,
  ...change,
});
const why = async (message?: string, change: Parameters<typeof context>[0] = {}) =>
  runOperation(roundWhy, context(change), message === undefined ? {} : { message });
const refusal = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    return sentenceOf(error);
  }
  throw new Error("It was not refused.");
};
const conversation = () => conversationOf(stage.place);
const roundId = async () => (await stage.services.storage.rounds.latest(conversation()))?.id ?? "";

/** Editor answers with 0.9, Researcher keeps silent. */
async function oneRound(text = "When was that?") {
  stage.services.model
    .answerTo("judge", json({ researcher: 0.1, editor: 0.9 }))
    .answerTo("turn", "In 1912.");
  return stage.say(text);
}

describe("/round_why", () => {
  it("shows the last round of the conversation, with its calls", async () => {
    const asked = await oneRound();
    const { text, buttons } = await why();
    expect(text).toBe(
      [
        "**Finished**, 1 reply in 0.0 s",
        `> Ana: “When was that?” [↗](${stage.services.chat.link(stage.place, asked.id)})`,
        "The judge scored 2 members; a member answers from 0.50 on.",
        "```",
        "Researcher ▓░░░░░░░░░ 0.10",
        "Editor     ▓▓▓▓▓▓▓▓▓░ 0.90 ✓",
        "```",
        "**Who spoke**, in this order",
        "1. **Editor**: score 0.90",
        "**Model calls**, tokens in→out",
        "```",
        "test-judge",
        "judge                100→10  0.0 s",
        "test-model",
        "Editor               100→10  0.0 s",
        "all 2 calls          200→20  0.0 s",
        "```",
      ].join("\n"),
    );
    expect(buttons).toEqual([
      { id: `explain:${await roundId()}`, label: "Explain", style: "plain" },
    ]);
  });

  it.each([
    ["its id", (id: string) => id],
    ["its link", (id: string) => `https://discord.com/channels/1/2/${id}`],
    ["its link in brackets", (id: string) => ` <https://ptb.discord.com/channels/1/2/${id}> `],
    ["channel and id", (id: string) => `700000000000000001-${id}`],
  ])("shows the round of an earlier message given by %s", async (_, written) => {
    const first = await oneRound("First");
    const [answer] = stage.services.chat.shown(stage.place);
    await oneRound("Second");
    expect((await why(written(first.id))).text).toContain("“First”");
    const { text } = await why(written(answer?.id ?? ""));
    expect(text).toContain("“First”");
    expect(text).toContain("\nThis message: **Editor** spoke, score 0.90.\n");
  });

  it("shows a round that several messages started for each of them, and one that waits still", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0.1, editor: 0.9 })).answerTo("turn", HANG);
    await stage.app.router.received(stage.message("First"));
    await model.requested(2);
    const second = stage.message("Second");
    const third = stage.message("Third");
    await stage.app.router.received(second);
    await stage.app.router.received(third);

    const running = await why();
    expect(running.text).toContain("**Still running**, 0 replies so far");
    expect(running.text).toContain("1. **Editor** is writing: score 0.90");
    expect(running.buttons).toBeUndefined();
    expect((await why(second.id)).text).toBe(
      "The message of Ana waits: those who still speak in the present round see it, and when that ends it starts the next one.",
    );

    model.answerTo("judge", json({ researcher: 0.1, editor: 0.2 })).answerTo("turn", "Yes.");
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    for (const { id } of [second, third]) {
      const { text } = await why(id);
      expect(text).toContain("> Ana: “Second”");
      expect(text).toContain("> Ana: “Third”");
      expect(text).toContain("Researcher ▓░░░░░░░░░ 0.10 ✓ host");
    }
  });

  it("says of a message without a round what became of it", async () => {
    const { clock } = stage.services;
    const old = stage.message("Too old", { createdAtMs: clock.now() - 16 * 60_000 });
    await stage.app.router.caughtUp([old]);
    expect((await why(old.id)).text).toMatch(/^No agent was asked about the message of Ana: /u);
    await stage.app.router.deleted(conversation(), [old.id]);
    expect((await why(old.id)).text).toBe(
      "The message of Ana was deleted before an agent was asked.",
    );
  });

  it("shows no text of a deleted message", async () => {
    const asked = await oneRound("My secret");
    await stage.app.router.deleted(conversation(), [asked.id]);
    const { text } = await why();
    expect(text).toContain("> Ana: (deleted)");
    expect(text).not.toContain("secret");
  });

  it("shows names of the time of the round, and what they are by now", async () => {
    await oneRound();
    const editor = stage.agents["Editor"];
    if (editor === undefined) throw new Error("no editor");
    await stage.services.storage.agents.update(editor.id, { displayName: "Wordsmith" });
    const { text } = await why();
    expect(text).toContain("1. **Editor**: score 0.90");
    expect(text.split("\n").at(-1)).toBe("-# By now Editor is called Wordsmith.");
  });

  it("says when nothing has happened here, or the message is not known", async () => {
    expect((await why()).text).toBe("No agent has been asked anything here yet.");
    expect(await refusal(why("100000000000000001"))).toMatch(/^I know nothing about that message/u);
    expect(await refusal(why("that one"))).toBe("Give the link or the id of a message.");
  });

  it("shows rounds only where one reads them, to managers also elsewhere in their server", async () => {
    const asked = await oneRound();
    const thread = { ...stage.place, threadId: asId<ThreadId>("700000000000000009") };
    expect(await refusal(why(asked.id, { place: thread }))).toBe(
      "That message is in another channel or thread. Use this command there.",
    );
    expect((await why(undefined, { place: thread })).text).toBe(
      "No agent has been asked anything here yet.",
    );
    expect((await why(asked.id, { place: thread, asker: aManager() })).text).toContain("Finished");

    const foreign = aManager({ guildId: OTHER_GUILD });
    const there = { ...stage.place, guildId: OTHER_GUILD };
    expect(await refusal(why(asked.id, { place: there, asker: foreign }))).toMatch(
      /^I know nothing about that message/u,
    );
    expect(await refusal(whyByButton(context({ asker: foreign }), await roundId()))).toBe(
      "What this button belongs to is not there any more.",
    );
  });
});

describe("the notices of a round", () => {
  it.each(["turnFailed", "cap"] as const)("carry a button that shows why: %s", async (notice) => {
    const { model, chat } = stage.services;
    model.answerTo("judge", json({ researcher: 0.1, editor: 0.9 }));
    if (notice === "turnFailed") model.answerTo("turn", new ModelError("timeout", "slow"));
    else {
      for (let i = 0; i < 4; i += 1) model.answerTo("turn", "@Researcher", "@Editor");
    }
    await stage.say("Go");
    const [said] = chat.effectsOf("announce");
    expect(said?.announcement.buttons).toEqual([
      { id: `why:${await roundId()}`, label: "Why", style: "plain" },
    ]);
    const shown = await whyByButton(context(), await roundId());
    expect(shown).toEqual(await why());
  });
});

describe("Explain", () => {
  const reasons = json({ researcher: "Nothing to find.\nYet.", editor: "It is about *words*." });
  const explain = async (change: Parameters<typeof context>[0] = {}) =>
    explainByButton(context(change), await roundId());

  it("asks the judge once on the same input, keeps the answer and shows it from then on", async () => {
    const { model, storage } = stage.services;
    await oneRound();
    model.answerTo("explain", reasons);
    const { text } = await explain();
    expect(text).toBe(
      [
        "**The judge explains** its scores",
        "- **Researcher**: Nothing to find. Yet.",
        "- **Editor**: It is about \\*words\\*.",
      ].join("\n"),
    );
    const [judged] = model.requests;
    expect(model.lastRequest.messages[1]).toEqual(judged?.messages[1]);
    expect(model.lastRequest.model).toBe("test-judge");
    expect(model.lastRequest.messages[0]?.text).toContain("- editor: 0.9");

    expect(await explain()).toEqual({ text });
    const view = await why();
    expect(view.buttons).toBeUndefined();
    expect(view.text).toContain("**The judge explains**\n- **Researcher**: Nothing to find. Yet.");
    expect(view.text).toContain("explain              100→10  0.0 s");
    const usage = await storage.usage.ofRound(asId(await roundId()));
    expect(usage.map((row) => row.purpose)).toEqual(["judge", "turn", "explain"]);
  });

  it("asks once for two people who press at the same time", async () => {
    await oneRound();
    stage.services.model.answerTo("explain", reasons);
    const [one, other] = await Promise.all([explain(), explain()]);
    expect(other).toEqual(one);
    expect((await stage.journal()).filter((event) => event.type === "explained")).toHaveLength(1);
  });

  it("shows what another process kept meanwhile", async () => {
    const { model, storage } = stage.services;
    await oneRound();
    const id = asId<RoundId>(await roundId());
    const editor = stage.agents["Editor"];
    if (editor === undefined) throw new Error("no editor");
    model.answerTo("explain", async () => {
      const { length } = await storage.rounds.journal(id);
      const kept = {
        type: "explained",
        reasons: [{ agentId: editor.id, text: "First." }],
      } as const;
      await storage.rounds.append(id, length, [kept], { atMs: 1 });
      return reasons;
    });
    expect((await explain()).text).toContain("- **Editor**: First.");
  });

  it.each([
    ["no JSON", "Because."],
    ["a missing member", json({ editor: "Words." })],
    ["an empty sentence", json({ editor: "Words.", researcher: " " })],
    ["something else beside", json({ editor: "Words.", researcher: "None.", ghost: "Boo." })],
  ])("is asked for once more, with the reason, when the answer was %s", async (_, answer) => {
    const { model } = stage.services;
    await oneRound();
    model.answerTo("explain", answer, reasons);
    expect((await explain()).text).toContain("- **Editor**: It is about");
    expect(model.lastRequest.messages.slice(2)).toEqual([
      { role: "assistant", text: answer },
      { role: "user", text: expect.stringMatching(/^That answer cannot be used: .{5,}/u) },
    ]);
  });

  it("says that the answer could not be read twice, and can be pressed again", async () => {
    const { model } = stage.services;
    await oneRound();
    model.answerTo("explain", "Because.", "So.");
    expect(await refusal(explain())).toBe("The judge's answer could not be read; try again.");
    expect((await stage.journal()).at(-1)?.type).toBe("closed");
    model.answerTo("explain", reasons);
    expect((await explain()).text).toContain("Editor");
  });

  it("says in one sentence that the model failed", async () => {
    await oneRound();
    stage.services.model.answerTo("explain", new ModelError("timeout", "slow"));
    expect(await refusal(explain())).toBe("The model took too long to answer.");
  });

  it("is not offered where nobody was judged, and refused kindly", async () => {
    stage.services.model.answerTo("turn", "Here.", "Here too.");
    await stage.say("@all Where are you?");
    expect((await why()).text).toContain("The judge was not asked: everybody was named.");
    expect((await why()).buttons).toBeUndefined();
    expect(await refusal(explain())).toBe(
      "Nobody was judged here, so there is nothing to explain.",
    );
  });

  it("speaks of the relevance when the judge could not score", async () => {
    const { model } = stage.services;
    model.answerTo("judge", new ModelError("unauthorized", "no")).answerTo("turn", "Here.");
    await stage.say("Where are you?");
    model.answerTo("explain", reasons);
    expect((await explain()).text.split("\n")[0]).toBe(
      "**The judge explains** afterwards: it had not scored this time",
    );
    expect(model.lastRequest.messages[0]?.text).not.toContain("scored");
  });

  it("leaves the journal of a running round alone", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0.1, editor: 0.9 })).answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Go"));
    await model.requested(2);
    expect(await refusal(explain())).toBe(
      "This is still going on; ask for reasons when it is over.",
    );
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
  });

  it("is for those who may talk, and needs something to explain", async () => {
    const asked = await oneRound();
    const silent = aPerson({ canWriteHere: false });
    expect((await why(undefined, { asker: silent })).buttons).toBeUndefined();
    expect(await refusal(explain({ asker: silent }))).toBe(
      "You need the right to write in this channel for that.",
    );
    await stage.app.router.deleted(conversation(), [asked.id]);
    expect(await refusal(explain())).toBe(
      "What started this is deleted, so it cannot be explained.",
    );
  });

  it("is cut off by the end of the process, and keeps nothing then", async () => {
    const { model, clock } = stage.services;
    await oneRound();
    model.answerTo("explain", HANG);
    const refused = refusal(explain());
    await model.requested(3);
    const stopped = stage.app.stop();
    await clock.advance(20_000);
    await stopped;
    expect(await refused).toBe("I am being restarted; try again in a moment.");
    expect((await stage.journal()).at(-1)?.type).toBe("closed");
  });
});
