import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/domain/errors.js";
import {
  checkCategory,
  checkDisplayName,
  checkName,
  countCharacters,
  deriveName,
  displayNameKey,
  findNamed,
  fold,
  normaliseDisplayName,
  stripAt,
} from "../../src/domain/names.js";

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError && error.code === "invalid") return error.message;
    throw error;
  }
  throw new Error("was not refused");
}

describe("a permanent name", () => {
  it.each(["a", "7", "editor", "reading-room", "a--b", "x".repeat(32), "allan", "here-now"])(
    "may be %s",
    (name) => {
      expect(checkName(name)).toBe(name);
    },
  );

  it("loses the whitespace around it", () => {
    expect(checkName("  editor\n")).toBe("editor");
  });

  it.each([
    ["", "must not be empty"],
    ["   ", "must not be empty"],
    ["Editor", "lower-case"],
    ["rédac", "lower-case"],
    ["two words", "lower-case"],
    ["under_score", "lower-case"],
    ["@editor", "lower-case"],
    ["x".repeat(33), "33 characters"],
    ["-a", "start and end"],
    ["a-", "start and end"],
    ["-", "start and end"],
    ["all", "reserved"],
    ["everyone", "reserved"],
    ["here", "reserved"],
    ["only", "reserved"],
    ["my-discord-bot", '"discord"'],
    ["clyde2", '"clyde"'],
  ])("is refused when it is %j, saying why", (name, reason) => {
    expect(refusal(() => checkName(name))).toContain(reason);
  });

  it("is refused in one line even when it is long and has line breaks", () => {
    const sentence = refusal(() => checkName(`a\n${"b".repeat(500)}`));
    expect(sentence).not.toContain("\n");
    expect(sentence.length).toBeLessThan(200);
  });
});

describe("a name derived from a display name", () => {
  it.each([
    ["Reading room", "reading-room"],
    ["  Ops   Team  ", "ops-team"],
    ["Zoë", "zoe"],
    ["Ångström", "angstrom"],
    ["Łódź & Straße", "lodz-strasse"],
    ["Don't panic", "dont-panic"],
    ["R2-D2", "r2-d2"],
    ["(beta) v2.0", "beta-v2-0"],
    ["🤖 Robo 🤖", "robo"],
    ["Ｆｕｌｌ ｗｉｄｔｈ", "full-width"],
    ["a".repeat(31) + " bc", "a".repeat(31)],
  ])("of %j is %s", (displayName, name) => {
    expect(deriveName(displayName)).toBe(name);
  });

  it.each(["编辑", "🤖", "محرر", "--", "!"])("of %j cannot be made, and says so", (displayName) => {
    expect(refusal(() => deriveName(displayName))).toContain("give a name of your own");
  });

  it.each(["All", "Only!", "Dis&#99;cord Clyde"])(
    "of %j would not be allowed, and says so",
    (displayName) => {
      expect(refusal(() => deriveName(displayName))).toContain("give a name of your own");
    },
  );

  it("is always an allowed name or a refusal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (displayName) => {
        try {
          const name = deriveName(displayName);
          expect(checkName(name)).toBe(name);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});

describe("a display name", () => {
  it.each([
    ["Editor", "Editor"],
    ["  Reading \t room ", "Reading room"],
    ["编辑", "编辑"],
    ["e\u0301diteur", "éditeur"],
    ["👨‍👩‍👧‍👦 Family", "👨‍👩‍👧‍👦 Family"],
    ["❤️ Bot", "❤️ Bot"],
    ["1️⃣ First", "1️⃣ First"],
    [
      "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
      "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    ],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["क्\u200dष", "क्\u200dष"],
    ["Dr. No!", "Dr. No!"],
    ["A", "A"],
    ["`code`", "`code`"],
    ["everyone else", "everyone else"],
    ["Groundsphere", "Groundsphere"],
    ["é".repeat(32), "é".repeat(32)],
    ["👍🏽".repeat(20), "👍🏽".repeat(20)],
  ])("given as %j is stored as %j", (given, stored) => {
    expect(checkDisplayName(given)).toBe(stored);
  });

  it.each([
    ["", "must not be empty"],
    [" \u00a0\u3000 ", "must not be empty"],
    ["two\nlines", "one line"],
    ["two\u2028lines", "one line"],
    ["two\rlines", "one line"],
    ["a".repeat(33), "33 characters: at most 32"],
    ["é".repeat(33), "33 characters: at most 32"],
    ["a@b", '"@"'],
    ["a＠b", '"@"'],
    ["#1", '"#"'],
    ["a:b", '":"'],
    ["a：b", '":"'],
    ["a```b", "three backticks"],
    ["Law, money", "commas separate"],
    ["Law，money", "commas separate"],
    ["ALL", "reserved words"],
    ["Ｏnly", "reserved words"],
    ["My DisCord", '"discord"'],
    ["ｄｉｓｃｏｒｄ", '"discord"'],
    ["Clyde", '"clyde"'],
    ["Everyone", '"everyone"'],
    ["HERE", '"here"'],
    ["ｈｅｒｅ", '"here"'],
    ["\u200b", "invisible"],
    ["Edi\u200btor", "invisible"],
    ["Edi\u200dtor", "invisible"],
    ["dis\u200ccord", "invisible"],
    ["\u202eEditor", "invisible"],
    ["\u3164", "invisible"],
    ["\u115f\u1160", "invisible"],
    ["\u2800", "invisible"],
    ["a\u0000b", "invisible"],
    ["a\ud800", "invisible"],
    ["a\ufe0f\ufe0f", "invisible"],
    ["a\u{e0041}", "invisible"],
    ["\u0301", "invisible"],
    ["\ue000", "invisible"],
    ["👨‍👩‍👧‍👦".repeat(10), "too long for Discord"],
  ])("is refused when it is %j, saying why", (given, reason) => {
    expect(refusal(() => checkDisplayName(given))).toContain(reason);
  });

  it("that was accepted is accepted again unchanged and fits a webhook", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (given) => {
        let stored: string;
        try {
          stored = checkDisplayName(given);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          return;
        }
        expect(checkDisplayName(stored)).toBe(stored);
        expect(stored).toBe(stored.trim());
        expect(stored).not.toMatch(/\s\s|\n/u);
        expect(stored.length).toBeLessThanOrEqual(80);
        expect(countCharacters(stored)).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe("two display names", () => {
  it.each([
    ["Editor", "EDITOR"],
    ["Straße", "STRASSE"],
    ["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
    ["Ｅｄｉｔｏｒ", "editor"],
    ["ﬁle", "FILE"],
    ["é", "e\u0301"],
    ["Reading  room", "reading\u00a0room "],
    ["❤️", "❤"],
  ])("%j and %j are the same name", (one, other) => {
    expect(displayNameKey(one)).toBe(displayNameKey(other));
  });

  it.each([
    ["Editor", "Editors"],
    ["e", "é"],
    ["Ops team", "Opsteam"],
    ["می\u200cخواهم", "میخواهم"],
  ])("%j and %j are different names", (one, other) => {
    expect(displayNameKey(one)).not.toBe(displayNameKey(other));
  });

  it("have keys that are their own keys, whatever the character", () => {
    const unstable: string[] = [];
    // Nothing above has case or a compatibility form.
    for (let point = 0; point < 0x30000; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      const folded = fold(character);
      if (folded === character && character.toUpperCase() === character) continue;
      if (fold(folded) !== folded || fold(folded.toUpperCase()) !== folded) {
        unstable.push(point.toString(16));
      }
    }
    expect(unstable).toEqual([]);
  });

  it("are normalised once and for all", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = normaliseDisplayName(text);
        expect(normaliseDisplayName(once)).toBe(once);
      }),
    );
  });
});

describe("a name that somebody types", () => {
  const editor = { name: "editor", displayName: "Éditeur en chef" };
  const writer = { name: "writer", displayName: "Editor" };

  it.each([
    ["@editor", "editor"],
    ["  @ Editor ", "Editor"],
    ["＠Editor", "Editor"],
    ["@@editor", "@editor"],
    ["editor", "editor"],
    ["@", ""],
  ])("%j is read as %j", (typed, read) => {
    expect(stripAt(typed)).toBe(read);
  });

  it.each([
    ["EDITOR", editor],
    ["@éditeur  EN chef", editor],
    ["e\u0301diteur en chef", editor],
    ["@Writer", writer],
    ["nobody", undefined],
    ["", undefined],
    ["@", undefined],
  ])("%j finds the right one", (typed, found) => {
    expect(findNamed(typed, [writer, editor])).toBe(found);
  });

  it("finds a display name when no permanent name is the same", () => {
    expect(findNamed("editor", [writer])).toBe(writer);
  });
});

describe("a category", () => {
  it.each([
    ["Agents", "Agents"],
    [" agents ", "Agents"],
    ["Agents-lab", "Agents-lab"],
    ["AGENTS-Lab 2", "Agents-Lab 2"],
    ["Agents-研究", "Agents-研究"],
    ["Agents--", "Agents--"],
    [`Agents-${"x".repeat(32)}`, `Agents-${"x".repeat(32)}`],
  ])("of agents given as %j is %j", (given, stored) => {
    expect(checkCategory(given, "Agents")).toBe(stored);
  });

  it.each([
    ["", "is neither"],
    ["Groups", "is neither"],
    ["Archive", "is neither"],
    ["Agentsx", "is neither"],
    ["Agents lab", "is neither"],
    ["Agents-", "is empty"],
    ["Agents-  ", "is empty"],
    ["Agents-a\nb", "line breaks"],
    [`Agents-${"x".repeat(33)}`, "has 33"],
    ["Agents-\u200b", "invisible"],
    [`Agents-${"👨‍👩‍👧‍👦".repeat(12)}`, "too long for Discord"],
  ])("of agents is refused when it is %j, saying why", (given, reason) => {
    expect(refusal(() => checkCategory(given, "Agents"))).toContain(reason);
  });

  it("of groups has its own root", () => {
    expect(checkCategory("groups-x", "Groups")).toBe("Groups-x");
    expect(refusal(() => checkCategory("Agents", "Groups"))).toContain('"Groups"');
  });
});
