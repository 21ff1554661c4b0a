import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/domain/usage.js";

describe("the token estimate", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["abcd", 1],
    ["abcde", 2],
    ["é", 1],
    ["你好", 2],
    ["👍", 1],
    ["你好 abc", 3],
    ["a\u007f", 1],
    ["\u0080", 1],
  ])("of %j is %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("never sinks when a text grows", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (one, other) => {
          expect(estimateTokens(one + other)).toBeGreaterThanOrEqual(estimateTokens(one));
        },
      ),
    );
  });
});
