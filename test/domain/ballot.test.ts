import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Ballot,
  checkOptions,
  choiceOf,
  outcomeOf,
  resultOf,
  type Vote,
} from "../../src/domain/ballot.js";
import { type AgentId, asId } from "../../src/domain/ids.js";

const ballot = (change: Partial<Ballot> = {}): Ballot => ({
  question: "Shall we?",
  options: ["Yes", "No", "Later"],
  voters: [],
  isSecret: false,
  quorum: null,
  ...change,
});

const votes = (...choices: readonly (string | null)[]): readonly Vote[] =>
  choices.map((choice, index) => ({ agentId: asId<AgentId>(`a${index}`), choice, reason: "So." }));

const outcome = (given: readonly (string | null)[], change: Partial<Ballot> = {}) =>
  outcomeOf(resultOf(ballot(change), votes(...given)));

describe("the outcome of a vote", () => {
  it.each([
    ["the most votes win", ["Yes", "No", "Yes"], null, { kind: "won", option: "Yes", count: 2 }],
    [
      "two with equally many are a tie",
      ["No", "Yes"],
      null,
      { kind: "tie", options: ["Yes", "No"], count: 1 },
    ],
    [
      "a tie leaves out what has fewer",
      ["Yes", "No", "Yes", "No", "Later"],
      null,
      { kind: "tie", options: ["Yes", "No"], count: 2 },
    ],
    [
      "abstentions do not win",
      [null, null, "Later"],
      null,
      { kind: "won", option: "Later", count: 1 },
    ],
    ["nobody votes", [null, null], null, { kind: "noVotes" }],
    ["a quorum that is reached", ["Yes", "Yes", null], 2, { kind: "won", option: "Yes", count: 2 }],
    ["a quorum that is missed", ["Yes", null, null], 2, { kind: "noQuorum", cast: 1, quorum: 2 }],
  ] as const)("%s", (_what, given, quorum, expected) => {
    expect(outcome(given, { quorum })).toEqual(expected);
  });

  it("depends on the votes and not on their order", () => {
    const choice = fc.constantFrom("Yes", "No", "Later", null);
    fc.assert(
      fc.property(
        fc.array(choice, { maxLength: 16 }),
        fc.infiniteStream(fc.nat()),
        (given, random) => {
          const shuffled = [...given];
          for (let index = shuffled.length - 1; index > 0; index -= 1) {
            const other = (random.next().value ?? 0) % (index + 1);
            [shuffled[index], shuffled[other]] = [shuffled[other] ?? null, shuffled[index] ?? null];
          }
          expect(outcome(shuffled)).toEqual(outcome(given));
        },
      ),
    );
  });
});

describe("a result", () => {
  it("counts every vote once, as an option or as an abstention", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("Yes", "No", "Later", "Nonsense", null)), (given) => {
        const result = resultOf(ballot(), votes(...given));
        const counted = result.counts.reduce((sum, { count }) => sum + count, 0);
        expect(counted + result.abstained).toBe(given.length);
        expect(result.counts.map(({ option }) => option)).toEqual(ballot().options);
      }),
    );
  });

  it("of a secret vote does not hold who voted what", () => {
    const result = resultOf(ballot({ isSecret: true }), votes("Yes", "No"));
    expect(JSON.stringify(result)).not.toContain("a0");
    expect(result.votes).toBeNull();
  });
});

describe("an answer", () => {
  it.each([
    ["Yes", "Yes"],
    ["  yes ", "Yes"],
    ["ＹＥＳ", "Yes"],
    ["Yes.", null],
    ["", null],
    [1, null],
    [undefined, null],
  ])("%j means %j", (given, expected) => {
    expect(choiceOf(["Yes", "No"], given)).toBe(expected);
  });
});

describe("options", () => {
  it("are trimmed, and empty ones are passed over", () => {
    expect(checkOptions([" Yes ", "", "No\n way"])).toEqual(["Yes", "No way"]);
  });

  it.each([
    ["too few", ["Yes"], "2 to 10"],
    ["too many", Array.from({ length: 11 }, (_, index) => `o${index}`), "2 to 10"],
    ["the same twice, in another case", ["Yes", "No", "YES"], "different"],
    ["one that is too long", ["Yes", "x".repeat(81)], "80 characters"],
  ])("are refused: %s", (_what, options, sentence) => {
    expect(() => checkOptions(options)).toThrow(sentence);
  });
});

describe("the options", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["are trimmed, in one line each", [" Yes ", "No\nway"], ["Yes", "No way"]],
    ["lose what nobody sees", ["\u202Ey\u200B", "z\u2060"], ["y", "z"]],
    ["keep what scripts and emoji need", ["👨‍👩‍👧", "می‌خواهم", "❤️"], ["👨‍👩‍👧", "می‌خواهم", "❤️"]],
  ])("%s", (_what, given, options) => {
    expect(checkOptions(given)).toEqual(options);
  });

  it.each<[string, readonly string[], string]>([
    ["look the same", ["a", "a\u200B"], "different from each other"],
    ["differ in a variation selector only", ["❤", "❤️"], "different from each other"],
    ["look like nothing", ["\u200B", "\u3164", "\u0301", "b"], "you gave 1"],
  ])("are refused where they %s", (_what, given, sentence) => {
    expect(() => checkOptions(given)).toThrow(sentence);
  });
});
