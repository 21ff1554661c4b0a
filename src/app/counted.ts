/**
 * The tokens of a call as they are counted. One rule for calls that succeed and calls that fail:
 * - What the endpoint tells counts.
 * - Where it tells nothing, or what cannot be, and a model may have worked on the request, the
 *   prompt is estimated, and what came back of an answer: none of it when the call failed. A model
 *   may have worked until a time-out or a stop, before an answer broke off or turned out to be none,
 *   and before a connection was reset.
 * - A request that an endpoint refused, or that never reached it, took nothing.
 */
import { estimateTokens } from "../domain/usage.js";
import { ModelError, type ModelReply, type ModelRequest, type TokenUsage } from "../ports/model.js";

/** No call takes more; an endpoint that says so is not believed. */
const MOST_TOKENS = 10_000_000;
/** Of one picture, which no text tells. */
const PICTURE_TOKENS = 1_000;

export interface Counted {
  readonly tokens: TokenUsage;
  /** At least in part. */
  readonly isEstimated: boolean;
}

/** What a call took that answered with this. */
export function counted(
  request: ModelRequest,
  reply: Pick<ModelReply, "text" | "toolCalls" | "usage">,
): Counted {
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

/**
 * What a call took that ended in this error; null: nothing. `wasStopped`: before it began, so that
 * nothing was sent.
 */
export function countedFailure(
  request: ModelRequest,
  error: unknown,
  wasStopped: boolean,
): Counted | null {
  const isStop = !(error instanceof ModelError) && request.signal?.aborted === true && !wasStopped;
  const usage = error instanceof ModelError ? error.usage : isStop ? "unknown" : null;
  if (usage === null) return null;
  return counted(request, { text: "", toolCalls: [], usage: usage === "unknown" ? null : usage });
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

function saidIn({ text, toolCalls }: Pick<ModelReply, "text" | "toolCalls">): string {
  return text + callsOf(toolCalls);
}

function callsOf(calls: ModelReply["toolCalls"] = []): string {
  return calls.map(({ name, argumentsJson }) => `${name} ${argumentsJson}`).join("");
}
