import { describe, expect, it } from "vitest";
import { withoutThoughts } from "../../../src/adapters/openai/thoughts.js";
import { completion } from "../../support/modelEndpoint.js";
import { ask, scores, setUp } from "./setup.js";

describe("the thoughts of a model", () => {
  it.each([
    ["<think>a</think>Hello.", "Hello."],
    ["\n<think>a</think>\n<think>b</think>\n\nHello.", "Hello."],
    ["<thinking>a</thinking> Hello.", "Hello."],
    ["<THINK>a</THINK> Hello.", "Hello."],
    ["<think></think>", ""],
    ["<think>it never ends", ""],
    ["<reasoning>a</reasoning>Hello.", "Hello."],
    ["<thought>a</thought>\nHello.", "Hello."],
    ["<seed:think>a</seed:think>Hello.", "Hello."],
    ["[THINK]a[/THINK]Hello.", "Hello."],
    ["◁think▷a◁/think▷Hello.", "Hello."],
    ["<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Hello.<|END_RESPONSE|>", "Hello."],
    [
      "<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>\nHello.\n<|end_of_solution|>",
      "Hello.",
    ],
    ["<|channel>thought\na<channel|>Hello.", "Hello."],
    ["<think>\na\n</think>\n<answer>\nHello.\n</answer>", "Hello."],
  ])("are left out at the beginning: %j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });

  it.each([
    ["Hello. <think>I should ask.</think> How are you?", "Hello. How are you?"],
    ["Hello<think>I should ask.</think> there", "Hello there"],
    ["Hello.\n\n<think>\nNow the end.\n</think>\n\nBye.", "Hello.\n\nBye."],
    ["One:\n<think>a b</think>\n- two\n  - three", "One:\n- two\n  - three"],
    ["One:\n- two\n<think>a b</think>\n  - three", "One:\n- two\n  - three"],
    ["<think>a</think>Hello. <think>Is that all?</think>", "Hello."],
    ["Hello. <think>Is that", "Hello."],
    ["Hello.\n<reasoning>Is that\n\nall", "Hello."],
    ["<think>a</think>Hello.\n\n<thinking>b c</thinking>\nBye.", "Hello.\n\nBye."],
    ["Run `ls`. <think>Is `ls` right?</think> Then `cd`.", "Run `ls`. Then `cd`."],
    ["Hello. <think>```js\nunclosed</think> Bye.", "Hello. Bye."],
  ])("are left out anywhere: %j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });

  it.each([
    "The <think> tag opens, and </think> closes it.",
    "Tags:\n- <think>: opens\n- </think>: closes",
    "What does the model do? <think> is a tag that starts reasoning.",
    "The token <|message|> starts the text and <|end|> ends it.",
  ])("stay where they are only spoken of: %j", (text) => {
    expect(withoutThoughts(text)).toBe(text);
  });

  it.each([
    ["<think>a<think>b</think>c</think>Hello.", "Hello."],
    ["<think>First I <think> about it.</think>Hello.", "Hello."],
    ["<think>I end with `</think>` later.</think>Hello.", "Hello."],
  ])("may hold their own marks: %j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });

  it.each([
    ["They want it short.\n</think>\n\nHello.", "Hello."],
    ["They want it short.</think>Hello.", "Hello."],
    ["They want it short.\n</think>", ""],
    ["They want it.\n[/THINK]\nHello.", "Hello."],
  ])("may have lost their beginning: %j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });

  it.each([
    "Hello.",
    "Use <think> tags.",
    "Put thoughts between <think> and </think> tags.",
    "Write `<think>a b c</think>` first.",
    "So:\n```xml\n<think>\nThey want it short.\n</think>\nHello.\n```\nThat is all.",
    "Begin with:\n```\n<think>a b c",
    "It ends with:\n```\n</think>\n```",
    "A block ends with </think> there.",
    "a < b and b > c, so I <b>think</b> so",
    "I have been thinking. [think]er is no mark",
  ])("are not what is spoken of or shown as code: %j", (text) => {
    expect(withoutThoughts(text)).toBe(text);
  });
});

describe("an answer in channels", () => {
  const START = "<|start|>assistant";
  it.each([
    [
      `<|channel|>analysis<|message|>They ask.<|end|>${START}<|channel|>final<|message|>Hello.<|return|>`,
      "Hello.",
    ],
    [`${START}<|channel|>final<|message|>Hello.`, "Hello."],
    ["<|channel|>final<|message|>One.\n\nTwo.<|end|>", "One.\n\nTwo."],
    ["<|channel|>analysis<|message|>They ask and I", ""],
    ["analysis<|message|>They ask.<|end|><|channel|>final<|message|>Hello.", "Hello."],
    ["<|channel|>analysis<|message|>They ask.<|end|>Hello.", "Hello."],
    ["Hello.<|channel|>analysis<|message|>Is that all?<|end|>", "Hello."],
    [
      `<|channel|>analysis<|message|>a<|end|>${START}<|channel|>commentary<|message|>I look it up.<|end|>`,
      "I look it up.",
    ],
    [`<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a":1}<|call|>`, ""],
    [
      `<|channel|>analysis<|message|>An odd \`\`\` fence<|end|>${START}<|channel|>final<|message|>Hello.`,
      "Hello.",
    ],
    [
      `<|channel|>analysis<|message|>a<|end|>${START}<|channel|>final<|message|>Write \`<|end|>\` there.<|return|>`,
      "Write `<|end|>` there.",
    ],
    ['analysisThe user asks "2+2". Only the word.assistantfinalfour', "four"],
  ])("is what is meant for people: %j is %j", (text, expected) => {
    expect(withoutThoughts(text)).toBe(expected);
  });

  it.each([
    "It writes `<|channel|>analysis<|message|>` first.",
    "So:\n```\n<|channel|>analysis<|message|>a<|end|>\n```",
    "analysis of the data: assistantfinal is no word",
    "The marks <|start|> and <|end|> are special.",
  ])("is not seen in other texts: %j", (text) => {
    expect(withoutThoughts(text)).toBe(text);
  });
});

describe("an answer", () => {
  it("of a structure keeps what its texts hold", async () => {
    const { endpoint, model } = await setUp();
    const text = '{"editor":0.5,"why":"Hello. <think>a b</think> Bye"}';
    endpoint.respond([completion(`<think>a</think>${text}`), completion(text)]);
    expect((await model.complete(ask({ answer: scores }))).text).not.toContain("<think>a</think>{");
    expect((await model.complete(ask({ answer: scores }))).text).toBe(text);
  });

  it("in parts is read without those that are thoughts", async () => {
    const { endpoint, model } = await setUp();
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "They ask." }] },
      { type: "reasoning", text: "They ask." },
      { type: "text", text: "Hello." },
    ];
    endpoint.respond([{ type: "json", body: { choices: [{ message: { content } }] } }]);
    expect((await model.complete(ask())).text).toBe("Hello.");
  });

  it("is read in time, however many marks it has", () => {
    for (const much of ["<think>", "</think>", "<think>a</think>", "a <think> ", "`<think>` "]) {
      withoutThoughts(much.repeat(20_000));
    }
    withoutThoughts("<|channel|>final<|message|>".repeat(20_000));
    withoutThoughts("`<|channel|>` ".repeat(20_000));
    withoutThoughts(`analysis${"x".repeat(1_000_000)}`);
  });
});
