import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { SEAT_TOKEN_BUDGET } from "../../src/domain/limits.js";
import { type Attachment, conversationOf } from "../../src/domain/message.js";
import { estimateTokens } from "../../src/domain/usage.js";
import type { ReceivedMessage } from "../../src/ports/chat.js";
import { ModelError, type ModelRequest } from "../../src/ports/model.js";
import { deferred, unlessAborted } from "../support/callPlans.js";
import { json } from "../support/scriptedModel.js";
import { FileShelf, PNG_SIGNATURE } from "../support/services.js";
import { openStage, type Stage } from "../support/stage.js";

const utf8 = (text: string) => new TextEncoder().encode(text);
const png = (n: number) => Uint8Array.of(...PNG_SIGNATURE, n);
const dataUrl = (n: number) => `data:image/png;base64,${Buffer.from(png(n)).toString("base64")}`;

let stage: Stage;
let shelf: CountingShelf;

/** Counts what is fetched, by name; a file can be held up. */
class CountingShelf extends FileShelf {
  readonly fetched: string[] = [];
  readonly #held = new Map<string, { readonly onAsked: () => void; readonly go: Promise<void> }>();

  /** The file arrives when `release` is called; `asked` resolves when it is first asked for. */
  hold(name: string): { readonly asked: Promise<void>; readonly release: () => void } {
    const asked = deferred<void>();
    const go = deferred<void>();
    this.#held.set(name, { onAsked: asked.resolve, go: go.promise });
    return { asked: asked.promise, release: go.resolve };
  }

  override async fetch(file: Attachment, maxBytes: number, signal?: AbortSignal) {
    this.fetched.push(file.name);
    const held = this.#held.get(file.name);
    held?.onAsked();
    await unlessAborted(held?.go ?? Promise.resolve(), signal ?? null);
    return super.fetch(file, maxBytes, signal);
  }
}

beforeEach(async () => {
  shelf = new CountingShelf();
  stage = await openStage({ overrides: { files: shelf } });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** The editor answers, `texts` one after another, each in a round of its own. */
function editorSays(...texts: readonly (string | Error)[]) {
  const { model } = stage.services;
  for (const text of texts) {
    model.answerTo("judge", json({ researcher: 0, editor: 1 })).answerTo("turn", text);
  }
}

const lastUser = (request: ModelRequest | undefined) => {
  const message = request?.messages.at(-1);
  if (message?.role !== "user") throw new Error("The last message is not a user's.");
  return message;
};
const turns = () => stage.services.model.requests.filter(({ purpose }) => purpose === "turn");

describe("a text file", () => {
  it("that is too long for a turn is shortened for each member, and the channel is told once", async () => {
    const { model } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", "Mine.", "Also mine.");
    const attachments = Array.from({ length: 10 }, (_, n) =>
      shelf.add(`${n}.txt`, utf8("x".repeat(n === 0 ? 100 : 65_536))),
    );
    await stage.say("Check these", { attachments });
    const names = attachments.slice(1).map(({ name }) => `\`${name}\``);
    const listed = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    expect(stage.lines()).toEqual([
      `(bot) -# Researcher cannot see all of ${listed}: too long for one turn.`,
      "Researcher: Mine.",
      "Editor: Also mine.",
    ]);
    for (const { messages } of turns()) {
      const whole = messages.map(({ text }) => text).join("");
      expect(whole).toContain("[Ana (person)] Check these\n--- file: 0.txt ---\nx");
      expect(estimateTokens(whole)).toBeLessThanOrEqual(SEAT_TOKEN_BUDGET);
    }
  });

  it("is halved too for a model that finds the conversation too long", async () => {
    editorSays(new ModelError("too-long", "context_length_exceeded"));
    stage.services.model.answerTo("turn", "Now I see.");
    await stage.say("Check", { attachments: [shelf.add("a.txt", utf8("x".repeat(40_000)))] });
    const [first, second] = turns().map((request) => lastUser(request).text.length);
    expect(second).toBeLessThanOrEqual((first ?? 0) / 2);
    expect(lastUser(turns()[1]).text).toContain("[Ana (person)] Check\n--- file: a.txt, only its");
    expect(stage.lines()).toEqual([
      "(bot) -# Editor cannot see all of `a.txt`: too long for one turn.",
      "Editor: Now I see.",
    ]);
  });

  it("is read in once, for the judge's and every member's prompt, and stored", async () => {
    const { model, storage } = stage.services;
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", "Mine.", "Also mine.");
    const file = shelf.add("notes.txt", utf8("The harbour opened in 1912.\n"));
    const { id } = await stage.say("Check this", { attachments: [file] });

    expect(lastUser(model.requests[0]).text).toContain(
      "[file: notes.txt, which begins: The harbour opened in 1912.]",
    );
    for (const request of turns()) {
      expect(lastUser(request).text).toContain(
        "[Ana (person)] Check this\n--- file: notes.txt ---\nThe harbour opened in 1912.\n--- end of file: notes.txt ---",
      );
    }
    expect(shelf.fetched).toEqual(["notes.txt"]);
    expect((await storage.messages.get(id))?.attachments).toEqual([
      { ...file, content: { kind: "text", text: "The harbour opened in 1912.\n" } },
    ]);
  });

  it("without a word beside it starts a round", async () => {
    editorSays("Read.");
    await stage.say("", { attachments: [shelf.add("notes.txt", utf8("x"))] });
    expect(stage.lines()).toEqual(["Editor: Read."]);
  });

  it("that comes while a round runs is read by those still to come", async () => {
    const { model } = stage.services;
    const held = deferred<string>();
    model
      .answerTo("judge", json({ researcher: 0.6, editor: 0.9 }))
      .answerTo("turn", () => held.promise, "Seen.");
    editorSays("And answered.");
    await stage.app.router.received(stage.message("First"));
    await model.requested(2);
    const attachments = [shelf.add("late.txt", utf8("Late news"))];
    await stage.app.router.received(stage.message("Second", { attachments }));
    held.resolve("One.");
    await stage.app.onIdle();
    expect(lastUser(model.requests[2]).text).toContain("\nLate news\n");
    expect(shelf.fetched).toEqual(["late.txt"]);
  });
});

describe("what cannot be read", () => {
  it("is named in the prompts and once in the channel, and the round goes on", async () => {
    editorSays("I cannot see those.");
    await stage.say("Look", {
      attachments: [
        shelf.add("plan.pdf", utf8("%PDF"), { type: "application/pdf" }),
        shelf.add("big.txt", utf8("x"), { bytes: 64 * 1_024 + 1 }),
        shelf.add("huge.png", png(1), { bytes: 8 * 1_024 * 1_024 + 1 }),
        shelf.add("broken.txt", Uint8Array.of(0xff, 0xff)),
        { name: "gone.txt", type: null, bytes: 1, url: "https://cdn.discordapp.com/gone.txt" },
      ],
    });
    expect(stage.lines()).toEqual([
      "(bot) -# Not read: `plan.pdf` (only texts and pictures are read); `big.txt` (over 64 KiB); `huge.png` (over 8 MiB); `broken.txt` and `gone.txt` (could not be fetched or read).",
      "Editor: I cannot see those.",
    ]);
    const { text } = lastUser(turns()[0]);
    expect(text).toContain("[file: plan.pdf, not shown: only texts and pictures are read]");
    expect(text).toContain("[file: gone.txt, not shown: could not be fetched or read]");
    expect(shelf.fetched.toSorted()).toEqual(["broken.txt", "gone.txt"]);
  });

  it("is not looked at again, and not said again in a later round", async () => {
    editorSays("One.", "Two.");
    const gone = { name: "gone.txt", type: null, bytes: 1, url: "https://cdn.discordapp.com/g" };
    await stage.say("Look", { attachments: [gone] });
    await stage.say("And now?");
    expect(shelf.fetched).toEqual(["gone.txt"]);
    expect(stage.lines()).toHaveLength(3);
  });
});

describe("a picture", () => {
  it("goes to the model as it is, with the newest exchange only", async () => {
    editorSays("A cat.", "Still a cat.");
    await stage.say("What is it?", { attachments: [shelf.add("cat.png", png(1))] });
    expect(lastUser(turns()[0])).toEqual({
      role: "user",
      text: "[Ana (person)] What is it? [image: cat.png]",
      images: [dataUrl(1)],
    });
    await stage.say("Sure?");
    expect(turns()[1]?.messages.at(-3)).toEqual({
      role: "user",
      text: "[Ana (person)] What is it? [image: cat.png]",
    });
    expect(lastUser(turns()[1]).images).toBeUndefined();
    expect(stage.lines()).toEqual(["Editor: A cat.", "Editor: Still a cat."]);
  });

  it("is not shown to the judge", async () => {
    editorSays("A cat.");
    await stage.say("", { attachments: [shelf.add("cat.png", png(1))] });
    expect(lastUser(stage.services.model.requests[0])).toEqual({
      role: "user",
      text: "New messages:\n[Ana (person)] [image: cat.png]",
    });
  });

  it("beyond the fourth of a message is left out, the oldest first, and that is said", async () => {
    editorSays("Many.");
    const attachments = [1, 2, 3, 4, 5].map((n) => shelf.add(`${n}.png`, png(n)));
    await stage.say("Compare", { attachments });
    expect(lastUser(turns()[0]).images).toEqual([2, 3, 4, 5].map(dataUrl));
    expect(lastUser(turns()[0]).text).toContain("(You cannot see these pictures: 1.png.)");
    expect(stage.lines()).toEqual([
      "(bot) -# Editor cannot see `1.png`: at most 4 pictures are looked at together.",
      "Editor: Many.",
    ]);
  });

  it("that is none, or cannot be fetched, is left out for the member whose turn it is", async () => {
    editorSays("I see one.");
    const gone = { name: "gone.png", type: null, bytes: 9, url: "https://cdn.discordapp.com/g" };
    const attachments = [shelf.add("fake.png", utf8("<svg/>")), gone, shelf.add("a.png", png(1))];
    await stage.say("Look", { attachments });
    expect(lastUser(turns()[0]).images).toEqual([dataUrl(1)]);
    expect(stage.lines()).toEqual([
      "(bot) -# Editor cannot see `fake.png` and `gone.png`: could not be fetched or read.",
      "Editor: I see one.",
    ]);
  });

  it("is left out for a model that refuses pictures, which is asked again at once and remembered", async () => {
    const { model, storage } = stage.services;
    editorSays(new ModelError("no-images", "text only"));
    model.answerTo("turn", "I only read.");
    editorSays("Again.");
    await stage.say("What is it?", { attachments: [shelf.add("cat.png", png(1))] });
    expect(turns()).toHaveLength(2);
    expect(lastUser(turns()[1])).toEqual({
      role: "user",
      text: "[Ana (person)] What is it? [image: cat.png]\n(You cannot see these pictures: cat.png.)",
    });
    const notice = "(bot) -# Editor cannot see `cat.png`: its model takes no pictures.";
    expect(stage.lines()).toEqual([notice, "Editor: I only read."]);

    await stage.say("And this?", { attachments: [shelf.add("cat.png", png(2))] });
    expect(turns()).toHaveLength(3);
    expect(lastUser(turns()[2]).images).toBeUndefined();
    expect(stage.lines().slice(2)).toEqual([notice, "Editor: Again."]);
    const round = await storage.rounds.latest(stage.place.channelId as never);
    const rows = await storage.usage.ofRound(round?.id as never);
    expect(rows.map(({ purpose, outcome }) => `${purpose} ${outcome}`)).toEqual([
      "judge ok",
      "turn ok",
    ]);
  });

  it("is remembered as refused for that model only", async () => {
    const { model, storage } = stage.services;
    const researcher = stage.agents["Researcher"];
    if (researcher === undefined) throw new Error("There is no researcher.");
    await storage.agents.update(researcher.id, { model: "seeing-model" });
    model
      .answerTo("judge", json({ researcher: 0.9, editor: 0.6 }))
      .answerTo("turn", new ModelError("no-images", "text only"), "Blind.", "I see.");
    await stage.say("What is it?", { attachments: [shelf.add("cat.png", png(1))] });
    expect(turns().map(({ messages }) => (messages.at(-1) as { images?: unknown }).images)).toEqual(
      [[dataUrl(1)], undefined, [dataUrl(1)]],
    );
  });

  it("is let go of when the round is stopped while it is fetched", async () => {
    const { model } = stage.services;
    model.answerTo("judge", json({ researcher: 0, editor: 1 }));
    const { asked } = shelf.hold("slow.png");
    const attachments = [shelf.add("slow.png", png(1))];
    await stage.app.router.received(stage.message("Look", { attachments }));
    await asked;
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
  });
});

describe("while the files of a message are fetched", () => {
  let first: ReceivedMessage;
  let release: () => void;
  beforeEach(async () => {
    const held = shelf.hold("slow.txt");
    ({ release } = held);
    first = stage.message("Look", { attachments: [shelf.add("slow.txt", utf8("Slow."))] });
    await stage.app.router.received(first);
    await held.asked;
  });

  it("a stop ends the round before anybody is asked", async () => {
    await stage.app.router.received(stage.message("stop"));
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Stopped by Ana."]);
    expect((await stage.journal()).at(-1)).toEqual({ type: "closed", outcome: "stopped" });
  });

  it("an edit counts, and what else is written joins the round, its files too", async () => {
    await stage.app.router.edited(first.id, "Look closely", first.createdAtMs + 1);
    const attachments = [shelf.add("more.txt", utf8("More."))];
    await stage.app.router.received(stage.message("And at this", { attachments }));
    editorSays("Both.");
    release();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["Editor: Both."]);
    const { text } = lastUser(turns()[0]);
    expect(text).toMatch(
      /\] Look closely\n.*\nSlow\.\n.*\n\[Ana \(person\)\] And at this\n.*\nMore\.\n/,
    );
    expect(shelf.fetched).toEqual(["slow.txt", "more.txt"]);
  });

  it("a deletion means that nobody answers, and nothing is said", async () => {
    await stage.app.router.deleted(conversationOf(stage.place), [first.id]);
    release();
    await stage.app.onIdle();
    expect(stage.lines()).toEqual([]);
    expect(await stage.journal()).toEqual([]);
  });

  it("the end of the process leaves the message for the next start", async () => {
    const stopped = stage.app.stop();
    release();
    await stopped;
    expect(await stage.journal()).toEqual([]);
    editorSays("Back again.");
    const mailboxes = createMailboxes(stage.services.log);
    const restarted = createApp({ ...stage.services, mailboxes });
    await restarted.resume();
    await restarted.onIdle();
    expect(stage.lines()).toEqual(["Editor: Back again."]);
    expect(shelf.fetched).toEqual(["slow.txt"]);
  });
});
