import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spansOf } from "../../src/domain/markup.js";
import type { ReplyPart } from "../../src/domain/round/round.js";
import { splitReply } from "../../src/domain/split.js";

const LIMIT = 2_000;
const contents = (text: string): readonly string[] =>
  splitReply(text).map(({ content }) => content);
const shares = (parts: readonly ReplyPart[]): string => parts.map(({ share }) => share).join("");
const words = (length: number, word = "word"): string =>
  `${word} `
    .repeat(Math.ceil(length / (word.length + 1)))
    .slice(0, length)
    .trim();

/** What has to hold for every reply. */
function expectSound(text: string): void {
  const parts = splitReply(text);
  expect(shares(parts)).toBe(parts.length === 0 ? "" : text);
  for (const { content } of parts) {
    expect(content.length).toBeLessThanOrEqual(LIMIT);
    expect(content).toBe(content.trim());
    expect(content).toMatch(/[\p{L}\p{N}\p{P}\p{S}\p{M}\p{Co}\p{Cn}\p{Cs}]/u);
    expect(spansOf(content, "inside").filter(({ kind }) => kind === "unclosed")).toEqual([]);
  }
}

describe("a short reply", () => {
  it.each(["Hi.", "a\n\nb", "```js\nx\n```", "x".repeat(LIMIT), "👍".repeat(LIMIT / 2)])(
    "is one part as it is: %j",
    (text) => {
      expect(splitReply(text)).toEqual([{ content: text, share: text, file: null }]);
    },
  );

  it("keeps the whitespace around it in its share only", () => {
    expect(splitReply(" \n hi \n")).toEqual([{ content: "hi", share: " \n hi \n", file: null }]);
  });

  it("has its code block closed when the model did not", () => {
    expect(contents("See:\n```js\nx")).toEqual(["See:\n```js\nx\n```"]);
  });

  it.each(["", " \n\t ", "\u200b\u200b", "\u00a0\u3164"])(
    "of which nothing can be seen has no part: %j",
    (text) => {
      expect(splitReply(text)).toEqual([]);
    },
  );
});

describe("a reply over 2,000 characters", () => {
  it("is split between paragraphs", () => {
    const [a, b, c] = [words(900, "one"), words(900, "two"), words(900, "three")];
    expect(contents(`${a}\n\n${b}\n\n${c}`)).toEqual([`${a}\n\n${b}`, c]);
  });

  it("keeps a paragraph whole although the part before it is short", () => {
    const [a, b] = [words(300, "one"), words(1_900, "two")];
    expect(contents(`${a}\n\n${b}`)).toEqual([a, b]);
  });

  it("fills a part when the next paragraph would have to be split anyway", () => {
    const [first, second] = contents(`Intro.\n\n${words(2_500)}`);
    expect(first?.length).toBeGreaterThan(1_900);
    expect(second).toMatch(/^word/u);
  });

  it("is split between lines when there is no paragraph", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index} ${words(90)}`);
    const parts = contents(lines.join("\n"));
    expect(parts.join("\n")).toBe(lines.join("\n"));
    expect(parts).toHaveLength(2);
  });

  it("is split between words when there is no line", () => {
    const parts = contents(words(3_000));
    expect(parts.join(" ")).toBe(words(3_000));
    expect(parts).toHaveLength(2);
  });

  it("is split anywhere when there is no word, and never inside a character", () => {
    for (const character of ["x", "👍", "👨‍👩‍👧‍👦", "e\u0301", "🇨🇭", "👍🏽"]) {
      const parts = contents(`a${character.repeat(Math.ceil(4_500 / character.length))}`);
      expect(parts.length).toBeGreaterThanOrEqual(3);
      for (const part of parts) {
        expect(part.replaceAll(character, "").replace(/^a/u, "")).toBe("");
      }
    }
  });

  it.each([
    ["an address", "https://example.com/a/very/long/path?with=query&and=more"],
    ["a user", "<@123456789012345678>"],
    ["a custom emoji", "<:party_parrot:123456789012345678>"],
    ["a code span", "`const a = b + c;`"],
    ["a masked link", "[the whole story](https://example.com/story)"],
  ])("does not cut %s in two", (_, token) => {
    for (let before = 1_940; before <= 2_000; before++) {
      const text = `${"x".repeat(before)},${token} ${words(300)}`;
      expectSound(text);
      expect(contents(text).some((part) => part.includes(token))).toBe(true);
    }
  });

  it("keeps everything but the whitespace between parts", () => {
    const text = `${words(1_990)}   \n\n\n\n   ${words(1_990)}`;
    const parts = splitReply(text);
    expect(parts.map(({ content }) => content)).toEqual([words(1_990), words(1_990)]);
    expect(shares(parts)).toBe(text);
  });

  it("makes no part of whitespace or of what cannot be seen, however much there is", () => {
    for (const filler of ["\n", " ", "\u200b", "\u3164", "\r\n", "\t \n"]) {
      const text = `a${filler.repeat(Math.floor(6_000 / filler.length))}b`;
      expectSound(text);
      expect(splitReply(text).length).toBeLessThanOrEqual(2);
      expectSound(
        `${filler.repeat(2_500 / filler.length)}${words(2_500)}${filler.repeat(3_000 / filler.length)}`,
      );
    }
  });
});

describe("a code block", () => {
  const code = Array.from({ length: 150 }, (_, index) => `  line(${index}); // ${"-".repeat(10)}`);

  it.each(["ts", "c++", "objective-c", "C#", ""])("is closed and reopened as %j", (language) => {
    const parts = contents(`Look:\n\n\`\`\`${language}\n${code.join("\n")}\n\`\`\`\n\nDone.`);
    expect(parts.length).toBeGreaterThan(1);
    const lines: string[] = [];
    for (const part of parts) {
      const block = new RegExp(
        `\`\`\`${language.replaceAll("+", "\\+")}\\n([^]*?)\\n\`\`\``,
        "u",
      ).exec(part)?.[1];
      lines.push(...(block ?? "").split("\n"));
    }
    expect(lines).toEqual(code);
    expect(parts.at(-1)).toMatch(/```\n\nDone\.$/u);
  });

  it("does not begin at the very end of a part, nor go on with nothing in it", () => {
    for (let before = 1_900; before <= 2_000; before++) {
      const text = `${"x".repeat(before)}\n\`\`\`js\nabc\n\`\`\`\nafter ${words(400)}`;
      expectSound(text);
      for (const part of contents(text)) expect(part).not.toMatch(/```(?:js)?\s*```/u);
    }
  });

  it("ends with its part when only its closing does not fit", () => {
    for (let size = 1_960; size <= 2_010; size++) {
      const text = `\`\`\`js\n${"y".repeat(size - 6)}\n\`\`\`\nafter`;
      expectSound(text);
      for (const part of contents(text)) expect(part).not.toMatch(/```(?:js)?\s*```/u);
    }
  });

  it("keeps its indentation across parts, and in lists", () => {
    const text = `- item\n  \`\`\`py\n${code.join("\n")}\n  \`\`\`\n- next`;
    const parts = contents(text);
    for (const part of parts.slice(1)) expect(part).toMatch(/^```py\n {2}line/u);
    expectSound(text);
  });

  it("in a quote is closed and reopened in the quote", () => {
    const text = `> \`\`\`py\n${code.map((line) => `> ${line}`).join("\n")}\n> \`\`\`\nDone.`;
    const parts = contents(text);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]).toMatch(/\n> ```$/u);
    for (const part of parts.slice(1)) expect(part).toMatch(/^> ```py\n> {3}line/u);
    expectSound(text);
  });

  it("of one endless line is cut in the line", () => {
    const parts = contents(`\`\`\`\n${"z".repeat(5_000)}\n\`\`\``);
    expect(parts.join("").replaceAll(/[`\n]/gu, "")).toBe("z".repeat(5_000));
    for (const part of parts) expect(part).toMatch(/^```\nz+\n```$/u);
  });

  it("that nothing closes is closed in every part", () => {
    const parts = contents(`\`\`\`sql\n${code.join("\n")}`);
    for (const part of parts) expect(part).toMatch(/^```sql\n[^`]+\n```$/u);
  });

  it("is not seen in tildes, which Discord does not know", () => {
    const parts = contents(`~~~\n${words(3_000)}\n~~~`);
    expect(parts.join(" ")).not.toContain("```");
  });
});

describe("a quote", () => {
  it("that is cut in the middle of a line goes on as a quote", () => {
    const parts = contents(`> ${words(3_000)}\nNot quoted.`);
    expect(parts[1]).toMatch(/^> word/u);
    expect(parts[1]).toMatch(/\nNot quoted\.$/u);
  });

  it("up to the end goes on up to the end", () => {
    const parts = contents(`>>> ${words(1_500)}\n\n${words(1_500)}`);
    expect(parts[1]).toMatch(/^>>> word/u);
  });
});

describe("a reply past 10,000 characters", () => {
  it("is one part that shows the beginning and has the whole as a file", () => {
    const text = Array.from({ length: 30 }, (_, index) => `${index} ${words(400)}`).join("\n\n");
    const [part, ...more] = splitReply(text);
    expect(more).toEqual([]);
    expect(part?.share).toBe(text);
    expect(part?.file).toBe(text);
    expect(part?.content.length).toBeLessThanOrEqual(LIMIT);
    expect(part?.content.startsWith("0 word")).toBe(true);
    expect(part?.content).toMatch(/\n-# The whole reply is in the attached file\.$/u);
  });

  it("is in parts as long as it has 10,000", () => {
    expect(splitReply("x".repeat(10_000)).map(({ file }) => file)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(splitReply("x".repeat(10_001))).toHaveLength(1);
  });

  it("has its code block closed before the note", () => {
    const [part] = splitReply(`\`\`\`js\n${"line();\n".repeat(2_000)}\`\`\``);
    expect(part?.content).toMatch(/\n```\n-# The whole/u);
  });
});

describe("a reply that may have only so many parts", () => {
  const text = [words(1_800, "one"), words(1_800, "two"), words(1_800, "three")].join("\n\n");

  it("is as it would be when they are enough", () => {
    expect(splitReply(text, 3)).toEqual(splitReply(text));
    expect(splitReply("x", 1)).toEqual(splitReply("x"));
  });

  it("shows the beginning of the rest in the last one, with the whole as a file", () => {
    const [first, second, ...more] = splitReply(text, 2);
    expect(first).toEqual(splitReply(text)[0]);
    expect(more).toEqual([]);
    expect(second?.content).toMatch(/^two .*\n-# The whole reply is in the attached file\.$/su);
    expect(second?.content.length).toBeLessThanOrEqual(LIMIT);
    expect(second?.file).toBe(text);
    expect(`${first?.share}${second?.share}`).toBe(text);
  });

  it("reopens a code block for the beginning that it shows, and closes it", () => {
    const [, second] = splitReply(`\`\`\`js\n${"line();\n".repeat(700)}\`\`\``, 2);
    expect(second?.content).toMatch(/^```js\nline\(\);.*\n```\n-# The whole/su);
  });
});

describe("any reply", () => {
  const filler = fc.oneof(
    fc.constantFrom(
      " ",
      "\n",
      "\n\n",
      "\u200b",
      "\t",
      "x",
      "é",
      "你",
      "👍",
      "👨‍👩‍👧‍👦",
      "e\u0301",
      ".",
      "*",
      "word ",
    ),
    fc.constantFrom(
      "`",
      "``",
      "```",
      "````",
      "```js\n",
      "\n```\n",
      "> ",
      ">>> ",
      "\\",
      "<@123456789012345678>",
    ),
    fc.constantFrom(
      "https://example.com/x ",
      "[a](https://b.org)",
      "- ",
      "\r\n",
      "| ",
      "@Editor ",
      "\ud83d",
      "\u0301",
    ),
  );
  const hostile = fc
    .array(fc.tuple(filler, fc.integer({ min: 1, max: 700 })), { minLength: 1, maxLength: 25 })
    .map((pieces) =>
      pieces
        .map(([piece, times]) => piece.repeat(times))
        .join("")
        .slice(0, 10_000),
    );
  const scattered = fc
    .tuple(fc.array(filler, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 60 }))
    .map(([pieces, times]) => pieces.join("").repeat(times).slice(0, 10_000));

  it("has sound parts", () => {
    fc.assert(fc.property(hostile, expectSound), { numRuns: 300 });
    fc.assert(fc.property(scattered, expectSound), { numRuns: 300 });
  });

  it("past 10,000 characters has a sound beginning", () => {
    fc.assert(
      fc.property(scattered, (text) => {
        const long = `${text}${"x".repeat(10_001)}`;
        const [part] = splitReply(long);
        expect(part?.content.length).toBeLessThanOrEqual(LIMIT);
        expect(part?.share).toBe(long);
      }),
    );
  });

  it("of prose and code has as many fences as a reader needs, in order", () => {
    const block = fc
      .tuple(
        fc.constantFrom("", "ts", "python"),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 60 }),
      )
      .map(
        ([language, lines, width]) =>
          `\`\`\`${language}\n${`${"c".repeat(width)};\n`.repeat(lines)}\`\`\``,
      );
    const paragraph = fc.integer({ min: 1, max: 300 }).map((count) => words(count * 5, "text"));
    const reply = fc
      .array(fc.oneof(block, paragraph), { minLength: 2, maxLength: 12 })
      .map((all) => all.join("\n\n"))
      .filter((text) => text.length <= 10_000);
    fc.assert(
      fc.property(reply, (text) => {
        const parts = contents(text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(LIMIT);
          expect(part.split("```").length % 2).toBe(1);
          const blocks = part.split("```").filter((_, index) => index % 2 === 1);
          for (const block of blocks) expect(block).toMatch(/^(?:ts|python)?\n.*\S/u);
        }
        const bare = (all: string): string => all.replaceAll(/```(?:ts|python)?|\s/gu, "");
        expect(bare(parts.join("\n"))).toBe(bare(text));
      }),
      { numRuns: 300 },
    );
  });

  it("is split quickly, however hostile", () => {
    for (const piece of ["`", "` ", "```", "[", "<@", "\n", "\u0301", " ", "> ", "x.", "👍"]) {
      expectSound(piece.repeat(9_999 / piece.length));
      expect(splitReply(piece.repeat(100_000)).length).toBeLessThanOrEqual(1);
    }
  }, 30_000);
});
