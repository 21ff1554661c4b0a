import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { floorClose } from "../../src/app/operations/floorClose.js";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorResults } from "../../src/app/operations/floorResults.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { roundStop } from "../../src/app/operations/roundStop.js";
import { roundWhy } from "../../src/app/operations/roundWhy.js";
import { sayAgain } from "../../src/app/sayAgain.js";
import { asId, type UserId } from "../../src/domain/ids.js";
import type { Asker } from "../../src/ports/chat.js";
import { ModelError, type ModelRequest, type Purpose } from "../../src/ports/model.js";
import { aManager, aPerson } from "../support/builders.js";
import { HANG, json } from "../support/scriptedModel.js";
import type { TestOverrides } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async (
  members = ["Researcher", "Editor", "Planner"],
  overrides: TestOverrides = {},
) => {
  stage = await openStage({ members, kind: "moderated", overrides });
};
/** Runs a command and gives its answer at once. */
const ask = async (operation: Operation, input: object, asker: Asker = aPerson({ name: "Ana" })) =>
  (await runOperation(operation, { ...stage.services, asker, place: stage.place }, input)).text;
/** The same, and waits for everything that follows. */
const run = async (operation: Operation, input: object) => {
  const answer = await ask(operation, input);
  await stage.app.onIdle();
  return answer;
};
const speaker = (request: ModelRequest) =>
  /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1];
const lastText = (request: ModelRequest) => request.messages.at(-1)?.text ?? "";
const call = (name: string, given: object, id = "c1") => ({
  toolCalls: [{ id, name, argumentsJson: JSON.stringify(given) }],
});

describe("a gated channel", () => {
  it("stores what people write and wakes nobody, mention and reply included", async () => {
    await open();
    stage.services.model.answerTo("turn", "Tea.");
    await run(floorTurns, { order: "selective", agents: ["Editor"] });
    const reply = (
      await stage.services.storage.messages.recent(asId(stage.place.channelId), {
        before: null,
        limit: 9,
      })
    ).at(-1);
    for (let index = 0; index < 30; index += 1)
      await stage.say(`@Editor and @all, number ${index}`);
    await stage.say("And this?", { replyToId: reply?.id ?? null });
    const { messages } = await stage.services.storage.messages.transcript(
      asId(stage.place.channelId),
      100,
    );
    expect(messages.filter(({ author }) => author.kind === "person")).toHaveLength(31);
    expect(await stage.services.storage.messages.pending(asId(stage.place.channelId))).toEqual([]);
    expect(stage.services.model.requests).toHaveLength(1);
  });

  it("tells each person once on a floor how turns work, also after a restart", async () => {
    await open();
    const hints = () => stage.lines().filter((line) => line.includes("/floor_turns"));
    await stage.say("Hello everybody");
    expect(hints()).toEqual([]);
    await stage.say("@Editor?");
    await stage.say("@Editor!");
    expect(hints()).toHaveLength(1);
    await createApp(stage.services).router.received(stage.message("@Planner?"));
    expect(hints()).toHaveLength(1);
    await stage.say("@Editor, me too?", {
      author: aPerson({ name: "Ben", userId: asId<UserId>("800000000000000010") }),
    });
    expect(hints()).toHaveLength(2);
    await run(floorOpen, { topic: "Tea" });
    await stage.say("@Editor now?");
    expect(hints()).toHaveLength(3);
  });
});

describe("turns", () => {
  it("follow the plan, one after another, and each speaker reads what was said before", async () => {
    await open();
    stage.services.model.answerTo("turn", "Leaves. @Planner", "Water. @all", "A pot.");
    await run(floorOpen, { topic: "How to make tea" });
    await stage.say("I like it strong.");
    expect(await run(floorTurns, { order: "batch", instruction: "Name one thing." })).toBe(
      "3 turns follow.",
    );
    expect(stage.lines().slice(-3)).toEqual([
      "Researcher: Leaves. @Planner",
      "Editor: Water. @all",
      "Planner: A pot.",
    ]);
    const [first, second, third] = stage.services.model.requests;
    expect([first, second, third].map((request) => request && speaker(request))).toEqual([
      "Researcher",
      "Editor",
      "Planner",
    ]);
    expect(first && lastText(first)).toMatch(
      /The floor is open\. Topic, by \*\*Ana\*\*:\nHow to make tea[\s\S]*\[Ana \(person\)\] I like it strong\.[\s\S]*Topic: How to make tea\nYou are asked: Name one thing\./,
    );
    expect(second && lastText(second)).toContain("[Researcher] Leaves. @Planner");
    expect(third && lastText(third)).toContain("[Editor] Water. @all");
  });

  it("are one message each, however long", async () => {
    await open();
    stage.services.model.answerTo("turn", "word ".repeat(900));
    await run(floorTurns, { order: "selective", agents: ["Editor"] });
    expect(stage.lines().filter((line) => line.startsWith("Editor: "))).toHaveLength(1);
  });

  it("go on without one that fails, and say so", async () => {
    await open();
    stage.services.model.answerTo(
      "turn",
      new ModelError("timeout", "late"),
      "Two.",
      "Three.",
      "Four.",
      "Five.",
      "Six.",
    );
    await run(floorTurns, { order: "round_robin", rounds: 2 });
    const said = stage.lines().filter((line) => !line.startsWith("(bot) -# 2 rounds"));
    expect(said.map((line) => line.replace(/:.*/u, ""))).toEqual([
      "(bot) -# Researcher could not answer",
      "Editor",
      "Planner",
      "Researcher",
      "Editor",
      "Planner",
    ]);
    expect(said[0]).toContain("Researcher could not answer");
  });

  it("stop at once, and nothing is posted after it", async () => {
    await open();
    stage.services.model.answerTo("turn", "One.", HANG);
    await ask(floorTurns, { order: "batch" });
    await stage.services.model.requested(2);
    expect(await run(roundStop, {})).toBe("Stopped.");
    expect(stage.lines().at(-1)).toContain("Stopped by Ana");
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "stopped" });
  });

  it("that are given while others go on wait for them", async () => {
    await open();
    stage.services.model.answerTo("turn", "One.", "Two.", "Three.", "Again.");
    await ask(floorTurns, { order: "batch" });
    expect(await run(floorTurns, { order: "selective", agents: ["researcher"] })).toBe(
      "One turn will follow what is running here.",
    );
    expect(stage.lines().filter((line) => !line.startsWith("(bot)"))).toEqual([
      "Researcher: One.",
      "Editor: Two.",
      "Planner: Three.",
      "Researcher: Again.",
    ]);
  });

  it.each<[string, object, string]>([
    ["an agent that there is not", { order: "selective", agents: ["Zoe"] }, "no agent called"],
    ["nobody in particular", { order: "selective" }, "Name the `agents`"],
    ["six rounds", { order: "round_robin", rounds: 6 }, "from 1 to 5"],
    ["another order", { order: "random" }, "no such order"],
  ])("are not given to %s", async (_what, input, sentence) => {
    await open();
    await expect(ask(floorTurns, input)).rejects.toThrow(sentence);
    expect(stage.lines()).toEqual([]);
  });

  it("are for those who may talk to agents", async () => {
    await open();
    const reader = aPerson({ canWriteHere: false });
    for (const [operation, input] of [
      [floorOpen, { topic: "Tea" }],
      [floorTurns, { order: "batch" }],
      [floorVote, { question: "Tea?", options: ["Yes", "No"] }],
      [floorModerate, { goal: "Tea" }],
      [floorClose, {}],
    ] as const) {
      await expect(ask(operation as Operation, input, reader)).rejects.toThrow(
        "You need the right to write in this channel for that.",
      );
    }
    // The results stand in the channel, where everybody reads them.
    expect(await ask(floorResults, {}, reader)).toContain("No vote was held here yet");
  });

  it("are refused with the permission that is missing, before anything begins", async () => {
    await open();
    const { chat } = stage.services;
    chat.lacks = ["View Channel", "Send Messages"];
    for (const [operation, input] of [
      [floorOpen, { topic: "Tea" }],
      [floorTurns, { order: "batch" }],
      [floorVote, { question: "Tea?", options: ["Yes", "No"] }],
      [floorModerate, { goal: "Tea" }],
    ] as const) {
      await expect(ask(operation as Operation, input)).rejects.toThrow(
        "I need View Channel and Send Messages in this channel for that: allow it in the settings of the server or of the channel.",
      );
    }
    chat.lacks = ["Manage Webhooks"];
    await expect(ask(floorTurns, { order: "batch" })).rejects.toThrow("I need Manage Webhooks");
    expect(await stage.services.storage.rounds.unfinished()).toEqual([]);
    // The bot itself speaks without webhooks.
    await run(floorOpen, { topic: "Tea" });
    await expect(ask(floorClose, { summary: true })).rejects.toThrow("I need Manage Webhooks");
    await run(floorClose, {});
    expect(stage.lines()).toHaveLength(2);
  });

  it("are given in only in moderated groups", async () => {
    stage = await openStage();
    await expect(ask(floorTurns, { order: "batch" })).rejects.toThrow("only in moderated groups");
  });
});

describe("a floor", () => {
  it("opens once, closes once, and may be summed up by the host", async () => {
    await open();
    stage.services.model.answerTo("turn", "We like tea.");
    await expect(ask(floorClose, {})).rejects.toThrow("No floor is open");
    await run(floorOpen, { topic: "Tea" });
    await expect(ask(floorOpen, { topic: "Coffee" })).rejects.toThrow("open here already");
    await run(floorClose, { summary: true });
    expect(stage.lines()).toEqual([
      "(bot) The floor is open. Topic, by **Ana**:\n>>> Tea",
      "Researcher: We like tea.",
      "(bot) **The floor is closed**, by **Ana**.",
    ]);
    expect(lastText(stage.services.model.lastRequest)).toContain("sum up");
    await expect(ask(floorClose, {})).rejects.toThrow("No floor is open");
    await run(floorOpen, { topic: "Coffee" });
    await run(floorClose, {});
  });
});

describe("a vote", () => {
  const vote = { question: "Tea?", options: ["Yes", "No"] };
  const choose = (choice: string) => json({ choice, reason: `Since ${choice}.` });

  it("is private, one after another, and its tally is posted", async () => {
    await open();
    stage.services.model.answerTo("vote", choose("Yes"), choose("no"), choose("Yes"));
    expect(await run(floorVote, vote)).toBe("The vote begins.");
    const [called, result, ...rest] = stage.lines();
    expect(called).toContain("-# Vote called by **Ana**; 3 members vote:");
    expect(result).toContain("Yes ████████ 2\nNo  ████     1");
    expect(result).toContain("Result: Yes, with 2 votes.");
    expect(result).toContain("- Editor: **No**: Since no.");
    expect(rest).toEqual([]);
    for (const { answer, messages } of stage.services.model.requests) {
      expect(answer?.schema).toMatchObject({ properties: { choice: { enum: ["Yes", "No"] } } });
      expect(JSON.stringify(messages)).not.toContain("Since");
    }
    expect(await run(floorResults, {})).toContain("Result: Yes, with 2 votes.");
  });

  it("says when it begins, where something else is going on", async () => {
    await open();
    const answers = Array.from({ length: 6 }, () => choose("Yes"));
    stage.services.model.answerTo("vote", ...answers);
    await ask(floorVote, vote);
    expect(await run(floorVote, vote)).toBe(
      "The vote will begin as soon as what is running here has ended.",
    );
  });

  it("asks once more when an answer is none of the options, then counts an abstention", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo(
      "vote",
      choose("Maybe"),
      choose("Yes"),
      "I think so",
      json({ choice: 3 }),
    );
    await run(floorVote, vote);
    expect(lastText(stage.services.model.requests[1] as ModelRequest)).toContain(
      "none of the options",
    );
    expect(stage.lines().at(-1)).toMatch(/Yes .* 1\nNo .* 0\nabstained .* 1/);
    expect(stage.lines().at(-1)).toContain("- Editor: abstained (no valid answer)");
  });

  it("says that a tie is a tie, and that a quorum was missed", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo(
      "vote",
      choose("Yes"),
      choose("No"),
      choose("Yes"),
      new ModelError("unavailable", "down"),
    );
    await run(floorVote, vote);
    expect(stage.lines().at(-1)).toContain("A tie between Yes and No, with 1 vote each.");
    await run(floorVote, { ...vote, quorum: 2 });
    expect(stage.lines().at(-1)).toContain("No result: the quorum is 2, and 1 vote was cast.");
    expect(stage.lines().at(-1)).toContain(
      "- Editor: abstained (its model is not working just now)",
    );
    expect(stage.lines().at(-1)).not.toContain("nobody voted");
  });

  it("says once that nobody voted when all models failed", async () => {
    await open(["Researcher", "Editor"]);
    const down = new ModelError("unavailable", "down");
    stage.services.model.answerTo("vote", down, down);
    await run(floorVote, vote);
    expect(stage.lines().at(-1)).toMatch(
      /No result: nobody voted\.\n- Researcher: abstained \(.*\)\n- Editor: abstained \([^\n]*\)$/u,
    );
  });

  it("that is secret shows counts only, while the store keeps what a recount needs", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo("vote", choose("Yes"), choose("Yes"));
    await run(floorVote, { ...vote, secret: true });
    const shown = [...stage.lines(), await run(floorResults, {})].join("\n");
    expect(shown).toContain("Result: Yes, with 2 votes.");
    expect(shown).not.toMatch(/Researcher|Editor|Since/);
    const votes = (await stage.journal()).filter((event) => event.type === "voted");
    expect(votes.map(({ choice }) => choice)).toEqual(["Yes", "Yes"]);
  });

  it.each<[string, object, string]>([
    ["one option", { ...vote, options: ["Yes"] }, "2 to 10 options"],
    ["the same option twice", { ...vote, options: ["Yes", "yes"] }, "different"],
    ["a voter twice", { ...vote, agents: ["Editor", "editor"] }, "one vote"],
    [
      "a quorum that cannot be reached",
      { ...vote, agents: ["Editor"], quorum: 2 },
      "only 1 can vote",
    ],
    [
      "secrecy for a single voter",
      { ...vote, agents: ["Editor"], secret: true },
      "at least 2 voters",
    ],
  ])("is refused with %s", async (_what, input, sentence) => {
    await open();
    await expect(ask(floorVote, input)).rejects.toThrow(sentence);
  });
});

describe("a moderating host", () => {
  it("gives turns, holds votes, reads, posts and closes by the same ways as people", async () => {
    await open(["Researcher", "Editor"]);
    await stage.say("What shall we drink?");
    stage.services.model
      .answerTo("moderate", call("grant_turn", { agent: "editor", instruction: "Begin." }))
      .answerTo("turn", "Tea.")
      .answerTo("moderate", call("hold_vote", { question: "Tea?", options: ["Yes", "No"] }))
      .answerTo(
        "vote",
        json({ choice: "Yes", reason: "Warm." }),
        json({ choice: "Yes", reason: "Hot." }),
      )
      .answerTo("moderate", call("read_history", { limit: 5 }))
      .answerTo("moderate", call("post", { text: "So tea it is." }))
      .answerTo("moderate", call("close", { summary: "We drink tea." }));
    await run(floorModerate, { goal: "Find a drink." });
    expect(stage.lines().map((line) => line.split("\n")[0])).toEqual([
      "(bot) -# **Researcher** moderates, asked by **Ana**:",
      "(bot) -# A turn for **Editor**, given by **Researcher**.",
      "Editor: Tea.",
      "(bot) -# Vote called by **Researcher**; 2 members vote:",
      "(bot) **Vote: Tea?**",
      "Researcher: So tea it is.",
      "Researcher: We drink tea.",
      "(bot) **The floor is closed**, by **Researcher**.",
    ]);
    const { requests } = stage.services.model;
    const moderating = requests.filter(({ purpose }) => purpose === "moderate");
    expect(moderating[0]?.messages.at(-1)?.text).toMatch(
      /Goal: Find a drink\.[\s\S]*\[Ana \(person\)\] What shall we drink\?/,
    );
    expect(moderating[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      text: "Editor said: Tea.",
    });
    expect(moderating[2]?.messages.at(-1)?.text).toContain('"Yes": 2');
    expect(moderating[3]?.messages.at(-1)?.text).toContain("[Editor] Tea.");
    expect(
      requests.filter(({ purpose, tools }) => purpose !== "moderate" && tools !== undefined),
    ).toEqual([]);
    expect(moderating[0]?.tools?.map(({ name }) => name)).toEqual([
      "grant_turn",
      "hold_vote",
      "read_history",
      "post",
      "close",
    ]);
  });

  it("that grants turns to strangers and calls unknown tools is told why not, and closed in the end", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo(
      "moderate",
      call("grant_turn", { agent: "zoe" }),
      call("delete_channel", {}),
      "I am done.",
      call("grant_turn", {}),
      "",
    );
    await run(floorModerate, { goal: "Chaos." });
    expect(stage.lines().slice(1)).toEqual([
      "(bot) **The floor is closed**, since **Researcher** did nothing that can be done here, 5 times in a row.",
    ]);
    const [, second, third] = stage.services.model.requests;
    expect(lastText(stage.services.model.lastRequest)).toContain(
      "If nothing of the next one can be done either, the floor is closed.",
    );
    expect(second && lastText(second)).toContain("must be a member");
    expect(third && lastText(third)).toContain('There is no tool "delete_channel"');
  });

  it("that never closes is closed after 24 turns", async () => {
    await open(["Researcher", "Editor"]);
    for (let turn = 1; turn <= 24; turn += 1) {
      stage.services.model
        .answerTo("moderate", call("grant_turn", { agent: "editor" }))
        .answerTo("turn", `Turn ${turn}.`);
    }
    stage.services.model.answerTo("moderate", call("grant_turn", { agent: "editor" }));
    await run(floorModerate, { goal: "Talk." });
    expect(stage.lines().filter((line) => line.startsWith("Editor: "))).toHaveLength(24);
    expect(stage.services.model.lastRequest.tools?.map(({ name }) => name)).toEqual(["close"]);
    expect(stage.lines().at(-1)).toBe(
      "(bot) **The floor is closed**, since all 24 turns are used.",
    );
  });
});

describe("/round_why on a floor", () => {
  it("tells what was asked for, who got turns, and what came of a vote", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo("turn", "Tea.", new ModelError("timeout", "late"));
    await run(floorOpen, { topic: "Drinks" });
    await run(floorTurns, { order: "batch", instruction: "Choose." });
    const turns = await run(roundWhy, {});
    expect(turns).toContain(
      "Topic: “Drinks”\nAna gave 2 turns (batch) to Researcher and Editor: “Choose.”",
    );
    expect(turns).toContain("1. **Researcher**: given a turn");
    expect(turns).toContain("2. **Editor** could not answer");
    stage.services.model.answerTo(
      "vote",
      json({ choice: "Yes", reason: "Warm." }),
      json({ choice: "No" }),
    );
    await run(floorVote, { question: "Tea?", options: ["Yes", "No"] });
    expect(await run(roundWhy, {})).toMatch(/^\*\*Finished\*\*: a vote with 2 members, in /u);
    expect(await run(roundWhy, {})).toContain(
      "Vote on “Tea?”: A tie between Yes and No, with 1 vote each.\n-# Researcher (Yes), Editor (No)",
    );
  });

  it("does not tell who voted what in a secret vote", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo(
      "vote",
      json({ choice: "Yes", reason: "Warm." }),
      json({ choice: "Yes", reason: "Hot." }),
    );
    await run(floorVote, { question: "Tea?", options: ["Yes", "No"], secret: true });
    const why = await run(roundWhy, {});
    expect(why).toContain(
      "Ana called a secret vote: “Tea?”\nVote on “Tea?”: Result: Yes, with 2 votes.",
    );
    expect(why).not.toMatch(/\(Yes\)|Warm|Hot/);
  });
});

describe("`Say it again` on a floor", () => {
  it("is the same turn once more, under the rules of the floor", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo("turn", "Leaves.", "Water.", "Green leaves.");
    await run(floorTurns, { order: "batch", instruction: "Name one thing." });
    const { storage } = stage.services;
    const { messages } = await storage.messages.transcript(asId(stage.place.channelId), 9);
    const first = messages.find(({ text }) => text === "Leaves.");
    if (first === undefined) throw new Error("Nobody has spoken.");
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    await (await sayAgain(context, first.id)).later;
    expect(stage.lines().slice(1)).toEqual(["Researcher: Green leaves.", "Editor: Water."]);
    const again = stage.services.model.lastRequest;
    expect(again.messages[0]?.text).toContain("It is a moderated group");
    expect(lastText(again)).toContain("You are asked: Name one thing.");
    expect(lastText(again)).not.toContain("Water.");
  });
});

describe("a stop", () => {
  const closed = "(bot) **The floor is closed**, since **Ana** stopped the run.";
  it.each<[string, Operation, object, Purpose, readonly string[]]>([
    ["a vote", floorVote, { question: "Tea?", options: ["Yes", "No"] }, "vote", []],
    ["a moderating host", floorModerate, { goal: "Tea" }, "moderate", [closed]],
  ])(
    "ends %s at once, the call in flight included",
    async (_what, operation, input, purpose, after) => {
      await open(["Researcher", "Editor"]);
      stage.services.model.answerTo(purpose, HANG);
      await ask(operation, input);
      await stage.services.model.requested(1);
      await stage.say("stop");
      expect(stage.lines().slice(1)).toEqual(["(bot) -# Stopped by Ana.", ...after]);
      expect(stage.services.model.running).toBe(0);
      expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "stopped" });
      expect(await run(floorResults, {})).toContain("No vote was held");
    },
  );
});

describe("a reply to an agent", () => {
  it("is told how turns work too, and answered by nobody", async () => {
    await open(["Researcher", "Editor"]);
    stage.services.model.answerTo("turn", "Tea.");
    await run(floorTurns, { order: "selective", agents: ["Editor"] });
    const newest = await stage.services.storage.messages.newestId(asId(stage.place.channelId));
    await stage.say("Really?", { replyToId: newest });
    expect(stage.lines().at(-1)).toContain("members answer here only when they are given a turn");
  });
});
