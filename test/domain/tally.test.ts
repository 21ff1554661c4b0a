import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ballot, resultOf, type Vote } from "../../src/domain/ballot.js";
import { displayWidth } from "../../src/domain/columns.js";
import { type AgentId, asId } from "../../src/domain/ids.js";
import { resultTable, resultText } from "../../src/domain/tally.js";

const ballot = (change: Partial<Ballot> = {}): Ballot => ({
  question: "Shall we?",
  options: ["Yes", "No", "Later"],
  voters: [],
  isSecret: false,
  quorum: null,
  ...change,
});

const agent = (index: number) => asId<AgentId>(`a${index}`);
const votes = (...choices: readonly (string | null)[]): readonly Vote[] =>
  choices.map((choice, index) => ({ agentId: agent(index), choice, reason: "So." }));
const nameOf = (id: string) => id.toUpperCase();

describe("the table", () => {
  it("shows every option with a bar and a number, and abstentions apart", () => {
    expect(resultTable(resultOf(ballot(), votes("Yes", "No", "Yes", null)))).toEqual([
      "Yes       ████████ 2",
      "No        ████     1",
      "Later              0",
      "abstained ░░░░     1",
    ]);
  });

  it("does not call abstentions what an option is called", () => {
    const options = ["Abstained", "Yes"];
    const [first, , last] = resultTable(resultOf(ballot({ options }), votes("Abstained", null)));
    expect(first).toMatch(/^Abstained/u);
    expect(last).toMatch(/^no vote .*1$/u);
  });

  it("fits the screen of a phone whatever the options are", () => {
    const option = fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" });
    fc.assert(
      fc.property(fc.uniqueArray(option, { minLength: 2, maxLength: 10 }), (options) => {
        const result = resultOf(ballot({ options }), votes(options[0] ?? null, null));
        for (const line of resultTable(result)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(30);
          expect(line).not.toMatch(/[\n`]/);
        }
      }),
    );
  });
});

describe("the tally", () => {
  it("tells options apart that begin alike", () => {
    const options = ["Move the meeting to Monday", "Move the meeting to Friday", "Leave it"];
    const result = resultOf(ballot({ options }), votes(options[1] ?? null, options[1] ?? null));
    expect(resultText({ result }, nameOf).split("\n")).toEqual([
      "**Vote: Shall we?**",
      "```",
      "1 Move the meet…          0",
      "2 Move the meet… ████████ 2",
      "3 Leave it                0",
      "```",
      "1. Move the meeting to Monday",
      "2. Move the meeting to Friday",
      "3. Leave it",
      "Result: Move the meeting to Friday, with 2 votes.",
      "- A0: **Move the meeting to Friday**: So.",
      "- A1: **Move the meeting to Friday**: So.",
    ]);
  });

  it("says in one line for each member why it abstained", () => {
    const result = resultOf(ballot(), votes("Yes", null, null, null));
    const missed = [
      { agentId: agent(1), failure: "invalid" as const },
      { agentId: agent(2), failure: "timeout" as const },
    ];
    expect(resultText({ result, missed }, nameOf).split("\n").slice(-4)).toEqual([
      "- A0: **Yes**: So.",
      "- A1: abstained (no valid answer)",
      "- A2: abstained (its model took too long)",
      "- A3: abstained",
    ]);
  });

  it("of a secret vote says how many could not vote, and not who", () => {
    const result = resultOf(ballot({ isSecret: true }), votes("Yes", null));
    const missed = [{ agentId: agent(1), failure: "timeout" as const }];
    const text = resultText({ result, missed }, nameOf);
    expect(text.split("\n").at(-1)).toBe("-# 1 of the 2 could not vote.");
    expect(text).not.toContain("A1");
  });

  it("fits one message also with ten options of eighty characters and a long question", () => {
    const options = Array.from({ length: 10 }, (_, index) => `${index} ${"w".repeat(78)}`);
    const cast = votes(...options.slice(0, 6)).map((vote) => ({
      ...vote,
      reason: "r".repeat(300),
    }));
    const result = resultOf(ballot({ options, question: "q".repeat(300) }), cast);
    const text = resultText({ result }, nameOf);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toContain(`10. ${options[9]}`);
    expect(text).toContain("- A0: **option 1**");
  });
});
