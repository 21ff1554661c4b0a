import { describe, expect, it } from "vitest";
import { jsonIn } from "../../../src/adapters/openai/text.js";

describe("jsonIn", () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    [' {"a":1}\n', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['```\n{"a":1}```', '{"a":1}'],
    ['Sure:\n```json\n{"a":1}\n```\nBye.', '{"a":1}'],
    ['Sure: {"a":1}. Bye {you}.', '{"a":1}'],
    ['{"a":"}{"} and', '{"a":"}{"}'],
    ['{"a":"\\"}"} and', '{"a":"\\"}"}'],
    ['Not {this} but {"a":{"b":1}}', '{"a":{"b":1}}'],
    ['{} is empty, {"a":1} is not', '{"a":1}'],
    ['{"a":', '{"a":'],
    ["none", "none"],
    ["", ""],
  ])("%j holds %j", (text, expected) => {
    expect(jsonIn(text)).toBe(expected);
  });

  it("does not take forever on text that is full of braces", () => {
    const text = "{".repeat(400_000);
    expect(jsonIn(text)).toBe(text);
  });
});
