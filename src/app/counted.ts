/** The tokens of a call as they are counted: as the endpoint tells them, or estimated. */
import { estimateTokens } from "../domain/usage.js";
import type { ModelReply, ModelRequest, TokenUsage } from "../ports/model.js";

/** No call takes more; an endpoint that says so is not believed. */
const MOST_TOKENS = 10_000_000;
/** Of one picture, which no text tells. */
const PICTURE_TOKENS = 1_000;

export interface Counted {
  readonly tokens: TokenUsage;
  /** At least in part. */
  readonly isEstimated: boolean;
}

/**
 * What a call that succeeded took. Endpoints leave the numbers out, or give some that cannot be: then
 * the texts are estimated, since a budget that counts nothing is none.
 */
export function counted(request: ModelRequest, reply: ModelReply): Counted {
  const told = reply.usage;
  const input = isCount(told?.inputTokens, 1) ? told.inputTokens : null;
  const said = saidIn(reply);
  const output = isCount(told?.outputTokens, said === "" ? 0 : 1) ? told.outputTokens : null;
  const inputTokens = input ?? estimateOf(request);
  const cached = told?.cachedTokens;
  return {
    tokens: {
      inputTokens,
      outputTokens: output ?? estimateTokens(said),
      cachedTokens: isCount(cached, 0) && cached <= inputTokens ? cached : 0,
    },
    isEstimated: input === null || output === null,
  };
}

function isCount(value: number | undefined, least: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= MOST_TOKENS;
}

function estimateOf({ messages, tools, answer }: ModelRequest): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += estimateTokens(message.text);
    if (message.role === "assistant") tokens += estimateTokens(callsOf(message.toolCalls));
    if (message.role === "user") tokens += (message.images?.length ?? 0) * PICTURE_TOKENS;
  }
  return tokens + estimateTokens(JSON.stringify([tools ?? [], answer ?? []]));
}

function saidIn({ text, toolCalls }: ModelReply): string {
  return text + callsOf(toolCalls);
}

function callsOf(calls: ModelReply["toolCalls"] = []): string {
  return calls.map(({ name, argumentsJson }) => `${name} ${argumentsJson}`).join("");
}
