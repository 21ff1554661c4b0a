/**
 * A `Model` that answers as a test has written down, in order. A request that nothing was written
 * for fails, and so does `assertDone` for it, since the code under test may take the failure for
 * trouble of the model; answers left over fail there too.
 */
import type {
  Model,
  ModelReply,
  ModelRequest,
  Purpose,
  TokenUsage,
} from "../../src/ports/model.js";
import { unlessAborted } from "./callPlans.js";

/** Never answers: the call ends when its signal is aborted. */
export const HANG: unique symbol = Symbol("hang");

/**
 * A text; a whole or partial reply; an error to reject with; `HANG`; a function of the request
 * that gives one of these, or throws. For structured answers see `json`.
 */
export type Scripted = string | Partial<ModelReply> | Error | typeof HANG | ScriptedFunction;
export type ScriptedFunction = (request: ModelRequest) => Scripted | Promise<Scripted>;

interface Line {
  readonly purpose: Purpose | null;
  readonly answer: Scripted;
}

/** What a reply costs when nothing else was said. */
export const SCRIPTED_USAGE: TokenUsage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0 };

/** A structured answer. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

export class ScriptedModel implements Model {
  /** Every request, in order. */
  readonly requests: ModelRequest[] = [];
  readonly #lines: Line[] = [];
  readonly #unexpected: string[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #running = 0;

  /** The next answers, whatever they are asked for. */
  answer(...answers: readonly Scripted[]): this {
    for (const answer of answers) this.#lines.push({ purpose: null, answer });
    return this;
  }

  /** The next answers, which must be asked for with this purpose. */
  answerTo(purpose: Purpose, ...answers: readonly Scripted[]): this {
    for (const answer of answers) this.#lines.push({ purpose, answer });
    return this;
  }

  /** The newest request. */
  get lastRequest(): ModelRequest {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error("The model was not asked anything.");
    return request;
  }

  /** Calls that have neither answered nor failed. */
  get running(): number {
    return this.#running;
  }

  /** Resolves when this many requests have arrived in all. */
  async requested(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ count, resolve });
    });
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    this.requests.push(request);
    for (const { count, resolve } of this.#waiting) if (this.requests.length >= count) resolve();
    this.#running += 1;
    try {
      request.signal?.throwIfAborted();
      const line = this.#lines.shift();
      if (line === undefined) throw this.#problem("Nothing was written for this request", request);
      if (line.purpose !== null && line.purpose !== request.purpose) {
        throw this.#problem(`A request for "${line.purpose}" was expected`, request);
      }
      return await this.#play(line.answer, request);
    } finally {
      this.#running -= 1;
    }
  }

  /** Fails when a request was not expected, an answer was not used, or a call is still running. */
  assertDone(): void {
    const [problem] = this.#unexpected;
    if (problem !== undefined) throw new Error(problem);
    if (this.#lines.length > 0) {
      throw new Error(
        `${this.#lines.length} of the written answers were not asked for, first: ${describe(this.#lines[0])}`,
      );
    }
    if (this.#running > 0)
      throw new Error(`${this.#running} calls of the model are still running.`);
  }

  async #play(answer: Scripted, request: ModelRequest): Promise<ModelReply> {
    if (typeof answer === "function") return this.#play(await answer(request), request);
    if (answer instanceof Error) throw answer;
    if (answer === HANG) {
      return unlessAborted(new Promise<never>(() => undefined), request.signal ?? null);
    }
    const given: Partial<ModelReply> = typeof answer === "string" ? { text: answer } : answer;
    const toolCalls = given.toolCalls ?? [];
    return {
      text: "",
      toolCalls,
      finish: toolCalls.length > 0 ? "tools" : "stop",
      usage: SCRIPTED_USAGE,
      model: request.model,
      ...given,
    };
  }

  #problem(sentence: string, request: ModelRequest): Error {
    const { signal: _, ...shown } = request;
    const text = `${sentence}: ${JSON.stringify(shown, null, 2)}`;
    this.#unexpected.push(text);
    return new Error(text);
  }
}

function describe(line: Line | undefined): string {
  if (line === undefined) return "none";
  const { purpose, answer } = line;
  const what =
    typeof answer === "string"
      ? answer
      : answer instanceof Error
        ? String(answer)
        : typeof answer === "object"
          ? JSON.stringify(answer)
          : typeof answer === "function"
            ? "a function"
            : "hang";
  return `${purpose ?? "anything"}: ${what}`;
}
