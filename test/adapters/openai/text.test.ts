import { describe, expect, it } from "vitest";
import { jsonIn, withoutThoughts } from "../../../src/adapters/openai/text.js";

describe("withoutThoughts", () => {
  it.each([
    ["Hello.", "Hello."],
    ["<think>a</think>Hello.", "Hello."],
    ["\n<think>a</think>\n<think>b</think>\n\nHello.", "Hello."],
    ["<thinking>a</thinking> Hello.", "Hello."],
    ["<THINK>a</THINK> Hello.", "Hello."],
    ["<think></think>", ""],
    ["<think>it never ends", ""],
    ["They want it short.\n</think>\n\nHello.", "Hello."],
    ["Use <think> tags.", "Use <think> tags."],
    ["Write `<think>a</think>` first.", "Write `<think>a</think>` first."],
    ["A block ends with </think> there.", "A block ends with </think> there."],
  ])("%j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });
});

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
