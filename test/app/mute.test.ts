import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mute } from "../../src/app/operations/mute.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { unmute } from "../../src/app/operations/unmute.js";
import { sentenceOf } from "../../src/app/report.js";
import { asId, type ThreadId } from "../../src/domain/ids.js";
import type { Asker } from "../../src/ports/chat.js";
import { addAgent, aPerson } from "../support/builders.js";
import { json } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;

beforeEach(async () => {
  stage = await openStage({ members: ["Researcher", "Editor", "Critic"] });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** The answer, or the sentence with which it is refused. */
async function told(
  operation: Operation,
  agent: string,
  { asker = aPerson(), place = stage.place }: { asker?: Asker; place?: Stage["place"] } = {},
): Promise<string> {
  try {
    const answer = await runOperation(operation, { ...stage.services, asker, place }, { agent });
    await stage.services.topics.onIdle();
    return answer.text;
  } catch (error) {
    return sentenceOf(error);
  }
}

const muteAll = async (...names: readonly string[]) => {
  for (const name of names) await told(mute, name);
};
const topic = () => stage.services.chat.topic(stage.place.channelId);
/** What the bot itself has said. */
const notices = () => stage.lines().filter((line) => line.startsWith("(bot)"));
const EDITOR_IS_MUTED = "(bot) -# Editor is muted here. `/unmute` brings an agent back.";

describe("/mute and /unmute", () => {
  it("are shown in the topic and kept", async () => {
    expect(await told(mute, "@editor")).toBe("**Editor** is muted here; `/unmute` brings it back.");
    expect(topic()).toBe("Review | Members: Researcher, Editor (muted), Critic | Host: Researcher");
    expect(await told(unmute, "EDITOR")).toBe("**Editor** takes part again.");
    expect(topic()).toBe("Review | Members: Researcher, Editor, Critic | Host: Researcher");
  });

  it("say so when there is nothing to do", async () => {
    expect(await told(unmute, "Editor")).toBe("**Editor** is not muted here.");
    await told(mute, "Editor");
    const changes = stage.services.chat.effectsOf("setTopic").length;
    expect(await told(mute, "Editor")).toBe("**Editor** is muted here already.");
    expect(stage.services.chat.effectsOf("setTopic")).toHaveLength(changes);
  });

  it("do not undo each other when they come at once", async () => {
    await Promise.all([told(mute, "Editor"), told(mute, "Critic"), told(mute, "Editor")]);
    expect((await stage.services.storage.groups.get(stage.group.id))?.muted).toHaveLength(2);
  });

  it("hold in the threads of the channel too", async () => {
    const place = { ...stage.place, threadId: asId<ThreadId>("770000000000000001") };
    await told(mute, "Editor", { place });
    expect(topic()).toContain("Editor (muted)");
  });

  it.each([
    ["Ghost", "There is no agent called “Ghost”."],
    ["Outsider", "**Outsider** is not a member of **Review**."],
  ])("refuse %s", async (agent, sentence) => {
    await addAgent(stage.services, { displayName: "Outsider" });
    expect(await told(mute, agent)).toBe(sentence);
    expect(await told(unmute, agent)).toBe(sentence);
  });

  it("are refused to people who may not talk here", async () => {
    const asker = aPerson({ canWriteHere: false });
    const sentence = "You need the right to write in this channel for that.";
    expect(await told(mute, "Editor", { asker })).toBe(sentence);
    expect(await told(unmute, "Editor", { asker })).toBe(sentence);
  });

  it("say when the last member was muted", async () => {
    await muteAll("Researcher", "Editor");
    expect(await told(mute, "Critic")).toBe(
      "**Critic** is muted here; `/unmute` brings it back. Now every member is muted, so nobody answers here.",
    );
  });

  it("hold from the next round on when one is running", async () => {
    const { model } = stage.services;
    let release: (text: string) => void = () => undefined;
    const text = new Promise<string>((resolve) => {
      release = resolve;
    });
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.8, critic: 0 }))
      .answerTo("turn", () => text, "Still in this round.");
    await stage.app.router.received(stage.message("Well?"));
    await model.requested(2);
    const since = "From the next round on.";
    expect(await told(mute, "Editor")).toBe(
      `**Editor** is muted here; \`/unmute\` brings it back. ${since}`,
    );
    expect(await told(unmute, "Editor")).toBe(`**Editor** takes part again. ${since}`);
    await told(mute, "Editor");
    release("First.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Researcher: First.", "Editor: Still in this round."]);

    model.answerTo("judge", json({ researcher: 0, critic: 1 })).answerTo("turn", "Me.");
    await stage.say("And now?");
    expect(stage.lines().at(-1)).toBe("Critic: Me.");
  });
});

describe("a muted member", () => {
  it("is neither judged nor handed to", async () => {
    await told(mute, "Editor");
    stage.services.model
      .answerTo("judge", json({ researcher: 1, critic: 0 }))
      .answerTo("turn", "What does @Editor say?");
    await stage.say("Well?");
    expect(stage.lines()).toEqual(["Researcher: What does @Editor say?"]);
  });

  it("that is host leaves the answer to the first member that is not muted", async () => {
    await told(mute, "Researcher");
    stage.services.model
      .answerTo("judge", json({ editor: 0, critic: 0 }))
      .answerTo("turn", "I do.");
    await stage.say("Who answers?");
    expect(stage.lines()).toEqual(["Editor: I do."]);
  });

  it("is told of once when it is named, and the others go on", async () => {
    await told(mute, "Editor");
    const { model } = stage.services;
    for (const text of ["@Editor?", "Nobody.", "@Editor??", "@all, and @Editor"]) {
      if (!text.startsWith("@all")) model.answerTo("judge", json({ researcher: 1, critic: 0 }));
      model.answerTo("turn", `To ${text.replaceAll("@", "")}`);
      if (text.startsWith("@all")) model.answerTo("turn", "To all.");
      await stage.say(text);
    }
    expect(notices()).toEqual([EDITOR_IS_MUTED]);
    expect(stage.lines()).toHaveLength(6);
  });

  it("is told of again when another one is named too, of that one alone", async () => {
    await muteAll("Editor", "Critic");
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 1 })).answerTo("turn", "One.");
    await stage.say("@Editor?");
    model.answerTo("turn", "Two.");
    await stage.say("@all");
    expect(notices()).toEqual([
      EDITOR_IS_MUTED,
      "(bot) -# Critic is muted here. `/unmute` brings an agent back.",
    ]);
  });

  it("is told of again after it took part in between", async () => {
    const { model } = stage.services;
    const sayToEditor = async () => {
      model.answerTo("judge", json({ researcher: 1, critic: 0 })).answerTo("turn", "Yes.");
      await stage.say("@Editor?");
    };
    await told(mute, "Editor");
    await sayToEditor();
    await told(unmute, "Editor");
    model.answerTo("judge", json({ researcher: 0, editor: 1, critic: 0 })).answerTo("turn", "Me.");
    await stage.say("Well?");
    await told(mute, "Editor");
    await sayToEditor();
    await sayToEditor();
    expect(notices()).toEqual([EDITOR_IS_MUTED, EDITOR_IS_MUTED]);
  });

  it("is told of once in each conversation", async () => {
    await told(mute, "Editor");
    const thread = { ...stage.place, threadId: asId<ThreadId>("770000000000000001") };
    for (const place of [stage.place, thread, stage.place, thread]) {
      stage.services.model
        .answerTo("judge", json({ researcher: 1, critic: 0 }))
        .answerTo("turn", "Yes.");
      await stage.say("@Editor?", { place });
    }
    expect(notices()).toEqual([EDITOR_IS_MUTED]);
    expect(stage.services.chat.lines(thread)).toHaveLength(3);
  });
});

describe("a group whose members are all muted", () => {
  it("says so each time instead of keeping silent", async () => {
    await muteAll("Researcher", "Editor", "Critic");
    await stage.say("Anybody?");
    await stage.say("@Editor?");
    const line =
      "(bot) -# Every member of this group is muted, so nobody answers. `/unmute` brings an agent back.";
    expect(stage.lines()).toEqual([line, line]);
  });

  it("answers again with the first that is back", async () => {
    await muteAll("Researcher", "Editor", "Critic");
    await told(unmute, "Critic");
    stage.services.model.answerTo("judge", json({ critic: 0 })).answerTo("turn", "Here.");
    await stage.say("Anybody?");
    expect(stage.lines()).toEqual(["Critic: Here."]);
  });
});
