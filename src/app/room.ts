/** How much of a conversation a model is shown, when it cannot take as much as it should. */
import type { PromptMessage } from "../domain/prompts/exchanges.js";
import { estimateTokens } from "../domain/usage.js";
import { ModelError } from "../ports/model.js";

/**
 * The room of one turn. A model that finds the prompt too long is asked once more with half of the
 * conversation, and from then on in this turn with that.
 */
export class Room {
  readonly #promptFor: (tokenBudget: number) => readonly PromptMessage[];
  readonly #tokenBudget: number;
  #prompt: readonly PromptMessage[];
  #isHalved = false;

  constructor(tokenBudget: number, promptFor: (tokenBudget: number) => readonly PromptMessage[]) {
    this.#tokenBudget = tokenBudget;
    this.#promptFor = promptFor;
    this.#prompt = promptFor(tokenBudget);
  }

  /** Rejects as the call does: with kind "too-long" when half was too long as well. */
  async ask<T>(call: (prompt: readonly PromptMessage[]) => Promise<T>): Promise<T> {
    try {
      return await call(this.#prompt);
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.kind === "too-long";
      if (!isTooLong || !this.#halve()) throw error;
      return call(this.#prompt);
    }
  }

  /** False when it was done before, or when nothing can be left out. */
  #halve(): boolean {
    if (this.#isHalved) return false;
    this.#isHalved = true;
    const tokens = tokensIn(this.#prompt);
    // A conversation that fills less than the budget would not become shorter by half of that.
    const shorter = this.#promptFor(Math.floor(Math.min(this.#tokenBudget, tokens) / 2));
    if (tokensIn(shorter) >= tokens) return false;
    this.#prompt = shorter;
    return true;
  }
}

/** Of the conversation: what an agent is stays. */
function tokensIn(prompt: readonly PromptMessage[]): number {
  return prompt
    .filter(({ role }) => role !== "system")
    .reduce((sum, { text }) => sum + estimateTokens(text), 0);
}
