import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { ask } from "../../src/app/operations/ask.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { sentenceOf } from "../../src/app/report.js";
import { asId, type ThreadId, type UserId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import { type Asker, ChatError } from "../../src/ports/chat.js";
import { addAgent, addGroup, aPerson, placeOf } from "../support/builders.js";
import { HANG, json, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
const ANA = aPerson({ name: "Ana", userId: asId<UserId>("800000000000000009") });

beforeEach(async () => {
  stage = await openStage({ members: ["Researcher", "Editor", "Critic"] });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** The answer of `/ask`, or the sentence with which it is refused. */
async function asked(
  input: { readonly agent: string; readonly text: string },
  { asker = ANA, place = stage.place }: { readonly asker?: Asker; readonly place?: Place } = {},
): Promise<string> {
  try {
    return (await runOperation(ask, { ...stage.services, asker, place }, input)).text;
  } catch (error) {
    return sentenceOf(error);
  }
}

function idOf(displayName: string) {
  const agent = stage.agents[displayName];
  if (agent === undefined) throw new Error(`There is no ${displayName}.`);
  return agent.id;
}

/** A model's answer that comes when it is released. */
function held(): { readonly answer: Scripted; readonly release: (text: string) => void } {
  let release: (text: string) => void = () => undefined;
  const text = new Promise<string>((resolve) => {
    release = resolve;
  });
  return { answer: () => text, release: (said) => release(said) };
}

describe("a question for one member", () => {
  it("is shown as the person's, stored as theirs, and answered by that member alone", async () => {
    const { model, storage } = stage.services;
    model.answerTo("turn", "Kill it.");
    expect(await asked({ agent: "editor", text: " This title? " })).toBe("**Editor** is asked.");
    await stage.app.onIdle();

    expect(stage.lines()).toEqual([
      "(bot) **Editor** is asked by **Ana**:\n>>> This title?",
      "Editor: Kill it.",
    ]);
    expect(model.lastRequest.messages.at(-1)?.text).toContain("This title?");
    const [question, answer] = stage.services.chat.shown(stage.place);
    if (question === undefined || answer === undefined) throw new Error("nothing was said");
    expect(await storage.messages.get(question.id)).toMatchObject({
      author: { kind: "person", userId: ANA.userId, name: "Ana" },
      text: "This title?",
      askedId: idOf("Editor"),
    });
    expect((await storage.messages.get(answer.id))?.author).toMatchObject({ kind: "agent" });
    const [opened] = await stage.journal();
    expect(opened).toMatchObject({
      isAsk: true,
      named: [{ agentId: idOf("Editor"), by: "ask", messageId: question.id }],
      startedBy: [ANA.userId],
    });
  });

  it("pings nobody else: names in the question and in the answer are followed by nobody", async () => {
    stage.services.model.answerTo("turn", "Ask @Researcher and @Critic.");
    await asked({ agent: "Editor", text: "Is @Critic right, @all?" });
    await stage.app.onIdle();
    expect(stage.lines()).toHaveLength(2);
  });

  it("is quoted to the end, and names are shown as they are", async () => {
    stage.services.model.answerTo("turn", "Hm.");
    const asker = aPerson({ name: "**Bob** asks" });
    await asked({ agent: "Editor", text: "a\n**Critic** is asked by **Ana**:\nb" }, { asker });
    await stage.app.onIdle();
    expect(stage.lines()[0]).toBe(
      "(bot) **Editor** is asked by **\\*\\*Bob\\*\\* asks**:\n>>> a\n**Critic** is asked by **Ana**:\nb",
    );
  });

  it("has a limit, and the longest one fits with the longest names", async () => {
    const agent = await addAgent(stage.services, { displayName: "`".repeat(32), name: "ticks" });
    await stage.services.storage.groups.update(stage.group.id, {
      members: [idOf("Editor"), agent.id],
      hostId: agent.id,
    });
    const asker = aPerson({ name: "_".repeat(32) });
    expect(await asked({ agent: "ticks", text: "x".repeat(1_701) }, { asker })).toBe(
      "`text`: A question can have 1,700 characters at most.",
    );
    for (const text of ["  ", "\u200b", "||||"]) {
      expect(await asked({ agent: "ticks", text }, { asker })).toBe(
        "`text`: The question must not be empty.",
      );
    }
    expect(stage.lines()).toEqual([]);
    stage.services.model.answerTo("turn", "Long.");
    await asked({ agent: "ticks", text: "x".repeat(1_700) }, { asker });
    await stage.app.onIdle();
    expect(stage.lines()).toHaveLength(2);
  });

  it("is answered in the thread where it was put", async () => {
    stage.services.model.answerTo("turn", "Here.");
    const place = { ...stage.place, threadId: asId<ThreadId>("770000000000000001") };
    await asked({ agent: "Editor", text: "Where?" }, { place });
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([]);
    expect(stage.services.chat.lines(place).at(-1)).toBe("Editor: Here.");
  });

  it("is seen by everybody who speaks later", async () => {
    const { model } = stage.services;
    model
      .answerTo("turn", "Kill it.")
      .answerTo("judge", json({ researcher: 1, editor: 0, critic: 0 }));
    model.answerTo("turn", "I agree.");
    await asked({ agent: "Editor", text: "This title?" });
    await stage.app.onIdle();
    await stage.say("And you?");
    const heard = model.lastRequest.messages.at(-1)?.text ?? "";
    expect(heard).toContain("[Ana (person)] @Editor This title?\n[Editor] Kill it.");
  });
});

describe("a question while a round runs", () => {
  it("waits for its turn, and what was written after it waits for the round after", async () => {
    const { model } = stage.services;
    const first = held();
    model
      .answerTo("judge", json({ researcher: 1, editor: 0, critic: 0 }))
      .answerTo("turn", first.answer)
      .answerTo("judge", json({ researcher: 0, editor: 0, critic: 1 }))
      .answerTo("turn", "Before.")
      .answerTo("turn", "The asked one.")
      .answerTo("judge", json({ researcher: 0, editor: 0, critic: 1 }))
      .answerTo("turn", "After.");
    await stage.app.router.received(stage.message("One"));
    await model.requested(2);
    await stage.app.router.received(stage.message("Two"));
    expect(await asked({ agent: "Editor", text: "Three?" })).toBe(
      "**Editor** will answer when this round is over.",
    );
    await stage.app.router.received(stage.message("Four"));
    await stage.app.router.received(stage.message("Five"));
    first.release("First.");
    await stage.app.onIdle();
    expect(stage.lines().slice(1)).toEqual([
      "Researcher: First.",
      "Critic: Before.",
      "Editor: The asked one.",
      "Critic: After.",
    ]);
    const judged = model.requests[5]?.messages.at(-1)?.text ?? "";
    expect(judged.split("New messages:\n")[1]).toBe("[Ana (person)] Four\n[Ana (person)] Five");
  });

  it("is not heard by those still to speak, and is put to the member when its turn comes", async () => {
    const { model } = stage.services;
    const first = held();
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.8, critic: 0 }))
      .answerTo("turn", first.answer, "Second.", "Asked.");
    await stage.app.router.received(stage.message("One"));
    await model.requested(2);
    await asked({ agent: "Editor", text: "Really?" });
    first.release("First.");
    await stage.app.onIdle();
    const [, , inRound, inAsk] = model.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(inRound).toBe("[Ana (person)] One\n[Researcher] First.");
    expect(inAsk).toMatch(/\n?\[Ana \(person\)\] @Editor Really\?$/);
  });

  it("is one round for each of two", async () => {
    const { model } = stage.services;
    const first = held();
    model.answerTo("turn", first.answer, "No.", "Yes.");
    await asked({ agent: "Researcher", text: "One?" });
    await model.requested(1);
    await asked({ agent: "Editor", text: "Two?" });
    await asked({ agent: "Critic", text: "Three?" });
    first.release("Maybe.");
    await stage.app.onIdle();
    expect(stage.lines().slice(3)).toEqual(["Researcher: Maybe.", "Editor: No.", "Critic: Yes."]);
  });

  it("is said to be in vain when the member has left or been muted meanwhile", async () => {
    const { model, storage } = stage.services;
    const first = held();
    model.answerTo("turn", first.answer);
    await asked({ agent: "Researcher", text: "One?" });
    await model.requested(1);
    await asked({ agent: "Editor", text: "Two?" });
    await asked({ agent: "Critic", text: "Three?" });
    await storage.groups.update(stage.group.id, {
      members: [idOf("Researcher"), idOf("Critic")],
      muted: [idOf("Critic")],
    });
    first.release("Maybe.");
    await stage.app.onIdle();
    expect(stage.lines().slice(4)).toEqual([
      "(bot) -# Editor could not answer: it is no longer in this group.",
      "(bot) -# Critic is muted here. `/unmute` brings an agent back.",
    ]);
  });
});

describe("a question and the end of the process", () => {
  it("is answered after a restart, once, and then what was written after it", async () => {
    const { model, log } = stage.services;
    await stage.app.stop();
    await asked({ agent: "Editor", text: "Still there?" });
    await stage.app.router.received(stage.message("And the rest?"));
    expect(stage.lines()).toHaveLength(1);
    const restarted = createApp({ ...stage.services, mailboxes: createMailboxes(log) });
    model
      .answerTo("turn", "Still here.")
      .answerTo("judge", json({ researcher: 0, editor: 0, critic: 1 }))
      .answerTo("turn", "Too.");
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines().slice(1)).toEqual(["Editor: Still here.", "Critic: Too."]);
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines()).toHaveLength(3);
  });

  it("is given up when its message is deleted", async () => {
    const { model, chat } = stage.services;
    model.answerTo("turn", HANG);
    await asked({ agent: "Editor", text: "Well?" });
    await model.requested(1);
    const [question] = chat.shown(stage.place);
    if (question === undefined) throw new Error("nothing was asked");
    await stage.app.router.deleted(asId(stage.place.channelId), [question.id]);
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toBe(
      "(bot) -# Stopped: the message that started this was deleted.",
    );
  });
});

describe("a question that Discord may have taken", () => {
  it.each(["before", "after"] as const)("is there once when it failed %s that", async (time) => {
    const { model, chat, clock } = stage.services;
    model.answerTo("turn", "Once.");
    chat.failNext("announce", new ChatError("unknown", "The connection broke."), time);
    const answer = asked({ agent: "Editor", text: "Well?" });
    while (!chat.calls.includes("announce")) await clock.advance(0);
    await clock.advance(60_000);
    expect(await answer).toBe("**Editor** is asked.");
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([
      "(bot) **Editor** is asked by **Ana**:\n>>> Well?",
      "Editor: Once.",
    ]);
  });
});

describe("a question is refused", () => {
  it.each([
    ["of an agent that nobody knows", "Ghost", "There is no agent called “Ghost”."],
    ["of one that is not a member", "Outsider", "**Outsider** is not a member of **Review**."],
    ["of one that is archived", "Relic", "**Relic** is archived; `/agent_restore` brings it back."],
    ["of one that is muted", "Critic", "**Critic** is muted here; `/unmute` brings it back."],
  ])("%s, and nothing is posted", async (_, agent, sentence) => {
    await addAgent(stage.services, { displayName: "Outsider" });
    await addAgent(stage.services, { displayName: "Relic", archivedAtMs: 1 });
    await stage.services.storage.groups.setMuted(stage.group.id, idOf("Critic"), true);
    expect(await asked({ agent, text: "Well?" })).toBe(sentence);
    expect(stage.lines()).toEqual([]);
    expect(stage.services.chat.calls).not.toContain("announce");
  });

  it("outside a group, in another kind of group, and in an archived one", async () => {
    const members = Object.values(stage.agents);
    const agent = stage.agents["Editor"];
    if (agent === undefined) throw new Error("There is no Editor.");
    const hosted = await addGroup(stage.services, { displayName: "Hall", members, kind: "hosted" });
    const archived = await addGroup(stage.services, {
      displayName: "Attic",
      members,
      archivedAtMs: 1,
    });
    const input = { agent: "Editor", text: "Well?" };
    expect(await asked(input, { place: placeOf(agent) })).toBe(
      "This works only in the channel of an open group, or in one of its threads.",
    );
    expect(await asked(input, { place: placeOf(hosted) })).toBe(
      "**Hall** is a hosted group; this works only in open groups.",
    );
    expect(await asked(input, { place: placeOf(archived) })).toBe(
      "**Attic** is archived; `/group_restore` brings it back.",
    );
  });

  it("to people who may not talk here", async () => {
    const asker = aPerson({ canWriteHere: false });
    expect(await asked({ agent: "Editor", text: "Well?" }, { asker })).toBe(
      "You need the right to write in this channel for that.",
    );
  });

  it("in the words of Discord when it cannot be posted, and it is not stored", async () => {
    stage.services.chat.failNext("announce", new ChatError("forbidden", "The bot may not write."));
    expect(await asked({ agent: "Editor", text: "Well?" })).toBe("The bot may not write.");
    expect(await stage.services.storage.messages.pendingPlaces()).toEqual([]);
  });
});
