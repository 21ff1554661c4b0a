import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cell, cutTo, displayWidth, fit } from "../../src/domain/columns.js";

describe("the width of a text", () => {
  it.each([
    ["Editor", 6],
    ["", 0],
    ["é", 1],
    ["e\u0301", 1],
    ["編集者", 6],
    ["편집자", 6],
    ["ﾃｽﾄ", 3],
    ["✓", 1],
    ["▓░", 2],
    ["🦊 fox", 6],
    ["👩‍🔬", 2],
    ["🇨🇭", 2],
    ["❤️", 2],
  ])("of %s is %i columns", (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe("a column", () => {
  it.each([
    ["Editor", "Editor  "],
    ["Researchers", "Researc…"],
    ["編集者", "編集者  "],
    ["編集者たち", "編集者… "],
  ])("holds %s as %s", (text, expected) => {
    expect(fit(text, 8)).toBe(expected);
  });

  it("can stand at the right", () => {
    expect(fit("12→3", 6, "right")).toBe("  12→3");
  });

  it("is exactly as wide as asked, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 30 }),
        (text, columns) => {
          expect(displayWidth(fit(text, columns))).toBe(columns);
          expect(displayWidth(cutTo(text, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it("cannot end the block that it stands in", () => {
    expect(cell("a ```\nb\u0007 ` ")).toBe("a ''' b '");
  });
});
