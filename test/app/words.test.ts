import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { agentCreate } from "../../src/app/operations/agentCreate.js";
import { ask } from "../../src/app/operations/ask.js";
import { gcDebate } from "../../src/app/operations/gcChat.js";
import { gcAdd } from "../../src/app/operations/gcMembers.js";
import {
  type Operation,
  type OperationContext,
  runOperation,
} from "../../src/app/operations/operation.js";
import { sentenceOf } from "../../src/app/report.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import type { GroupKind } from "../../src/domain/group.js";
import { STALE_ROUND_MS } from "../../src/domain/limits.js";
import type { Place } from "../../src/domain/message.js";
import { ChatError } from "../../src/ports/chat.js";
import type { WordsStore } from "../../src/ports/words.js";
import { addAgent, aManager, placeOf } from "../support/builders.js";
import { HANG } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";
import { openTestStorage } from "../support/storage.js";

let stage: Stage;

async function open(kind: GroupKind): Promise<void> {
  stage = await openStage({ members: ["Still", "Curren"], kind });
  await addAgent(stage.services, { displayName: "Ops" });
}

beforeEach(() => open("hosted"));
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

function context(change: Partial<OperationContext> = {}): OperationContext {
  return { ...stage.services, asker: aManager({ name: "Ana" }), place: stage.place, ...change };
}

/** A new process over the same database. */
async function restarted(): Promise<App> {
  const app = createApp({
    ...stage.services,
    mailboxes: createMailboxes(stage.services.log),
  });
  await app.resume();
  await app.onIdle();
  return app;
}

/** The answer, or the sentence with which it is refused, while time goes on. */
async function answered(answer: Promise<{ readonly text: string }>): Promise<string> {
  const { chat, clock } = stage.services;
  const told = answer.then(({ text }) => text, sentenceOf);
  while (!chat.calls.includes("announce")) await clock.advance(0);
  await clock.advance(60_000);
  return told;
}

interface Beginning {
  readonly what: string;
  readonly kind: GroupKind;
  readonly operation: Operation;
  readonly input: object;
  /** The calls that come of it, and what stands there in the end. */
  readonly calls: readonly (readonly ["participant" | "turn" | "direct", string])[];
  readonly lines: readonly string[];
}

const BEGINNINGS: readonly Beginning[] = [
  {
    what: "a debate",
    kind: "hosted",
    operation: gcDebate,
    input: { topic: "Hay?", passes: 1 },
    calls: [
      ["participant", "Yes."],
      ["turn", "Curren likes hay."],
    ],
    lines: ["(bot) Debate of 1 pass, opened by **Ana**:\n>>> Hay?", "Still: Curren likes hay."],
  },
  {
    what: "a question",
    kind: "open",
    operation: ask,
    input: { agent: "Curren", text: "Hay?" },
    calls: [["turn", "Yes."]],
    lines: ["(bot) **Curren** is asked by **Ana**:\n>>> Hay?", "Curren: Yes."],
  },
  {
    what: "a first task",
    kind: "open",
    operation: agentCreate,
    input: { display_name: "Notes", prompt: "You take notes.", task: "Write." },
    calls: [["direct", "I do."]],
    lines: ["(bot) **Notes** is asked by **Ana**:\n>>> Write.", "Notes: I do."],
  },
];

describe.each(BEGINNINGS)(
  "$what that was asked for",
  ({ kind, operation, input, calls, lines }) => {
    beforeEach(async () => {
      await stage.close();
      await open(kind);
    });

    const expectCalls = () => {
      for (const [purpose, text] of calls) stage.services.model.answerTo(purpose, text);
    };
    const linesThere = async (): Promise<readonly string[]> => {
      const notes = await stage.services.storage.agents.find(stage.place.guildId, "notes");
      const place: Place = notes === null ? stage.place : placeOf(notes);
      return stage.services.chat.lines(place);
    };

    it.each(["before", "after"] as const)(
      "is held once when the process dies %s its beginning stands there",
      async (time) => {
        stage.services.chat.failNext("announce", new ShuttingDown(), time);
        expect(await answered(runOperation(operation, context(), input))).toContain(
          "I am being restarted; I go on with this when I am back.",
        );
        expectCalls();
        await restarted();
        expect(await linesThere()).toEqual(lines);
        await restarted();
        expect(await linesThere()).toEqual(lines);
      },
    );

    it.each([
      ["unknown", "after"],
      ["unknown", "before"],
      ["unavailable", "before"],
      ["rate-limited", "before"],
    ] as const)(
      "is held once when Discord's answer is %s, with its effect %s it",
      async (kind, time) => {
        const { chat } = stage.services;
        chat.failNext("announce", new ChatError(kind, "Trouble."), time);
        chat.failNext("announce", new ChatError(kind, "Trouble."), time);
        expectCalls();
        await answered(runOperation(operation, context(), input));
        await stage.app.onIdle();
        expect(await linesThere()).toEqual(lines);
        expect(await stage.services.storage.words.list()).toEqual([]);
      },
    );

    it("is not begun any more after a quarter of an hour, and people are told", async () => {
      stage.services.chat.failNext("announce", new ShuttingDown(), "before");
      await answered(runOperation(operation, context(), input));
      await stage.services.clock.advance(STALE_ROUND_MS);
      await restarted();
      expect(await linesThere()).toEqual([
        expect.stringMatching(/too old to go on with. Write again/u),
      ]);
    });

    it("is given up when it may not be said, and the person is told", async () => {
      stage.services.chat.failNext(
        "announce",
        new ChatError("forbidden", "I may not write there."),
      );
      expect(await answered(runOperation(operation, context(), input))).toContain(
        "I may not write there.",
      );
      await restarted();
      expect(await linesThere()).toEqual([]);
    });
  },
);

it("takes an earlier question with the same words for another one", async () => {
  await stage.close();
  await open("open");
  const { model, chat } = stage.services;
  const input = { agent: "Curren", text: "Hay?" };
  model.answerTo("turn", "Yes.");
  await runOperation(ask, context(), input);
  await stage.app.onIdle();
  chat.failNext("announce", new ShuttingDown(), "before");
  await expect(runOperation(ask, context(), input)).rejects.toThrow(/restarted/u);
  model.answerTo("turn", "Still yes.");
  await restarted();
  expect(stage.lines().filter((line) => line.startsWith("(bot)"))).toHaveLength(2);
});

describe("the answer to a command", () => {
  const JOINED = "(bot) **Ops** has joined the group chat.";

  it("is said with patience", async () => {
    const { chat, clock, log } = stage.services;
    for (let tries = 0; tries < 4; tries += 1) {
      chat.failNext("announce", new ChatError("unavailable", "502"));
    }
    await stage.app.router.received(stage.message("!gc add Ops"));
    while (!chat.calls.includes("announce")) await clock.advance(0);
    await clock.advance(60_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([JOINED]);
    expect(log.messages("error")).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "is said once when the process dies %s that",
    async (time) => {
      stage.services.chat.failNext("announce", new ShuttingDown(), time);
      const command = await stage.say("!gc add Ops");
      const app = await restarted();
      await app.router.caughtUp([command]);
      await app.onIdle();
      expect(stage.lines()).toEqual([JOINED]);
    },
  );

  it("is said in the channel when a choice of `/gc` made the change, also after a restart", async () => {
    stage.services.chat.failNext("announce", new ShuttingDown(), "before");
    expect((await runOperation(gcAdd, context(), { agent: "Ops" })).text).toBe(
      "**Ops** has joined the group chat.",
    );
    await stage.app.onIdle();
    await restarted();
    expect(stage.lines()).toEqual([JOINED]);
  });

  it("comes, and the change with it, when it had been received and not carried out", async () => {
    const command = stage.message("!gc add Ops");
    const app = await restarted();
    await app.router.caughtUp([command]);
    await app.router.caughtUp([command]);
    await app.onIdle();
    expect(stage.lines()).toEqual([JOINED]);
  });

  it("tells why a debate could not be opened, and lets messages pass meanwhile", async () => {
    const { chat, model } = stage.services;
    chat.failNext("announce", new ChatError("blocked", "Discord's AutoMod did not let it pass."));
    const held = chat.holdNext("announce");
    await stage.app.router.received(stage.message("!gc debate 1 Hay?"));
    model.answerTo("participant", "Yes.").answerTo("turn", "Curren is here.");
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    held.release();
    await stage.app.onIdle();
    expect(stage.lines().toSorted((a, b) => a.localeCompare(b))).toEqual([
      "(bot) Discord's AutoMod did not let it pass.",
      "Still: Curren is here.",
    ]);
  });

  it("keeps its order in a channel", async () => {
    stage.services.chat.failNext(
      "announce",
      new ChatError("rate-limited", "Wait.", { retryAfterMs: 0 }),
    );
    for (const text of ["!gc add Ops", "!gc remove Ops", "!gc list"]) {
      await stage.app.router.received(stage.message(text));
    }
    while (stage.lines().length < 3) await stage.services.clock.advance(0);
    expect(stage.lines()).toEqual([
      JOINED,
      "(bot) **Ops** has left the group chat.",
      "(bot) Host: **Still**. Participants: **Curren**.",
    ]);
  });
});

describe("what is written at the same moment", () => {
  const burst = async (...texts: readonly string[]) => {
    await Promise.all(texts.map((text) => stage.app.router.received(stage.message(text))));
    await stage.app.onIdle();
  };
  const askedAgents = () =>
    stage.services.model.requests
      .filter(({ purpose }) => purpose === "participant")
      .map(({ messages }) => /^You are (.+)\.$/mu.exec(messages[0]?.text ?? "")?.[1] ?? "nobody")
      .toSorted((a, b) => a.localeCompare(b));

  it.each([
    ["!gc add Ops", ["Curren", "Ops"]],
    ["!gc remove Curren", []],
    ["!gc start Ops", ["Ops"]],
    ["!gc end", []],
  ] as const)("takes effect in its order: %s, then a message", async (command, participants) => {
    const { model } = stage.services;
    for (const _ of participants) model.answerTo("participant", "Aye.");
    if (participants.length > 0) model.answerTo("turn", "All said aye.");
    await burst(command, "Hello?");
    expect(askedAgents()).toEqual(participants);
    expect(stage.lines().at(-1)).toBe(
      participants.length > 0
        ? "Still: All said aye."
        : "(bot) No one is in the group chat. Use !gc add <agentId>.",
    );
  });

  it("ends only what was written before `!gc end`", async () => {
    const host = await stage.services.storage.agents.find(stage.place.guildId, "ops");
    if (host === null) throw new Error("There is no Ops.");
    const place = placeOf(host);
    await stage.say("!gc start Curren", { place });
    stage.services.model.answerTo("direct", "I am alone now.");
    await Promise.all(
      ["!gc end", "And now?"].map((text) =>
        stage.app.router.received(stage.message(text, { place })),
      ),
    );
    await stage.app.onIdle();
    expect(
      stage.services.chat
        .lines(place)
        .slice(-2)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(["(bot) The group chat has ended. **Curren** has left.", "Ops: I am alone now."]);
  });

  it("lets a stop pass what is still being obeyed", async () => {
    await stage.close();
    const storage = await openTestStorage();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const words: WordsStore = {
      ...storage.words,
      owe: async (owed) => {
        await gate;
        await storage.words.owe(owed);
      },
    };
    const overrides = { storage: { ...storage, words } };
    stage = await openStage({ members: ["Still", "Curren"], kind: "hosted", overrides });
    const { model } = stage.services;
    model.answerTo("participant", "Aye.").answerTo("turn", HANG);
    await stage.app.router.received(stage.message("Hello?"));
    await model.requested(2);
    const slow = stage.app.router.received(stage.message("!gc list"));
    await stage.app.router.received(stage.message("stop"));
    release();
    await slow;
    await stage.app.onIdle();
    expect(await stage.journal()).toContainEqual(expect.objectContaining({ type: "stopped" }));
  });
});
