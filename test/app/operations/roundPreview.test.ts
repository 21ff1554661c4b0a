import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOperation } from "../../../src/app/operations/operation.js";
import { roundPreview } from "../../../src/app/operations/roundPreview.js";
import { sentenceOf } from "../../../src/app/report.js";
import { asId, type ChannelId } from "../../../src/domain/ids.js";
import { conversationOf } from "../../../src/domain/message.js";
import { ModelError } from "../../../src/ports/model.js";
import { aPerson } from "../../support/builders.js";
import { HANG, json } from "../../support/scriptedModel.js";
import { openStage, type Stage } from "../../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ members: ["Researcher", "Editor", "Critic"] });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const preview = async (text: string, change: object = {}) => {
  const context = { ...stage.services, asker: aPerson(), place: stage.place, ...change };
  return (await runOperation(roundPreview, context, { text })).text;
};
const refusal = (text: string, change: object = {}) =>
  preview(text, change).then((shown) => {
    throw new Error(`It was not refused: ${shown}`);
  }, sentenceOf);
const mute = (...names: readonly string[]) =>
  stage.services.storage.groups.update(stage.group.id, {
    muted: names.flatMap((name) => stage.agents[name]?.id ?? []),
  });

describe("/round_preview", () => {
  it("shows scores, names and order as a round would have them, and nobody answers", async () => {
    const { model, storage, chat } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0, editor: 0.9, critic: 0 }))
      .answerTo("turn", "Before.");
    await stage.say("Earlier");
    const said = chat.effects.length;
    const newest = await storage.messages.newestId(conversationOf(stage.place));

    model.answerTo("preview", json({ researcher: 0.62, editor: 0.2, critic: 0.8 }));
    expect(await preview("@Editor, when was that?")).toBe(
      [
        "**Preview.** Nothing is posted.",
        "The judge scored 3 members; a member answers from 0.50 on.",
        "```",
        "Researcher ▓▓▓▓▓▓░░░░ 0.62 ✓",
        "Editor     ▓▓░░░░░░░░ 0.20 ✓ named",
        "Critic     ▓▓▓▓▓▓▓▓░░ 0.80 ✓",
        "```",
        "Named: Editor (by you).",
        "**Who would answer**, in this order",
        "1. Editor: named by you",
        "2. Researcher: score 0.62",
        "3. Critic: score 0.80",
      ].join("\n"),
    );
    expect(model.lastRequest.messages[1]?.text).toBe(
      [
        "Said before:",
        "[Ana (person)] Earlier",
        "[Editor] Before.",
        "",
        "New messages:",
        "[Petra (person)] @Editor, when was that?",
      ].join("\n"),
    );
    expect(chat.effects).toHaveLength(said);
    expect(await storage.messages.newestId(conversationOf(stage.place))).toBe(newest);
    const [counted] = (await storage.usage.since(stage.group.guildId, 0)).slice(-1);
    expect(counted).toMatchObject({ purpose: "preview", roundId: null, groupId: stage.group.id });
  });

  it("shows that the host would answer when nobody fits, and when the judge fails", async () => {
    const { model } = stage.services;
    model.answerTo("preview", json({ researcher: 0.1, editor: 0.2, critic: 0.3 }));
    expect((await preview("Hm")).split("\n").at(-1)).toBe(
      "1. Researcher: the host, since nobody fitted",
    );
    model.answerTo("preview", new ModelError("timeout", "slow"));
    expect((await preview("Hm")).split("\n").slice(1)).toEqual([
      "The judge could not score (it took too long), so Researcher answers alone, as the host.",
      "**Who would answer**, in this order",
      "1. Researcher: the host, since there were no scores",
    ]);
  });

  it("does not ask the judge when everybody is named", async () => {
    const shown = await preview("@all?");
    expect(shown).toContain("The judge was not asked: everybody was named.");
    expect(shown.split("\n").slice(-3)).toEqual([
      "1. Researcher: named by you with @all",
      "2. Editor: named by you with @all",
      "3. Critic: named by you with @all",
    ]);
  });

  it("shows who is muted, and what the channel would be told of it", async () => {
    await mute("Critic");
    stage.services.model.answerTo("preview", json({ researcher: 0.7, editor: 0.2 }));
    expect((await preview("@Critic?")).split("\n").slice(-4)).toEqual([
      "Muted, so not asked: Critic.",
      "**Who would answer**, in this order",
      "1. Researcher: score 0.70",
      "-# Critic is muted here. `/unmute` brings an agent back.",
    ]);
    await mute("Researcher", "Editor", "Critic");
    expect(await preview("Anybody?")).toContain("Nobody would answer.");
  });

  it("says that a round is going on", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 0 })).answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Go"));
    await model.requested(2);
    model.answerTo("preview", json({ researcher: 0, editor: 1, critic: 0 }));
    expect((await preview("And then?")).split("\n").at(-1)).toBe(
      "-# A round is going on here: what you write now waits for its end.",
    );
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
  });

  it("is refused in one sentence where nobody would answer", async () => {
    const elsewhere = { ...stage.place, channelId: asId<ChannelId>("700000000000000001") };
    expect(await refusal("Hello?", { place: elsewhere })).toMatch(
      /^This works only in the channel of an open group/u,
    );
    expect(await refusal("Stop!")).toMatch(/^That message would stop/u);
    expect(await refusal("!gc list")).toMatch(/^Messages that begin with `!gc` are commands/u);
    expect(await refusal("  ")).toBe("`text`: The text must not be empty.");
    expect(await refusal("Hello?", { asker: aPerson({ canWriteHere: false }) })).toBe(
      "You need the right to write in this channel for that.",
    );
  });
});
