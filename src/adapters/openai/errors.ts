import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { ModelError, type ModelErrorKind } from "../../ports/model.js";
import { isBeyondRate, isTooLong } from "./tooLong.js";

/** What an endpoint said instead of answering, in one form for all of them. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** HTTP status, or the code in the body of an error that was sent with status 200. */
  readonly status: number;
  /** Everything that the endpoint wrote about the error, in lower case, to search in. */
  readonly words: string;
  readonly isHtml: boolean;
  readonly headers: Headers | null;
  /** See `ModelError`. */
  readonly usage: ModelError["usage"];
  constructor(
    status: number,
    error: unknown,
    headers: Headers | null,
    usage: ModelError["usage"] = null,
  ) {
    const text = typeof error === "string" ? error : (JSON.stringify(error) ?? "");
    super(messageIn(error) ?? text);
    this.status = status;
    this.words = text.toLowerCase();
    this.isHtml = /^\s*(?:<!doctype|<html)/i.test(text);
    this.headers = headers;
    // A gateway that waited in vain for a model.
    this.usage = usage ?? (status === 504 || status === 524 ? "unknown" : null);
  }
}

/** The error of a call as a `Refusal` when the endpoint answered at all, else null. */
export function asRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (!(error instanceof APIError) || error.status === undefined) return null;
  // Without a JSON body the client puts the text into its message, after the status.
  const said: unknown = error.error ?? error.message.replace(/^\d+ /, "");
  return new Refusal(error.status, said, error.headers ?? null);
}

/**
 * A failure of the world as a `ModelError`. Its message never holds one of the `secrets`, nor text
 * of a page or of the conversation. Anything else is a fault of ours and comes back as it is.
 */
export function asModelError(
  error: unknown,
  options: {
    readonly hasImages: boolean;
    readonly hasTools: boolean;
    readonly nowMs: number;
    readonly secrets: readonly string[];
  },
): unknown {
  if (error instanceof ModelError) return error;
  const refusal = asRefusal(error);
  if (refusal !== null) {
    const said = refusal.isHtml ? "a page instead of an answer" : refusal.message;
    return new ModelError(
      kindOf(refusal, options),
      clean(`${refusal.status} ${said}`, options.secrets),
      { retryAfterMs: retryAfterMs(refusal.headers, options.nowMs), usage: refusal.usage },
    );
  }
  const fault = connectionFault(error);
  if (fault === null) return error;
  return new ModelError(fault.kind, clean(fault.message, options.secrets), {
    usage: fault.isSent ? "unknown" : null,
  });
}

const imageWords =
  /image|vision|multi-?modal|mmproj|content type|unmarshal array|content.{0,40}(?:must be|should be|expected|valid).{0,20}string/;
/** In the words of Ollama, OpenRouter, vLLM, llama.cpp, LM Studio and others. */
const toolWords =
  /(?:not|n't) (?:support|allow|accept|take|have)[^.]{0,40}\b(?:tools?|functions?|function calling)\b|\b(?:tools?|tool[_ ](?:use|choice|calling)|functions?|function calling)\b[^.]{0,40}(?:(?:not|n't) (?:support|allow|available|enabled)|unsupported|requires? --)|support tool use|tools param requires/;
const filterWords =
  /content_filter|content_policy|content management policy|responsibleaipolicy|safety system|moderation|flagged/;
const creditWords = /insufficient_quota|credit balance is too low/;
const modelWords =
  /model_not_found|not a valid model|invalid model|no endpoints found|model\W.{0,120}(?:not found|does not exist|not exist)/;

/** What a refusal means to the caller; "bad-answer" when the endpoint gave no reason that we know. */
export function kindOf(
  refusal: Refusal,
  { hasImages, hasTools }: { readonly hasImages: boolean; readonly hasTools: boolean },
): ModelErrorKind {
  const { status, words } = refusal;
  if ((status === 403 || status === 429) && isBeyondRate(words)) return "too-long";
  if (status === 403 && filterWords.test(words)) return "refused";
  if (status === 402) return "no-credit";
  if (status === 401 || status === 403) return "unauthorized";
  // OpenAI sends 429 also for an account without money, which no waiting helps.
  if (status === 429) return creditWords.test(words) ? "no-credit" : "rate-limited";
  // A proxy before the endpoint says 413 with a page.
  if (refusal.isHtml) return status === 413 ? "too-long" : "unavailable";
  if (hasImages && imageWords.test(words)) return "no-images";
  if (hasTools && toolWords.test(words)) return "no-tools";
  if (status === 413 || isTooLong(words)) return "too-long";
  if (filterWords.test(words)) return "refused";
  if (status === 404 || modelWords.test(words)) return "unknown-model";
  if (status === 408) return "timeout";
  if (status >= 500 || status === 425 || status < 400) return "unavailable";
  return "bad-answer";
}

/** `isSent`: the request had been sent when the connection failed. */
function connectionFault(error: unknown): {
  readonly kind: ModelErrorKind;
  readonly message: string;
  readonly isSent: boolean;
} | null {
  const causes = causesOf(error);
  const codes = causes.map((cause) => codeOf(cause)).filter((code) => code !== null);
  const deepest = causes.at(-1);
  const words = deepest instanceof Error ? deepest.message : "no reason given";
  if (
    error instanceof APIConnectionTimeoutError ||
    codes.some((code) => /TIMEDOUT|_TIMEOUT$/.test(code))
  ) {
    const isSent = codes.some((code) => /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code));
    return { kind: "timeout", message: `connection timed out: ${words}`, isSent };
  }
  if (error instanceof APIConnectionError) {
    // Of a connection that stood; what fails before that has other codes or other words.
    const isSent =
      codes.some((code) => /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/.test(code)) &&
      !words.includes("before secure TLS connection");
    return { kind: "unavailable", message: `no connection: ${words}`, isSent };
  }
  // V8 quotes the text that it could not parse: the answer of a model, so not for a log.
  if (error instanceof SyntaxError) {
    return { kind: "bad-answer", message: "invalid JSON", isSent: true };
  }
  // What fetch throws when the body breaks off after the headers.
  if (error instanceof TypeError && error.message === "terminated") {
    return { kind: "bad-answer", message: `the answer broke off: ${words}`, isSent: true };
  }
  return null;
}

function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let current = error;
  while (current instanceof Error && !chain.includes(current)) {
    chain.push(current);
    // Node puts the attempts for several addresses side by side.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return chain;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}

function messageIn(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return typeof error.message === "string" ? error.message : null;
}

function retryAfterMs(headers: Headers | null, nowMs: number): number | null {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = headers?.get("retry-after") ?? null;
  if (value === null) return null;
  if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(value)) return Math.max(0, Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

const longestMessage = 300;

function clean(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, "[key]");
  result = result
    // Endpoints quote the key that they refuse, shortened or with stars.
    .replace(/\b(?:sk|gsk|xai|key|hf)[-_][\w*.-]{6,}/gi, "[key]")
    .replace(/\S*\*{3,}\S*/g, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\/\/[^\s/@]+@/g, "//[key]@")
    .replace(/\s+/g, " ")
    .trim();
  return result.length > longestMessage ? `${result.slice(0, longestMessage)}…` : result;
}
