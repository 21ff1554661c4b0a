import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, parseMarkdown } from "../../../src/playground/web/page/markdown.js";
import type { Inline, Mark } from "../../../src/playground/web/page/markdownInline.js";

const text = (words: string): Inline => ({ type: "text", text: words });
const mark = (type: Mark, ...children: Inline[]): Inline => ({ type, children });
const code = (words: string): Inline => ({ type: "code", text: words });
const link = (url: string, label = url): Inline => ({ type: "link", url, children: [text(label)] });
const line: Inline = { type: "break" };
const paragraph = (...children: Inline[]): Block => ({ type: "paragraph", children });

/** [what, source, the inline content of its only paragraph] */
const LINES: readonly (readonly [string, string, readonly Inline[]])[] = [
  ["bold", "a **b** c", [text("a "), mark("bold", text("b")), text(" c")]],
  ["italic with a star", "*b*", [mark("italic", text("b"))]],
  ["italic with a line", "_b_", [mark("italic", text("b"))]],
  ["underline", "__b__", [mark("underline", text("b"))]],
  ["strike", "~~b~~", [mark("strike", text("b"))]],
  ["a spoiler", "||b||", [mark("spoiler", text("b"))]],
  ["bold and italic at once", "***b***", [mark("bold", mark("italic", text("b")))]],
  [
    "bold inside of italic",
    "*a **b** c*",
    [mark("italic", text("a "), mark("bold", text("b")), text(" c"))],
  ],
  ["stars of a product as text", "2 * 3 * 4", [text("2 * 3 * 4")]],
  ["lines inside of a name as text", "snake_case_name", [text("snake_case_name")]],
  ["a mark that is not closed as text", "**a", [text("**a")]],
  ["a mark around nothing as text", "****", [text("****")]],
  ["escaped marks as text", "\\*a\\* \\_b\\_", [text("*a* _b_")]],
  ["code", "a `b` c", [text("a "), code("b"), text(" c")]],
  ["marks inside of code as they are", "`**b**`", [code("**b**")]],
  ["code with a backtick in it", "`` a`b ``", [code("a`b")]],
  [
    "a closing mark that stands in code",
    "**a `**` b**",
    [mark("bold", text("a "), code("**"), text(" b"))],
  ],
  ["a line break", "a\nb", [text("a"), line, text("b")]],
  ["an empty line", "a\n\nb", [text("a"), line, line, text("b")]],
  [
    "a bare address",
    "see https://example.org/a_b_c.",
    [text("see "), link("https://example.org/a_b_c"), text(".")],
  ],
  [
    "an address in brackets",
    "(https://example.org/a_(b))",
    [text("("), link("https://example.org/a_(b)"), text(")")],
  ],
  ["an address without preview", "<https://example.org>", [link("https://example.org")]],
  ["a named link", "[here](https://example.org/x)", [link("https://example.org/x", "here")]],
  ["a script as no link", "[here](javascript:alert(1))", [text("[here](javascript:alert(1))")]],
  ["data as no link", "[a](data:text/html,x) <data:a>", [text("[a](data:text/html,x) <data:a>")]],
  ["HTML as text", "<img src=x onerror=alert(1)>", [text("<img src=x onerror=alert(1)>")]],
  [
    "a person",
    "<@12> <@!34>",
    [
      { type: "mention", of: "user", id: "12" },
      text(" "),
      { type: "mention", of: "user", id: "34" },
    ],
  ],
  ["a role", "<@&12>", [{ type: "mention", of: "role", id: "12" }]],
  ["a channel", "<#12>", [{ type: "mention", of: "channel", id: "12" }]],
  ["a command", "</gc start:12>", [{ type: "command", name: "gc start" }]],
  ["an emoji", "<a:wave:12>", [{ type: "emoji", name: "wave", id: "12" }]],
  ["a time", "<t:60:R>", [{ type: "time", atMs: 60_000, style: "R" }]],
  ["everyone", "hi @everyone", [text("hi "), { type: "everyone", text: "@everyone" }]],
  ["no everyone in an address", "a@everyone.org", [text("a@everyone.org")]],
  ["a mention inside of code as text", "`<@12>`", [code("<@12>")]],
];

const BLOCKS: readonly (readonly [string, string, readonly Block[]])[] = [
  ["nothing", "", []],
  [
    "headings",
    "# a\n### b",
    [
      { type: "heading", level: 1, children: [text("a")] },
      { type: "heading", level: 3, children: [text("b")] },
    ],
  ],
  ["a number sign without a space as text", "#a", [paragraph(text("#a"))]],
  [
    "small text between lines",
    "a\n-# b\nc",
    [paragraph(text("a")), { type: "small", children: [text("b")] }, paragraph(text("c"))],
  ],
  [
    "a quote of several lines",
    "> a\n> b\nc",
    [{ type: "quote", blocks: [paragraph(text("a"), line, text("b"))] }, paragraph(text("c"))],
  ],
  [
    "a quote to the end",
    ">>> a\nb",
    [{ type: "quote", blocks: [paragraph(text("a"), line, text("b"))] }],
  ],
  ["a sign without a space as text", ">a", [paragraph(text(">a"))]],
  [
    "a code block with its language",
    "```ts\nlet a;\n```",
    [{ type: "code", language: "ts", text: "let a;" }],
  ],
  [
    "a code block without language",
    "```\n# a\n- b\n```",
    [{ type: "code", language: "", text: "# a\n- b" }],
  ],
  [
    "a code block inside of a line",
    "a ```b``` c",
    [paragraph(text("a")), { type: "code", language: "", text: "b" }, paragraph(text(" c"))],
  ],
  ["a code block that is not closed as text", "```a", [paragraph(text("```a"))]],
  [
    "code in a quote",
    "> ```\n> a\n> ```",
    [{ type: "quote", blocks: [{ type: "code", language: "", text: "a" }] }],
  ],
  [
    "a list with a list in it",
    "- a\n  - b\n- c",
    [
      {
        type: "list",
        start: null,
        items: [
          {
            children: [text("a")],
            lists: [{ type: "list", start: null, items: [{ children: [text("b")], lists: [] }] }],
          },
          { children: [text("c")], lists: [] },
        ],
      },
    ],
  ],
  [
    "a numbered list by its first number",
    "3. a\n4. b",
    [
      {
        type: "list",
        start: 3,
        items: [
          { children: [text("a")], lists: [] },
          { children: [text("b")], lists: [] },
        ],
      },
    ],
  ],
  [
    "a line that goes on below its item",
    "- a\n  b",
    [{ type: "list", start: null, items: [{ children: [text("a"), line, text("b")], lists: [] }] }],
  ],
];

describe("the markdown of messages", () => {
  it.each(LINES)("shows %s", (_what, source, expected) => {
    expect(parseMarkdown(source)).toEqual([paragraph(...expected)]);
  });

  it.each(BLOCKS)("shows %s", (_what, source, expected) => {
    expect(parseMarkdown(source)).toEqual(expected);
  });

  it("never links to anything but the web, whatever the text", () => {
    const pieces = fc.constantFrom(
      ..."[ ] ( ) < > * _ ` ~ | \\ \n".split(" "),
      "javascript:alert(1)",
      "https://a.example/",
      "http:",
      "data:text/html,x",
      "> ",
      "- ",
      "```",
      "a",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        for (const url of urlsIn(parseMarkdown(parts.join("")))) {
          expect(url).toMatch(/^https?:\/\//i);
        }
      }),
    );
  });

  it("reads the longest message made of nothing but marks", () => {
    for (const piece of ["*", "**a", "_a ", "||", "`", "[", "<", "> ", "- ", "\\", "***a"]) {
      const source = piece.repeat(2000 / piece.length);
      expect(parseMarkdown(source).length).toBeGreaterThan(0);
    }
  });
});

function urlsIn(tree: unknown): readonly string[] {
  if (typeof tree !== "object" || tree === null) return [];
  const own = "url" in tree ? [String(tree.url)] : [];
  return [...own, ...Object.values(tree).flatMap(urlsIn)];
}
