import type { PromptMessage } from "../domain/prompts/exchanges.js";
import { shorten } from "../domain/shorten.js";

/** Of an answer that did not fit: enough for its model to see what was wrong, whatever it wrote. */
const ANSWER_CHARACTERS = 4_000;

/** What a model is shown when it is asked once more: the beginning of its answer, and what to do. */
export function corrected(answer: string, correction: string): readonly PromptMessage[] {
  return [
    { role: "assistant", text: shorten(answer, ANSWER_CHARACTERS) },
    { role: "user", text: correction },
  ];
}
