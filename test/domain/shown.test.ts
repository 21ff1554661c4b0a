import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isShown } from "../../src/domain/shown.js";

describe("a text of which Discord shows nothing", () => {
  it.each([
    "",
    " \n\t ",
    "\u200b\u2060\ufeff",
    "\u3164 \u115f\u2800",
    "** **",
    "**\u200b**",
    "_ _",
    "__ __",
    "*  *",
    "***\u00a0***",
    "~~ ~~",
    "|| ||",
    "||||",
    "||\u200b||",
    "****",
    "**",
    "**_ _**",
    "** **\n\n_ _",
    "> ** **",
    "> \n> \u200b",
    ">>> _ _",
    "# ** **",
    "-# _ _",
    "``",
    "```\n\n```",
    "```js\n```",
    "```",
  ])("is known: %j", (text) => {
    expect(isShown(text)).toBe(false);
  });

  it.each([
    "a",
    "**a**",
    "||a||",
    "> a",
    "😀",
    "❤️",
    "…",
    "?",
    "-",
    "---",
    "*",
    "_",
    "|",
    "~",
    "#",
    ">",
    "\\*\\*",
    "`**`",
    "`||`",
    "```\n**\n```",
    "```js```",
    "| | |",
    "~ ~",
    "<:ok:1>",
    "https://a.org",
    "** **.",
  ])("is not taken for one: %j", (text) => {
    expect(isShown(text)).toBe(true);
  });

  it("is known in time, however much there is of it", () => {
    for (const much of ["\u{e0020}", "* ", "_ _\n", "> ", "`", "||", " "]) {
      expect(isShown(much.repeat(200_000))).toBe(false);
    }
  });

  it("never has a letter in it", () => {
    const sign = fc.constantFrom("*", "_", "~", "|", "`", ">", "#", " ", "\n", "\u200b", "\\", "a");
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 30 }), (text) => {
        // The name of a language is the one word that a code block does not show.
        if (/```a+\n/u.test(text)) return;
        expect(isShown(`${text}\nb ${text}`)).toBe(true);
      }),
    );
  });
});
