import { estimateTokens } from "../domain/usage.js";
import { type Model, ModelError, type ModelReply, type ModelRequest } from "../ports/model.js";
import type { Clock, Log } from "../ports/system.js";
import { choicesIn, fillAnswer, numbersIn, readAnswerSchema, textsIn } from "./demo/answer.js";
import { loadSimilarity } from "./demo/embeddings.js";
import { demoModeration } from "./demo/moderate.js";
import { forwardedText, judgedMembers, judgedMessage, seatView, userTexts } from "./demo/read.js";
import { demoAnswer, demoDirect, demoReason, demoReply } from "./demo/reply.js";
import { scoreMembers } from "./demo/score.js";
import type { Similarity } from "./demo/similarity.js";

export interface DemoModelOptions {
  readonly log: Log;
  readonly clock: Pick<Clock, "timeout">;
  /** Called once, with the first request. Default: the embedding model, or shared words. */
  readonly similarity?: () => Promise<Similarity>;
}

/**
 * A model for trying Parley without one: it chooses speakers by how close their roles are to what
 * was written (in English), and writes short texts that are plainly marked as a demo. The same
 * request always gives the same reply. It calls tools as a moderating host only; its token counts
 * are estimates.
 */
export function createDemoModel(options: DemoModelOptions): Model {
  const { clock } = options;
  const load = options.similarity ?? (() => loadSimilarity(options.log));
  let loading: Promise<Similarity> | null = null;

  return {
    complete: async (request) => {
      request.signal?.throwIfAborted();
      const stop = new AbortController();
      const work = async () => {
        loading ??= load();
        return textFor(request, await loading, stop.signal);
      };
      const text = await within(work, request, clock.timeout(request.timeoutMs), stop);
      return toReply(request, text);
    },
  };
}

async function textFor(
  request: ModelRequest,
  similarity: Similarity,
  signal: AbortSignal,
): Promise<string> {
  if (request.answer !== undefined) {
    return structuredAnswer(request, request.answer.schema, similarity, signal);
  }
  switch (request.purpose) {
    case "turn":
      return turn(request, similarity, signal);
    case "direct":
      return direct(request);
    case "participant":
      return demoAnswer(forwardedText(request));
    case "judge":
    case "explain":
    case "preview":
    case "vote":
      return demoAnswer(userTexts(request).at(-1) ?? "");
    case "moderate":
      return "";
    default:
      return request.purpose satisfies never;
  }
}

function direct(request: ModelRequest): string {
  const { displayName, seen } = seatView(request);
  return demoDirect(displayName, seen.at(-1)?.text ?? "");
}

async function structuredAnswer(
  request: ModelRequest,
  rawSchema: object,
  similarity: Similarity,
  signal: AbortSignal,
): Promise<string> {
  const schema = readAnswerSchema(rawSchema);
  const isExplaining = request.purpose === "explain";
  const members = judgedMembers(request, isExplaining ? textsIn(schema) : numbersIn(schema));
  const message = judgedMessage(request);
  const scores = await scoreMembers({ members, message }, similarity, signal);
  const sentences = new Map(
    isExplaining
      ? members.map(({ name, role }) => [name, demoReason(role, scores.get(name) ?? 0)] as const)
      : [],
  );
  const options = choicesIn(schema);
  const { role } = seatView(request);
  const closeness = options.length === 0 ? [] : await similarity.measure(role, options, signal);
  const choices = new Map(options.map((option, index) => [option, closeness[index] ?? 0]));
  return JSON.stringify(fillAnswer(schema, { scores, choices, sentences }));
}

async function turn(
  request: ModelRequest,
  similarity: Similarity,
  signal: AbortSignal,
): Promise<string> {
  const view = seatView(request);
  if (view.seen.length === 0) return demoAnswer("");
  const message = view.seen.findLast((said) => said.isPerson)?.text ?? "";
  const others = view.others.map((other) => ({ name: other.displayName, role: other.role }));
  const scores = await scoreMembers({ members: others, message }, similarity, signal);
  const [closest] = [...scores].toSorted(([, one], [, other]) => other - one);
  return demoReply({ ...view, closest: closest?.[0] ?? null });
}

/** The outcome of `work`, unless the caller's signal or the time-out is first; `stop` ends the work then. */
async function within(
  work: () => Promise<string>,
  request: ModelRequest,
  timeout: AbortSignal,
  stop: AbortController,
): Promise<string> {
  let release = () => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    const onTimeout = () =>
      reject(new ModelError("timeout", `no whole answer in ${request.timeoutMs} ms`));
    const onAbort = () => reject(request.signal?.reason);
    timeout.addEventListener("abort", onTimeout);
    request.signal?.addEventListener("abort", onAbort);
    release = () => {
      timeout.removeEventListener("abort", onTimeout);
      request.signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    release();
    stop.abort();
  }
}

function toReply(request: ModelRequest, text: string): ModelReply {
  const { toolCalls } =
    request.purpose === "moderate" ? demoModeration(request) : { toolCalls: [] };
  const input = request.messages.reduce((sum, message) => sum + estimateTokens(message.text), 0);
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 ? "tools" : "stop",
    usage: { inputTokens: input, outputTokens: estimateTokens(text), cachedTokens: 0 },
    model: "demo",
  };
}
