import { describe, expect, it } from "vitest";
import { leadingSentence } from "../../src/domain/sentences.js";

describe("the leading sentence", () => {
  it.each([
    ["It is warm. It is good.", "It is warm."],
    ["It is\n warm", "It is warm"],
    ["No. It is too late! Go home.", "No. It is too late!"],
    ["1. Because it is warm. 2. So.", "1. Because it is warm."],
    ["I would trust Dr. Grey here. Not me.", "I would trust Dr. Grey here."],
    ["Costs are lower, e.g. for tea. Good.", "Costs are lower, e.g. for tea."],
    ["Version 2.5 is better? Yes.", "Version 2.5 is better?"],
    ["这样更好。大家都同意。", "这样更好。"],
    ["", ""],
    ["Yes.", "Yes."],
  ])("of %j is %j", (text, sentence) => {
    expect(leadingSentence(text)).toBe(sentence);
  });
});
