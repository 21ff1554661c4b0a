import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentId, asId, type RoundId } from "../../../src/domain/ids.js";
import type { Message } from "../../../src/domain/message.js";
import { type Seat, speakerPrompt } from "../../../src/domain/prompts/speaker.js";
import { estimateTokens } from "../../../src/domain/usage.js";
import { aFile, agentSaid, messageId, person } from "./transcript.js";

const member = (name: string, role: string, isHost = false) => ({
  agentId: asId<AgentId>(name),
  displayName: name,
  role,
  isHost,
});
const editor = member("Editor", "Edits texts. Knows commas.", true);
const researcher = member("Researcher", "Finds sources.");
const seat: Seat = {
  self: editor,
  group: { displayName: "Review" },
  members: [researcher, editor],
};
const prompt = (transcript: readonly Message[], tokenBudget = 24_000, omitted = 0) =>
  speakerPrompt({ seat, transcript, tokenBudget, omitted });

/** Of the whole prompt. */
const tokensIn = (messages: ReturnType<typeof prompt>) =>
  messages.reduce((sum, { text }) => sum + estimateTokens(text), 0);

const story: readonly Message[] = [
  person(1, "Ana", "Is this claim right?"),
  agentSaid(2, "Researcher", "It is. @Editor, the wording?", { seen: 1 }),
  agentSaid(3, "Editor", "Say it shorter.", { seen: 2, round: "r1", turn: 1 }),
  agentSaid(4, "Editor", "\nMuch shorter.", { seen: 2, round: "r1", turn: 1 }),
  person(5, "Ana", "And now?"),
];

describe("the prompt of a seat", () => {
  it("says who the agent is, who else is there and which one is the host", () => {
    const [system] = prompt(story);
    expect(system?.role).toBe("system");
    expect(system?.text).toMatch(/^You are Editor\./);
    expect(system?.text).toContain("Edits texts. Knows commas.");
    expect(system?.text).toContain('"Review"');
    expect(system?.text).toContain("- Researcher: Finds sources.");
    expect(system?.text).toContain("- Editor (you, host): Edits texts.");
    expect(system?.text).toContain("@Researcher");
  });

  it("begins a question for one member with its name, as long as it is one", () => {
    const question = (askedId: string) => ({
      ...person(1, "Ana", "Why?"),
      askedId: asId<AgentId>(askedId),
    });
    expect(prompt([question("Researcher")]).at(-1)?.text).toBe("[Ana (person)] @Researcher Why?");
    expect(prompt([question("Critic")]).at(-1)?.text).toBe("[Ana (person)] Why?");
  });

  describe("in a round about what the seat has heard in an earlier one", () => {
    const round = (...triggers: readonly number[]) => ({
      id: asId<RoundId>("r2"),
      triggerIds: triggers.map(messageId),
    });
    const last = (transcript: readonly Message[], about: ReturnType<typeof round>) =>
      speakerPrompt({ seat, transcript, tokenBudget: 24_000, omitted: 0, round: about }).at(-1)
        ?.text;
    const heard = [
      person(1, "Ana", "One?"),
      person(2, "Ben", "Two?"),
      agentSaid(3, "Editor", "One.", { seen: 2, round: "r1" }),
    ];
    const again = "(You have heard what follows before; it is to be answered now.)";

    it("ends with that, after what is new", () => {
      expect(last(heard, round(2))).toBe(`${again}\n[Ben (person)] Two?`);
      const more = [...heard, agentSaid(4, "Researcher", "Hm.", { seen: 3, round: "r1" })];
      expect(last(more, round(2))).toBe(`[Researcher] Hm.\n${again}\n[Ben (person)] Two?`);
    });

    it("does not say it again where some of it is new, or it was deleted", () => {
      const more = [...heard, person(4, "Ana", "Three?")];
      expect(last(more, round(2, 4))).toBe("[Ana (person)] Three?");
      expect(last(heard, round(9))).toBe("(Nothing new was said.)");
    });

    it("does not say it again to a seat that has had a turn in this round", () => {
      const more = [
        ...heard,
        agentSaid(4, "Editor", "Two, then.", { seen: 3, round: "r2" }),
        agentSaid(5, "Researcher", "Sure, @Editor?", { seen: 4, round: "r2", turn: 1 }),
      ];
      expect(last(more, round(2))).toBe("[Researcher] Sure, @Editor?");
    });
  });

  it("alternates what was said with the seat's own replies, parts joined", () => {
    expect(prompt(story).slice(1)).toEqual([
      {
        role: "user",
        text: "[Ana (person)] Is this claim right?\n[Researcher] It is. @Editor, the wording?",
      },
      { role: "assistant", text: "Say it shorter.\nMuch shorter." },
      { role: "user", text: "[Ana (person)] And now?" },
    ]);
  });

  it("puts what arrived while the agent was composing after its reply", () => {
    const late = [
      person(1, "Ana", "First"),
      person(2, "Bo", "Second, while Editor writes"),
      agentSaid(3, "Editor", "To the first", { seen: 1 }),
    ];
    expect(prompt(late).slice(1)).toEqual([
      { role: "user", text: "[Ana (person)] First" },
      { role: "assistant", text: "To the first" },
      { role: "user", text: "[Bo (person)] Second, while Editor writes" },
    ]);
  });

  it("tells people of one name apart, by who came first", () => {
    const another = person(6, "Ana", "Not me.", "another");
    expect(prompt([...story, another, person(7, "Ana", "Me.")]).at(-1)?.text).toBe(
      "[Ana (person)] And now?\n[Ana (2) (person)] Not me.\n[Ana (person)] Me.",
    );
  });

  it("says how many messages are left out, also those that were not given", () => {
    const long = Array.from({ length: 40 }, (_, i) =>
      person(i + 1, "Ana", `${i} ${"word ".repeat(200)}`),
    );
    const [, user] = prompt(long, 2_000, 7);
    const [note, ...rest] = (user?.text ?? "").split("\n");
    expect(note).toBe(`(${47 - rest.length} earlier messages are left out.)`);
    expect(rest.at(-1)).toMatch(/^\[Ana \(person\)] 39 /);
  });

  it("never drops the newest message, and cuts one that is longer than its room", () => {
    const long = prompt([person(1, "Ana", "x".repeat(100_000))], 8_000);
    expect(long[1]?.text).toMatch(/^\[Ana \(person\)\] x{7000,8000} \[…\]$/u);
    expect(tokensIn(long)).toBeLessThanOrEqual(8_000);
  });

  it("keeps to the budget whatever files come with a message, and says what is missing", () => {
    const files = Array.from({ length: 10 }, (_, n) =>
      aFile(`${n}.txt`, { kind: "text", text: `${n} `.repeat(n === 0 ? 20 : 32_768) }),
    );
    const asked: Message = { ...person(1, "Ana", "What do these say?"), attachments: files };
    const messages = prompt([asked, agentSaid(2, "Researcher", "Much.", { seen: 1 })]);
    const text = messages[1]?.text ?? "";
    expect(messages).toHaveLength(2);
    expect(tokensIn(messages)).toBeLessThanOrEqual(24_000);
    expect(tokensIn(messages)).toBeGreaterThan(15_000);
    expect(text).toContain("[Ana (person)] What do these say?\n--- file: 0.txt ---\n0 0");
    expect(text).toContain("--- file: 9.txt, only its beginning, for want of room ---\n9 9");
    expect(text).toContain("9 […]\n--- end of file: 9.txt ---\n[Researcher] Much.");
    expect(messages[1]?.shortened?.map(({ file, shown }) => [file.name, shown])).toEqual(
      files.slice(1).map(({ name }) => [name, "beginning"]),
    );
  });

  it("only names files for which nothing is left, and halves with half of the budget", () => {
    const asked: Message = {
      ...person(1, "Ana", "And these?"),
      attachments: Array.from({ length: 10 }, (_, n) =>
        aFile(`${n}.txt`, { kind: "text", text: "x".repeat(65_536) }),
      ),
    };
    const whole = tokensIn(prompt([asked], 24_000));
    expect(tokensIn(prompt([asked], 12_000))).toBeLessThanOrEqual(whole / 2);
    const small = prompt([asked], 1_100)[1];
    expect(small?.text).toContain("--- file: 0.txt, not shown, for want of room ---\n--- end of");
    expect(small?.shortened?.map(({ shown }) => shown)).toEqual(Array(10).fill("nothing"));
  });

  it("shows a shortened file in later turns as it was, until it is dropped", () => {
    const file = aFile("a.txt", { kind: "text", text: "x".repeat(65_536) });
    const said: Message[] = [{ ...person(1, "Ana", "Read."), attachments: [file] }];
    const first = prompt(said, 8_000);
    said.push(agentSaid(2, "Editor", "Read it.", { seen: 1 }), person(3, "Ana", "And?"));
    const next = prompt(said, 8_000);
    expect(next[1]).toEqual({ role: "user", text: first[1]?.text });
    expect(next.at(-1)?.shortened).toBeUndefined();
  });

  it("keeps to the budget in all, whatever was said", () => {
    const aText = fc.integer({ min: 0, max: 12_000 }).map((length) => "word ".repeat(length / 5));
    const aMessage = fc.record({
      text: aText,
      files: fc.array(aText, { maxLength: 10 }),
      isOwn: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(aMessage, { minLength: 1, maxLength: 12 }), (said) => {
        const transcript = said.map(({ text, files, isOwn }, i): Message => {
          if (isOwn) return agentSaid(i, "Editor", text, { seen: i - 1 });
          const attachments = files.map((file) =>
            aFile("長い名前".repeat(9), { kind: "text", text: file }),
          );
          return { ...person(i, "Ana", text), attachments };
        });
        expect(tokensIn(prompt(transcript, 6_000))).toBeLessThanOrEqual(6_000);
      }),
      { numRuns: 40, interruptAfterTimeLimit: 20_000 },
    );
  });

  it("keeps its beginning from turn to turn, except for seldom steps when the budget is full", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ words: fc.integer({ min: 1, max: 60 }), isOwn: fc.boolean() }), {
          minLength: 20,
          maxLength: 80,
        }),
        (turns) => {
          const transcript: Message[] = [];
          let previous: readonly { readonly text: string }[] = [];
          let kept = 0;
          let asked = 0;
          for (const [i, { words, isOwn }] of turns.entries()) {
            transcript.push(person(2 * i, "Ana", `${i} ${"word ".repeat(words)}`, `u-${i % 3}`));
            if (!isOwn) continue;
            const now = prompt(transcript, 1_000);
            asked += 1;
            if (previous.every((message, at) => now[at]?.text === message.text)) kept += 1;
            previous = now;
            transcript.push(agentSaid(2 * i + 1, "Editor", `own ${i}`, { seen: 2 * i }));
          }
          // Each step frees half of the budget, so most turns find their beginning unchanged.
          expect(asked - kept).toBeLessThanOrEqual(Math.ceil(asked / 3) + 1);
        },
      ),
    );
  });

  it("brings the pictures of what was said since the seat's last turn, and names older ones", () => {
    const seen = (n: number, ...names: readonly string[]): Message => ({
      ...person(n, "Ana", "See"),
      attachments: names.map((name) => aFile(name, { kind: "image" })),
    });
    const told = [seen(1, "old.png"), agentSaid(2, "Editor", "Seen.", { seen: 1 })];
    const first = prompt(told.slice(0, 1));
    expect(first.at(-1)?.pictures?.map(({ name }) => name)).toEqual(["old.png"]);
    const next = prompt([...told, seen(3, "a.png", "b.png"), person(4, "Bo", "And?")]);
    expect(next[1]).toEqual({ role: "user", text: first[1]?.text });
    expect(next.at(-1)?.pictures?.map(({ name }) => name)).toEqual(["a.png", "b.png"]);
    expect(next.at(-1)?.text).toBe(
      "[Ana (person)] See [image: a.png] [image: b.png]\n[Bo (person)] And?",
    );
  });

  it("stays within the budget whenever more than the newest exchange could be dropped", () => {
    const long: Message[] = [];
    for (let i = 0; i < 60; i += 1) {
      long.push(person(2 * i, "Ana", "word ".repeat(40)));
      long.push(agentSaid(2 * i + 1, "Editor", "word ".repeat(40), { seen: 2 * i }));
    }
    const characters = prompt(long, 1_000)
      .slice(1)
      .reduce((sum, { text }) => sum + text.length, 0);
    expect(characters / 4).toBeLessThan(1_100);
  });
});
