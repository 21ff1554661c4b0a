import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentId, asId } from "../../src/domain/ids.js";
import { type Nameable, namedIn } from "../../src/domain/mentions.js";

const member = (name: string, displayName: string): Nameable => ({
  agentId: asId<AgentId>(name),
  name,
  displayName,
});

const MEMBERS: readonly Nameable[] = [
  member("ops", "Ops"),
  member("ops-team", "Ops team"),
  member("editor", "Editor"),
  member("researcher", "Researcher"),
];

/** Names of those named in a text, `all:` in front of those named by `@all`. */
function named(text: string, members = MEMBERS): readonly string[] {
  return namedIn(text, members).map(({ agentId, by }) =>
    by === "all" ? `all:${agentId}` : agentId,
  );
}

const EVERYONE = MEMBERS.map(({ name }) => `all:${name}`);

describe("a member is named", () => {
  it.each([
    ["@Editor please look", ["editor"]],
    ["please look, @editor", ["editor"]],
    ["@EDITOR", ["editor"]],
    ["＠Ｅｄｉｔｏｒ", ["editor"]],
    ["@Editor and @Researcher", ["editor", "researcher"]],
    ["@Researcher then @Editor then @researcher", ["researcher", "editor"]],
    ["@ops-team", ["ops-team"]],
    ["@Ops team", ["ops-team"]],
    ["@Ops   team", ["ops-team"]],
    ["@Ops\u00a0team", ["ops-team"]],
    ["@Ops, team", ["ops"]],
    ["@Ops teamwork", ["ops"]],
    ["@Ops\nteam", ["ops"]],
    ["@Ops and @Ops team", ["ops", "ops-team"]],
    ["@Editor.", ["editor"]],
    ["@Editor's", ["editor"]],
    ["@Editor’s", ["editor"]],
    ["@Editor:", ["editor"]],
    ["@Editor—now", ["editor"]],
    ["**@Editor**", ["editor"]],
    ["~~@Editor~~", ["editor"]],
    ["||@Editor||", ["editor"]],
    ["(@Editor)", ["editor"]],
    ['"@Editor"', ["editor"]],
    ["@@Editor", ["editor"]],
    [".@Editor", ["editor"]],
    ["-@Editor", ["editor"]],
    ["- @Editor: check", ["editor"]],
    ["# @Editor", ["editor"]],
    ["<@Editor>", ["editor"]],
    ["👋@Editor", ["editor"]],
    ["@Editor👋", ["editor"]],
    ["请问@Editor 怎么看", ["editor"]],
    ["質問です@Editor", ["editor"]],
    ["\u2067@\u2068Editor\u2069\u2069", ["editor"]],
    ["[@Editor](not an address)", ["editor"]],
    ["[@Editor]", ["editor"]],
    ["\\\\@Editor", ["editor"]],
    ["@Ops\\-team", ["ops-team"]],
    ["> quoted\n@Editor", ["editor"]],
    [">@Editor", ["editor"]],
    ["a > @Editor", ["editor"]],
    ["it's a ` lone backtick, @Editor", ["editor"]],
    ["one ` here\n\n@Editor and ` there", ["editor"]],
    ["`` two @Ops ` and @Editor", ["ops", "editor"]],
    ["write ``` to begin, @Editor", ["editor"]],
    ["\\`@Editor\\`", ["editor"]],
    ["`code`@Editor`code`", ["editor"]],
    ["```js\ncode\n``` @Editor", ["editor"]],
    ["~~~\n@Editor\n~~~", ["editor"]],
    ["see https://example.com @Editor", ["editor"]],
    ["<https://example.com>@Editor", ["editor"]],
    ["either @Ops/@Editor", ["ops", "editor"]],
    ["e.g. @Ops / @Editor", ["ops", "editor"]],
  ])("by %j: %j", (text, expected) => {
    expect(named(text)).toEqual(expected);
  });
});

describe("nobody is named", () => {
  it.each([
    [""],
    ["Editor, please look"],
    ["@ Editor"],
    ["@Editors"],
    ["@Editor2"],
    ["@Editor_"],
    ["@Editor-in-chief"],
    ["@Editor\u2011in\u2011chief"],
    ["@Editor\u0301"],
    ["@Editorа"],
    ["@Editor你好"],
    ["@\u200bEditor"],
    ["bob@editor.com"],
    ["bob_@editor"],
    ["first-@editor.com"],
    ["é@editor"],
    ["e\u0301@editor"],
    ["9@editor"],
    ["@nobody@editor"],
    ["_@Editor_"],
    ["@everyone"],
    ["@here"],
    ["@ops_team"],
    ["\\@Editor"],
    ["`@Editor`"],
    ["``@Editor ` @Ops``"],
    ["`one\n@Editor`"],
    ["a ``` @Editor ``` b"],
    ["```\n@Editor\n```"],
    ["```js\n@Editor\n```"],
    ["```@Editor"],
    ["```ts\nconst a = 1; // @Editor"],
    ["- item\n  ```\n  @Editor\n  ```"],
    ["> @Editor"],
    ["  > @Editor"],
    ["first\n> @Editor\n> @Ops"],
    [">>> @Editor\n@Ops\n\n@Researcher"],
    ["> ```\n> @Editor\n> ```"],
    ["> `@Editor\n> @Ops`"],
    ["https://example.com/@editor"],
    ["https://example.com/@editor/post?x=@ops"],
    ["<https://example.com/@editor>"],
    ["medium.com/@editor/story"],
    ["[text](https://example.com/@editor)"],
    ["[text](<https://example.com/ @editor>)"],
    ["[ask @Editor](https://example.com)"],
    ['[text](https://example.com/a_(b)/@editor "@ops")'],
    ["mailto:@editor://x @editor_"],
    ["ssh://@editor"],
    ["请看https://example.com/@editor"],
    ["bücher.de/@editor"],
    ["@allison"],
    ["@all-hands"],
    ["\\@all"],
  ])("by %j", (text) => {
    expect(named(text)).toEqual([]);
  });
});

describe("@all", () => {
  it.each(["@all", "@ALL!", "hey @all, look", "**@all**"])(
    "names every member in order: %j",
    (text) => {
      expect(named(text)).toEqual(EVERYONE);
    },
  );

  it("adds those that were not named before", () => {
    expect(named("@Editor first, then @all")).toEqual([
      "editor",
      "all:ops",
      "all:ops-team",
      "all:researcher",
    ]);
  });

  it("counts once when a member is named after it", () => {
    expect(named("@all, you too @Editor")).toEqual(EVERYONE);
  });

  it("gives way to a longer display name", () => {
    const members = [...MEMBERS, member("hands", "All hands")];
    expect(named("@All hands on deck", members)).toEqual(["hands"]);
    expect(named("@all handsome ones", members)).toHaveLength(5);
  });

  it("wins over a member of that display name, who is named with the rest", () => {
    expect(named("@All", [member("crowd", "All"), member("x", "X")])).toEqual([
      "all:crowd",
      "all:x",
    ]);
  });
});

describe("a display name", () => {
  it.each([
    ["Dr. No!", "ask @dr. no! now"],
    ["Dr. No!", "@Dr. No!!"],
    ["🤖 Robo", "@🤖 robo"],
    ["Bot 🤖", "@Bot 🤖, hi"],
    ["❤️", "@❤ you"],
    ["❤", "@❤️ you"],
    ["编辑", "@编辑，你好"],
    ["محرر", "\u200f@محرر، ما رأيك؟"],
    ["Éditeur", "@E\u0301DITEUR"],
    ["E\u0301diteur", "@éditeur"],
    ["Straße", "@STRASSE"],
    ["ﬁxer", "@FIXER"],
    ["Ἀθηνᾶ", "@ἈΘΗΝᾶ"],
    ["ΟΔΟΣ", "@οδος"],
    ["Code_Bot", "@code\\_bot"],
    ["A*B", "@a\\*b"],
    ["(Ana)", "(@(Ana))"],
    ["½ life", "@½ life"],
  ])("%j is found in %j", (displayName, text) => {
    expect(named(text, [member("x1", displayName)])).toEqual(["x1"]);
  });

  it.each([
    ["👩", "@👩‍💻"],
    ["👍", "@👍🏽"],
    ["e", "@é"],
    ["e", "@e\u0301"],
  ])("%j is not found in %j, which is another character", (displayName, text) => {
    expect(named(text, [member("x1", displayName)])).toEqual([]);
  });

  it("wins over the permanent name of another member", () => {
    const members = [member("editor", "Writer"), member("second", "Editor")];
    expect(named("@editor", members)).toEqual(["second"]);
    expect(named("@writer", members)).toEqual(["editor"]);
  });
});

describe("naming in any text", () => {
  const pieces = fc.constantFrom(
    "@Editor",
    "@ops",
    "@Ops team",
    "@all",
    "`",
    "``",
    "```",
    "\n",
    "\n\n",
    "> ",
    ">>> ",
    " ",
    "\\",
    "[",
    "](",
    ")",
    "https://x.org/",
    "<",
    ">",
    "word",
    "é",
    "你",
    "👩‍💻",
    "_",
    "-",
    "*",
    "||",
    "\u0301",
    "\ud800",
    "x.org/",
  );
  const texts = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""));

  it("gives members of the group only, each once", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const ids = namedIn(text, MEMBERS).map(({ agentId }) => agentId);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(MEMBERS.some(({ agentId }) => agentId === id)).toBe(true);
      }),
    );
  });

  it("is the same in every case and Unicode form", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = named(text);
        expect(named(text.normalize("NFD"))).toEqual(expected);
        expect(
          named(text.replaceAll("Editor", "EDITOR").replaceAll(/@ops(?=\s|$)/gu, "@ＯＰＳ")),
        ).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds a name on a line of its own after any closed text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", " ", "\n", ".", "*", "你") }),
        (text) => {
          expect(named(`${text}\n@Editor`)).toEqual(["editor"]);
        },
      ),
    );
  });

  it("finds nothing in a code block, whatever is in it", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(named(`\`\`\`\n${text.replaceAll("`", "")}\n\`\`\``)).toEqual([]);
      }),
    );
  });

  it("stays quick on hostile text", () => {
    for (const piece of [
      "[",
      "`",
      "` ",
      "`` `",
      "a",
      "a.",
      "@",
      "@ops ",
      "[](",
      "> ",
      "\\",
      "https:",
      "```x",
    ]) {
      expect(named(piece.repeat(50_000)).length).toBeLessThanOrEqual(4);
    }
  }, 20_000);
});
