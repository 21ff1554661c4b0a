/** How much of a conversation a model is shown, when it cannot take as much as it should. */
import type { PromptMessage } from "../domain/prompts/exchanges.js";
import { ModelError, type ModelMessage } from "../ports/model.js";
import { tokensOf } from "./toolMessages.js";

/** What a model is shown in one call. */
interface Shown {
  readonly prompt: readonly PromptMessage[];
  /** What its tools have said since. */
  readonly after: readonly ModelMessage[];
}

/**
 * The room of one turn. A model that finds the prompt too long is asked once more with half of what
 * it was shown, and from then on in this turn with that.
 */
export class Room {
  readonly #shownFor: (tokenBudget: number) => Shown;
  readonly #tokenBudget: number;
  #shown: Shown;
  #isHalved = false;

  constructor(tokenBudget: number, shownFor: (tokenBudget: number) => Shown) {
    this.#tokenBudget = tokenBudget;
    this.#shownFor = shownFor;
    this.#shown = shownFor(tokenBudget);
  }

  /** Rejects as the call does: with kind "too-long" when half was too long as well. */
  async ask<T>(call: (shown: Shown) => Promise<T>): Promise<T> {
    try {
      return await call(this.#shown);
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.kind === "too-long";
      if (!isTooLong || !this.#halve()) throw error;
      return call(this.#shown);
    }
  }

  /** False when it was done before, or when nothing can be left out. */
  #halve(): boolean {
    if (this.#isHalved) return false;
    this.#isHalved = true;
    const tokens = tokensIn(this.#shown);
    // What fills less than the budget would not become shorter by half of that.
    const shorter = this.#shownFor(Math.floor(Math.min(this.#tokenBudget, tokens) / 2));
    if (tokensIn(shorter) >= tokens) return false;
    this.#shown = shorter;
    return true;
  }
}

/** Of the conversation and of what tools have said: what an agent is stays. */
function tokensIn({ prompt, after }: Shown): number {
  return tokensOf([...prompt.filter(({ role }) => role !== "system"), ...after]);
}
