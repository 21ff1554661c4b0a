import OpenAI from "openai";
import { type Model, ModelError, type ModelReply, type ModelRequest } from "../../ports/model.js";
import type { Clock, Log } from "../../ports/system.js";
import { asModelError, asRefusal } from "./errors.js";
import { fetchKeepingErrors } from "./fetch.js";
import { toReply } from "./reply.js";
import { carriedBy, toBody } from "./request.js";
import { isJson } from "./text.js";
import { afterAnswer, afterRefusal, firstWays, type Known, type LimitWay } from "./ways.js";

export interface OpenAiModelOptions {
  /** Null where an endpoint asks for none, as local servers do. */
  readonly apiKey: string | null;
  /** Null for OpenAI itself. */
  readonly baseUrl: string | null;
  readonly log: Log;
  readonly clock: Pick<Clock, "now" | "timeout">;
}

const openAiUrl = "https://api.openai.com/v1";

/** The longest delay of a Node timer: the client's own time-out is out of the way. */
const neverMs = 2_147_483_647;

/**
 * A model behind any endpoint that speaks OpenAI's Chat Completions.
 *
 * A structured answer is asked for as `json_schema` (strict). An endpoint that refuses this is
 * asked in JSON mode with the schema in one line at the end of the last message, then with the
 * schema in words and no response format. `max_tokens` and `max_completion_tokens` replace each
 * other in the same way, and go when both are refused. What an endpoint accepted for a model is
 * remembered while the process runs. A refusal that names no reason (400, 422) is tried the same
 * way down; when the plainest request is refused too, that last refusal is the error. Three answers
 * without JSON though a format was accepted, and none with it before, lead to the next way too.
 *
 * All tries of a call share its `timeoutMs`; an endpoint that does not begin to answer within five
 * minutes is given up in any case, as Node's `fetch` waits no longer. No temperature is sent: some
 * models refuse it.
 */
export function createOpenAiModel(options: OpenAiModelOptions): Model {
  const { log, clock } = options;
  const baseUrl = options.baseUrl ?? openAiUrl;
  const secrets = options.apiKey === null || options.apiKey === "" ? [] : [options.apiKey];
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: secrets[0] ?? "none",
    // Everything that the client would otherwise read from the environment by itself.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: neverMs,
    fetch: fetchKeepingErrors,
    ...(secrets.length === 0 ? { defaultHeaders: { Authorization: null } } : {}),
  });
  const remembered = new Map<string, Known>();

  function knownOf(model: string): Known {
    return remembered.get(model) ?? { ways: firstWays(baseUrl), isSettled: false, ignored: 0 };
  }

  function remember(model: string, known: Known): void {
    const before = knownOf(model).ways;
    remembered.set(model, known);
    const { ways } = known;
    if (before.answer === ways.answer && before.limit === ways.limit) return;
    log.info({ model, ...ways }, "model endpoint is asked in another way from now on");
  }

  async function attempts(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    const first = knownOf(request.model).ways;
    let ways = first;
    let lasting = first;
    const triedLimits: LimitWay[] = [];
    for (;;) {
      if (request.maxOutputTokens !== undefined) triedLimits.push(ways.limit);
      try {
        const body = await client.chat.completions.create(toBody(request, ways), { signal });
        const reply = toReply(body, request);
        const asked = { first, last: lasting };
        const known = afterAnswer(knownOf(request.model), asked, hasJson(request, reply));
        remember(request.model, known);
        return reply;
      } catch (error) {
        const refusal = signal.aborted ? null : asRefusal(error);
        const next =
          refusal === null
            ? null
            : afterRefusal(ways, refusal, {
                hasAnswer: request.answer !== undefined,
                ...carriedBy(request),
                triedLimits,
              });
        if (next === null) throw error;
        ways = { ...ways, ...next.change };
        if (next.isLasting) lasting = { ...lasting, ...next.change };
      }
    }
  }

  return {
    complete: async (request) => {
      const bounded = clock.timeout(request.timeoutMs, request.signal);
      // The client never takes its listeners off again, which would hold on to the time-out.
      const own = new AbortController();
      const stop = () => own.abort(bounded.reason);
      if (bounded.aborted) stop();
      bounded.addEventListener("abort", stop);
      try {
        return await attempts(request, own.signal);
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        if (bounded.aborted) {
          throw new ModelError("timeout", `no whole answer in ${request.timeoutMs} ms`, {
            usage: "unknown",
          });
        }
        throw asModelError(error, { ...carriedBy(request), nowMs: clock.now(), secrets });
      } finally {
        bounded.removeEventListener("abort", stop);
      }
    },
  };
}

/** Null where no JSON was asked for, or where the answer says nothing about the format. */
function hasJson(request: ModelRequest, reply: ModelReply): boolean | null {
  if (request.answer === undefined) return null;
  if (reply.text !== "" && isJson(reply.text)) return true;
  return reply.finish === "stop" && reply.text !== "" ? false : null;
}
