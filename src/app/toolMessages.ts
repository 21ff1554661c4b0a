/** What the tools of a turn have said so far, as its model is shown it. */
import { MAX_TOOL_STEPS } from "../domain/limits.js";
import { cutAtTokens, levelOf } from "../domain/prompts/parts.js";
import { callsOf, type DirectRound, stepsLeft } from "../domain/round/direct.js";
import { estimateTokens } from "../domain/usage.js";
import type { ModelMessage } from "../ports/model.js";

/** Of each result so much is shown, however little room there is. */
const MIN_RESULT_TOKENS = 100;

/**
 * The calls of the round and what came of them. Long results, such as a channel that was read, are
 * shortened alike until together they have no more than half of the budget.
 */
export function toolMessages(state: DirectRound, tokenBudget: number): readonly ModelMessage[] {
  const results = callsOf(state).map(({ result }) => estimateTokens(result ?? ""));
  const most = Math.max(MIN_RESULT_TOKENS, levelOf(results, Math.floor(tokenBudget / 2)));
  const messages = state.exchanges.flatMap(({ text, calls }): readonly ModelMessage[] => [
    {
      role: "assistant",
      text,
      toolCalls: calls.map(({ id, name, argumentsJson }) => ({ id, name, argumentsJson })),
    },
    ...calls.map(({ id, result }) => ({
      role: "tool" as const,
      callId: id,
      text: cutAtTokens(result ?? "It did not run.", most),
    })),
  ]);
  if (stepsLeft(state) > 0) return messages;
  return [
    ...messages,
    {
      role: "user",
      text: `(All ${MAX_TOOL_STEPS} tool steps of this turn are used. Answer in words now.)`,
    },
  ];
}

/** Their tokens, calls included. */
export function tokensOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    const given = calls.map(({ name, argumentsJson }) => name + argumentsJson).join("");
    return sum + estimateTokens(message.text) + estimateTokens(given);
  }, 0);
}
