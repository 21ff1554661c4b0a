import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/domain/columns.js";
import type { RoundEvent } from "../../src/domain/round/round.js";
import { ESTIMATE_MARK, ESTIMATED } from "../../src/domain/usage.js";
import { previewText, whyText } from "../../src/domain/why.js";
import {
  agent,
  call,
  closed,
  composed,
  failed,
  input,
  judged,
  message,
  naming,
  opened,
  posted,
  said,
  trigger,
} from "./whyJournals.js";

const blockLines = (text: string) =>
  [...text.matchAll(/```\n([^]*?)\n```/gu)].flatMap(([, block = ""]) => block.split("\n"));

describe("why a round went as it did", () => {
  it("marks the tokens that are an estimate", () => {
    const calls = [call("judge", { model: "small", outcome: ESTIMATED })];
    const text = whyText(input([opened({}), judged({ r: 0.6 }), closed], { calls }));
    expect(text).toContain("judge              ~1200→34  1.2 s");
  });

  it("names the failure of a call whose tokens are an estimate, and adds them to the sum", () => {
    const calls = [
      call("judge", { outcome: `timeout${ESTIMATE_MARK}` }),
      call("judge", { outcome: "no-credit", tokens: null }),
    ];
    const text = whyText(input([opened({}), judged({ r: 0.6 }), closed], { calls }));
    expect(text).toContain("judge           ✗ timed out  1.2 s");
    expect(text).toContain("judge           ✗ no credit  1.2 s");
    expect(text).toContain("all 2 calls         1200→34  2.5 s");
  });

  it("is told in the order of a reader's questions", () => {
    const journal = [
      opened({ named: [naming("e")] }),
      judged({ r: 0.62, e: 0.2, c: 0.499 }),
      ...said("e", 2, "c"),
      ...failed("c"),
      ...said("r", 3, "ec"),
      ...said("e", 4),
      closed,
    ];
    const calls = [
      call("judge", { model: "small" }),
      call("turn", { agentId: agent("e"), tokens: { inputTokens: 24_123, outputTokens: 1_900 } }),
      call("turn", { agentId: agent("c"), tokens: null, durationMs: 120_000, outcome: "timeout" }),
    ];
    expect(whyText(input(journal, { calls, durationMs: 12_345 }))).toBe(
      [
        "**Finished**, 3 replies in 12 s",
        "> Ana: “When was that?” [↗](https://x/1)",
        "The judge scored 3 members; a member answers from 0.50 on.",
        "```",
        "Researcher ▓▓▓▓▓▓░░░░ 0.62 ✓",
        "Editor     ▓▓░░░░░░░░ 0.20 ✓ named",
        "Devil's a… ▓▓▓▓░░░░░░ 0.49",
        "```",
        "Named: Editor (by Ana).",
        "**Whose turn it was**, in this order",
        "1. **Editor**: named by Ana → @Devil's advocate of all",
        "2. **Devil's advocate of all** could not answer, its model took too long: given the word by Editor",
        "3. **Researcher**: score 0.62 → @Editor; could not give it to Devil's advocate of all (failed before)",
        "4. **Editor**: given the word by Researcher",
        "**Model calls**, tokens in→out",
        "```",
        "small",
        "judge               1200→34  1.2 s",
        "test-model",
        "Editor           24.1k→1900  1.2 s",
        "Devil's advoca… ✗ timed out   2m0s",
        "all 3 calls      25.3k→1934   2m2s",
        "```",
      ].join("\n"),
    );
  });

  it.each<[string, readonly RoundEvent[], readonly string[]]>([
    ["before the judge answered", [opened()], ["The judge is being asked now."]],
    [
      "while a member writes",
      [opened(), judged({ r: 0.6, e: 0.7, c: 0 })],
      ["1. **Researcher** is writing: score 0.60", "Waiting: Editor."],
    ],
    [
      "while a reply is being posted in parts",
      [opened(), judged({ r: 0.6, e: 0, c: 0 }), composed("r", "", 2), posted(2)],
      ["1. **Researcher** is posting: score 0.60"],
    ],
  ])("is told so far %s", (_, journal, lines) => {
    const shown = whyText(input(journal)).split("\n");
    expect(shown[0]).toBe("**Still running**, 0 replies so far");
    expect(shown).toEqual(expect.arrayContaining([...lines]));
  });

  it.each<[string, readonly RoundEvent[], readonly string[]]>([
    [
      "nobody fitted",
      [opened(), judged({ r: 0.1, e: 0.2, c: 0.3 }), ...said("r", 2), closed],
      ["Researcher  ▓░░░░░░░░░ 0.10 ✓ host", "1. **Researcher**: the host, since nobody fitted"],
    ],
    [
      "nobody fitted and the host is muted",
      [opened({ muted: "r" }), judged({ e: 0.2, c: 0.3 }), ...said("e", 2), closed],
      [
        "Editor         ▓▓░░░░░░░░ 0.20 ✓",
        "Muted, so not asked: Researcher.",
        "1. **Editor**: since nobody fitted and the host is muted",
      ],
    ],
    [
      "the judge took too long",
      [opened(), { type: "judged", scores: null, failure: "timeout" }, ...said("r", 2), closed],
      [
        "The judge could not score (it took too long), so Researcher answers alone, as the host.",
        "1. **Researcher**: the host, since there were no scores",
      ],
    ],
    [
      "the judge failed and somebody was named",
      [
        opened({ named: [naming("e", "reply")] }),
        { type: "judged", scores: null, failure: "invalid" },
        ...said("e", 2),
        closed,
      ],
      [
        "The judge's answer could not be read, so those who were named answer.",
        "Named: Editor (Ana replied to it).",
      ],
    ],
    [
      "everybody was named",
      [
        opened({ named: [naming("r", "all"), naming("e", "all"), naming("c")] }),
        ...said("r", 2),
        ...said("e", 3),
        ...said("c", 4),
        closed,
      ],
      [
        "The judge was not asked: everybody was named.",
        "Named: Researcher (by Ana with @all), Editor (by Ana with @all) and Devil's advocate of all (by Ana).",
        "1. **Researcher**: named by Ana with @all",
      ],
    ],
    [
      "everybody was named at once",
      [
        opened({ named: [naming("r", "all"), naming("e", "all"), naming("c", "all")] }),
        ...said("r", 2),
        closed,
      ],
      ["Named: everybody (@all).", "1. **Researcher**: named by Ana with @all"],
    ],
    [
      "the endpoint refused a key",
      [opened(), judged({ r: 0.6, e: 0, c: 0 }), ...failed("r", "unauthorized"), closed],
      [
        "**Whose turn it was**, in this order",
        "1. **Researcher** could not answer, its model's key is refused; the bot's owner has to look at it: score 0.60",
      ],
    ],
    [
      "a model did not exist",
      [
        opened(),
        judged({ r: 0.6, e: 0, c: 0 }),
        { type: "turnFailed", agentId: agent("r"), failure: "unknown-model", about: "gpt`x" },
        closed,
      ],
      ["1. **Researcher** could not answer, its model `gpt x` does not exist: score 0.60"],
    ],
    [
      "a permission was missing",
      [
        opened(),
        judged({ r: 0.6, e: 0, c: 0 }),
        composed("r"),
        {
          type: "turnFailed",
          agentId: agent("r"),
          failure: "forbidden",
          about: "Manage Webhooks",
          isForAll: true,
        },
        closed,
      ],
      ["1. **Researcher** could not answer, I need Manage Webhooks in this channel: score 0.60"],
    ],
    [
      "the judge's key was refused",
      [opened(), { type: "judged", scores: null, failure: "unauthorized" }, closed],
      [
        "The judge could not score (its model's key is refused), so Researcher answers alone, as the host.",
      ],
    ],
    [
      "one member was asked",
      [opened({ named: [naming("e", "ask")], isAsk: true }), ...said("e", 2, "r"), closed],
      [
        "The judge was not asked: `/ask` goes to one member alone.",
        "1. **Editor**: named by Ana with /ask",
      ],
    ],
    [
      "a handoff went to a muted member",
      [opened({ muted: "c" }), judged({ r: 0.9, e: 0 }), ...said("r", 2, "c"), closed],
      ["1. **Researcher**: score 0.90; could not give it to Devil's advocate of all (muted)"],
    ],
    [
      "everybody is muted",
      [
        opened({ muted: "rec" }),
        { type: "announced", notice: { type: "allMuted" }, messageId: null },
        closed,
      ],
      ["The judge was not asked: every member is muted."],
    ],
    [
      "it reached the limit",
      [
        opened({ cap: 1 }),
        judged({ r: 0.6, e: 0.9, c: 0.9 }),
        ...said("r", 2),
        {
          type: "announced",
          notice: { type: "cap", unheard: [agent("e"), agent("c")] },
          messageId: null,
        },
        { type: "closed", outcome: "cap" },
      ],
      [
        "**Stopped at the limit** of 1 reply",
        "Did not get to speak: Editor and Devil's advocate of all.",
      ],
    ],
    [
      "it was stopped in the middle of a reply",
      [
        opened(),
        judged({ r: 0.6, e: 0.9, c: 0 }),
        composed("r", "", 2),
        posted(2),
        { type: "stopped", by: "Bo *b*", userId: null },
        { type: "closed", outcome: "stopped" },
      ],
      [
        "**Stopped by Bo \\*b\\***, 0 replies",
        "1. **Researcher** was cut off: score 0.60",
        "Did not get to speak: Editor.",
      ],
    ],
    [
      "its message was deleted",
      [opened(), { type: "stopped", by: null, userId: null }],
      [
        "**Stopped**: the message that started it was deleted; 0 replies",
        "It ended before the judge had answered.",
      ],
    ],
    [
      "the bot was removed from its server",
      [opened(), { type: "stopped", by: null, userId: null, why: "left" }],
      ["**Stopped**: the bot was removed from this server; 0 replies"],
    ],
    [
      "its channel was archived",
      [opened(), { type: "stopped", by: "Bo", userId: null, why: "archived" }],
      [
        "**Stopped**: this channel was archived; 0 replies",
        "It ended before the judge had answered.",
      ],
    ],
    [
      "every turn failed",
      [
        opened(),
        judged({ r: 0.6, e: 0, c: 0 }),
        ...failed("r", "refused"),
        { type: "closed", outcome: "failed" },
      ],
      [
        "**Nobody could answer**",
        "1. **Researcher** could not answer, its model declined to answer this: score 0.60",
      ],
    ],
    [
      "a post was refused by Discord",
      [opened(), judged({ r: 0.6, e: 0, c: 0 }), composed("r"), ...failed("r", "blocked"), closed],
      [
        "1. **Researcher** could not answer, Discord's filters did not let the reply through: score 0.60",
      ],
    ],
    [
      "it was too old after a restart",
      [opened(), { type: "expired" }],
      ["**Not finished**: I was away for more than 15 minutes"],
    ],
    [
      "the channel is away",
      [
        opened(),
        judged({ r: 0.6, e: 0, c: 0 }),
        composed("r"),
        { type: "closed", outcome: "unreachable" },
      ],
      [
        "**Given up**: Discord did not let me write here any more; 0 replies",
        "1. **Researcher** was cut off: score 0.60",
      ],
    ],
    [
      "a file could not be read",
      [opened({ leftOut: [{ name: "a.zip", reason: "type" }] }), closed],
      ["Not read: `a.zip` (only texts and pictures are read)."],
    ],
    [
      "somebody had asked for reasons",
      [
        opened(),
        judged({ r: 0.6, e: 0, c: 0 }),
        ...said("r", 2),
        closed,
        { type: "explained", reasons: [{ agentId: agent("r"), text: "Dates are *its* subject." }] },
      ],
      ["**The judge explains**", "- **Researcher**: Dates are \\*its\\* subject."],
    ],
  ])("is told when %s", (_, journal, lines) => {
    expect(whyText(input(journal)).split("\n")).toEqual(expect.arrayContaining([...lines]));
  });

  it("says of a message of an agent what it was said for", () => {
    const journal = [
      opened(),
      judged({ r: 0.6, e: 0.1, c: 0 }),
      ...said("r", 2, "e"),
      composed("e", "", 2),
      posted(3),
      posted(4, 1),
      closed,
    ];
    expect(whyText(input(journal, { about: message(4) })).split("\n")[1]).toBe(
      "This message: **Editor** spoke, given the word by Researcher.",
    );
    expect(whyText(input(journal))).not.toContain("This message");
  });

  it("quotes shortly and safely what started the round", () => {
    const text = whyText(
      input([opened()], {
        triggers: [
          trigger({ author: "B*o", text: `# **Look** at\nhttps://a.b/c ${"and on ".repeat(30)}` }),
          trigger({ messageId: message(2), text: null }),
          trigger({ messageId: message(3), text: " " }),
        ],
      }),
    );
    expect(text.split("\n").slice(1, 4)).toEqual([
      expect.stringMatching(
        /^> B\\\*o: “# \\\*\\\*Look\\\*\\\* at https\\:\/\/a\.b\/c and on .{50,70}…” \[↗\]\(https:\/\/x\/1\)$/u,
      ),
      "> Ana: (deleted)",
      "> Ana: (no text) [↗](https://x/1)",
    ]);
  });

  it("shows three of many messages, the one asked about among them", () => {
    const triggers = [1, 2, 3, 4, 5].map((n) =>
      trigger({ messageId: message(n), text: `No. ${n}` }),
    );
    const shown = whyText(input([opened()], { triggers, about: message(5) })).split("\n");
    expect(shown.filter((line) => line.startsWith(">")).map((line) => line.slice(0, 14))).toEqual([
      "> Ana: “No. 1”",
      "> Ana: “No. 2”",
      "> Ana: “No. 5”",
      "> and 2 more m",
    ]);
  });

  it("says at the end what is called otherwise by now", () => {
    const present = new Map([
      [agent("r"), "Researcher"],
      [agent("e"), "Word_smith"],
      [agent("c"), null],
    ]);
    expect(
      whyText(input([opened()], { present }))
        .split("\n")
        .at(-1),
    ).toBe("-# By now Editor is called Word\\_smith and Devil's advocate of all is archived.");
  });

  it("names who was asked and had left before the round began", () => {
    const journal = [opened({ named: [naming("x", "ask")], isAsk: true })];
    const present = new Map([[agent("x"), "Ghost"]]);
    expect(whyText(input(journal, { present }))).toMatch(/\n1\. \*\*Ghost\*\* could not answer, /u);
  });
});

describe("a block of code", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 32 });
  const outcome = fc.constantFrom(
    "ok",
    ESTIMATED,
    `timeout${ESTIMATE_MARK}`,
    "timeout",
    "bad-answer",
    "unknown-model",
    "whatever",
  );

  it("fits 34 columns, whatever the names, scores and numbers", () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 2, maxLength: 6 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
        fc.tuple(name, outcome, fc.nat({ max: 9_999_999 }), fc.nat({ max: 900_000 })),
        (names, scores, [model, result, tokens, durationMs]) => {
          const members = names.map((displayName, index) => ({
            agentId: agent(String(index)),
            name: String(index),
            displayName,
            isMuted: false,
          }));
          const journal = [
            opened({ members, hostId: agent("0"), named: [naming("1")] }),
            judged(Object.fromEntries(names.map((_, index) => [index, scores[index] ?? 0]))),
          ];
          const usage = { inputTokens: tokens, outputTokens: tokens };
          const one = call("explain", {
            agentId: agent("0"),
            model,
            outcome: result,
            durationMs,
            tokens: usage,
          });
          const text = whyText(input(journal, { calls: [one, { ...one, tokens: null }] }));
          expect(text.match(/```/gu)).toHaveLength(4);
          for (const line of blockLines(text)) expect(displayWidth(line)).toBeLessThanOrEqual(34);
        },
      ),
    );
  });

  it("tells names apart that begin alike: by permanent names, else by numbers", () => {
    const members = ["Reviewer of law and money", "Reviewer of law and order", "Editor"].map(
      (displayName, index) => ({
        agentId: agent(String(index)),
        name: ["law-and-money", "reviewer-of-law-and-order-two", "editor"][index] ?? "",
        displayName,
        isMuted: false,
      }),
    );
    const one = opened({ members, hostId: agent("0") });
    const rows = (journal: readonly RoundEvent[]) =>
      blockLines(whyText(input(journal))).map((line) => line.slice(0, 11));
    expect(rows([one, judged({ 0: 0.1, 1: 0.2, 2: 0 })])).toEqual([
      "law-and-mo…",
      "reviewer-o…",
      "Editor     ",
    ]);
    const alike = members.map((member) => ({ ...member, name: `reviewer-of-${member.name}` }));
    expect(
      rows([opened({ members: alike, hostId: agent("0") }), judged({ 0: 0.1, 1: 0.2, 2: 0 })]),
    ).toEqual(["1. Reviewe…", "2. Reviewe…", "Editor     "]);
  });

  it("lines bars up behind names of any script", () => {
    const members = ["編集者", "Fox 🦊", "Editor"].map((displayName, index) => ({
      agentId: agent(String(index)),
      name: String(index),
      displayName,
      isMuted: false,
    }));
    const journal = [opened({ members, hostId: agent("0") }), judged({ 0: 0.5, 1: 0.29, 2: 1 })];
    expect(blockLines(whyText(input(journal)))).toEqual([
      "編集者 ▓▓▓▓▓░░░░░ 0.50 ✓",
      "Fox 🦊 ▓▓░░░░░░░░ 0.29",
      "Editor ▓▓▓▓▓▓▓▓▓▓ 1.00 ✓",
    ]);
  });

  it("never rounds a score up to the threshold", () => {
    const text = whyText(input([opened(), judged({ r: 0.4999, e: 0.5, c: 0.29 })]));
    expect(blockLines(text).map((line) => line.slice(15))).toEqual([
      "▓▓▓▓░░░░░░ 0.49",
      "▓▓▓▓▓░░░░░ 0.50 ✓",
      "▓▓░░░░░░░░ 0.29",
    ]);
  });

  it("shows a limited number of calls and counts all", () => {
    const calls = Array.from({ length: 23 }, () => call("turn", { agentId: agent("e") }));
    const lines = blockLines(whyText(input([opened()], { calls })));
    expect(lines).toHaveLength(23);
    expect(lines.slice(-2)).toEqual(["and 3 more", "all 23 calls      27.6k→782   28 s"]);
  });
});

describe("a preview", () => {
  it("shows scores and order without any turn", () => {
    expect(previewText([opened({ named: [naming("e")] }), judged({ r: 0.62, e: 0.2, c: 0 })])).toBe(
      [
        "**Preview.** Nothing is posted.",
        "The judge scored 3 members; a member answers from 0.50 on.",
        "```",
        "Researcher ▓▓▓▓▓▓░░░░ 0.62 ✓",
        "Editor     ▓▓░░░░░░░░ 0.20 ✓ named",
        "Devil's a… ░░░░░░░░░░ 0.00",
        "```",
        "Named: Editor (by you).",
        "**Who would answer**, in this order",
        "1. Editor: named by you",
        "2. Researcher: score 0.62",
      ].join("\n"),
    );
  });

  it("says when nobody would answer", () => {
    expect(
      previewText([opened({ muted: "rec" })])
        .split("\n")
        .slice(1),
    ).toEqual(["The judge was not asked: every member is muted.", "Nobody would answer."]);
  });
});

describe("why a hosted round went as it did", () => {
  const start = opened({ cap: 1 });
  const answered = (letter: string): RoundEvent => ({
    type: "answered",
    agentId: agent(letter),
    pass: 1,
    text: "A secret.",
  });

  it("is told by who was asked and what came of it, without what they said", () => {
    const late = { agentId: agent("e"), pass: 1 };
    const journal: readonly RoundEvent[] = [
      start,
      { type: "dispatched", pass: 1, agentIds: [agent("e"), agent("c")] },
      answered("c"),
      { type: "missed", failure: "timeout", ...late },
      { type: "ignored", why: "late", ...late },
      { type: "collected" },
      { type: "announced", notice: { type: "late", agentIds: [agent("e")] }, messageId: null },
      ...said("r", 2),
      closed,
    ];
    expect(whyText({ ...input(journal), kind: "hosted" }).split("\n")).toEqual([
      "**Finished**, 1 reply",
      expect.stringContaining("When was that?"),
      "**Who was asked**, privately and at the same time, once",
      "- Editor: did not answer: its model took too long",
      "- Devil's advocate of all: answered",
      "- A reply of Editor was ignored: the wait was over",
      "**Who spoke**, in this order",
      "1. **Researcher**: the host, who alone speaks here",
    ]);
  });

  it("tells who left, and who could not answer at first", () => {
    const journal: readonly RoundEvent[] = [
      opened({ cap: 1, debatePasses: 2 }),
      { type: "missed", failure: "error", agentId: agent("e"), pass: 1 },
      answered("c"),
      { type: "departed", agentId: agent("c"), pass: 2 },
      { type: "answered", agentId: agent("e"), pass: 2, text: "A secret." },
    ];
    const lines = whyText({ ...input(journal), kind: "hosted" });
    expect(lines).toContain("- Devil's advocate of all: answered 1 of 2 times, then left");
    expect(lines).toContain("- Editor: answered 1 of 2 times");
  });

  it("is told of a debate and while it goes on", () => {
    const journal = [opened({ cap: 1, debatePasses: 2 }), answered("c")];
    const lines = whyText({ ...input(journal), kind: "hosted" });
    expect(lines).toContain("a debate of 2 passes");
    expect(lines).toContain("- Editor: is being asked");
    expect(lines).toContain("- Devil's advocate of all: answered 1 of 2 times");
  });
});
