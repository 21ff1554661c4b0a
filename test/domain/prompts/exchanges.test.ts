import { expect, it } from "vitest";
import { type Exchange, promptOf } from "../../../src/domain/prompts/exchanges.js";

const BUDGET = 2_000;
const heard = (text: string): Exchange["heard"] => [{ parts: [text], pictures: [] }];
/** About so many tokens. */
const words = (tokens: number) => "word ".repeat(tokens).trim();

it("drops old exchanges once per step, however long the reply was that came right after", () => {
  const past: Exchange[] = [];
  const starts: string[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const asked = { heard: heard(`${turn}: ${words(40)}`), said: null };
    const prompt = promptOf({
      system: "You are Ada.",
      exchanges: [...past, asked],
      omitted: 0,
      tokenBudget: BUDGET,
    });
    starts.push(prompt[1]?.text ?? "");
    const isCut = starts.length > 1 && starts.at(-1) !== starts.at(-2);
    // The longest replies come right where the beginning has just moved.
    past.push({ ...asked, said: words(isCut ? 400 : 60) });
  }
  const moved = starts.map((start, turn) => turn > 0 && start !== starts[turn - 1]);
  expect(moved.filter(Boolean).length).toBeGreaterThan(2);
  expect(moved.some((isMoved, turn) => isMoved && moved[turn + 1])).toBe(false);
});
