/** A language model behind an OpenAI-compatible endpoint, or the built-in demo model. */
export interface Model {
  /**
   * One call. Never retries by itself except where the endpoint refuses a way of asking (see
   * `answer`). Rejects with `ModelError`, or with the signal's reason once `signal` is aborted;
   * nothing goes on in the background after that.
   */
  complete(request: ModelRequest): Promise<ModelReply>;
}

/** What the model is asked to be: lets the demo model act; real models ignore it. */
export type Purpose =
  | "judge"
  | "turn"
  | "explain"
  | "preview"
  | "direct"
  | "participant"
  | "vote"
  | "moderate";

export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly images?: readonly string[] }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it: may be invalid. */
  readonly argumentsJson: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: object;
}

export interface ModelRequest {
  readonly purpose: Purpose;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /**
   * The answer must be JSON of this schema. Asked for as `json_schema`; an endpoint that refuses
   * that is asked in JSON mode, then in plain words, and what it can do is remembered. The reply
   * is still checked by the caller.
   */
  readonly answer?: { readonly name: string; readonly schema: object };
  readonly tools?: readonly ToolDefinition[];
  readonly maxOutputTokens?: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that the provider had cached. */
  readonly cachedTokens: number;
}

export interface ModelReply {
  /** May be empty. For a structured answer: JSON text, stripped of code fences. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** It called tools although none were offered: those calls are left out, and there may be no text beside them. */
  readonly wantedTools?: boolean;
  readonly finish: "stop" | "length" | "tools";
  /** Null when the endpoint does not tell. */
  readonly usage: TokenUsage | null;
  /** The model that answered, as the endpoint calls it. */
  readonly model: string;
}

export type ModelErrorKind =
  | "timeout" // no whole answer in `timeoutMs`
  | "rate-limited" // 429
  | "unauthorized" // 401, 403
  | "no-credit" // the account has no money left
  | "unknown-model" // 404
  | "too-long" // the request does not fit the model
  | "refused" // refusal or content filter
  | "no-images" // this model takes no images
  | "no-tools" // this model takes no tools
  | "unavailable" // 5xx, no connection, reset, HTML
  | "bad-answer"; // an answer that is none: invalid JSON, no choices, a broken stream

/** A call that gave no usable reply. `message` is for the log, never for people. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** How long the endpoint asks to wait, when it said. */
  readonly retryAfterMs: number | null;
  /**
   * What the call took: as its answer told; "unknown" when a model may have worked on it and nothing
   * tells; null when none did, as far as one can see.
   */
  readonly usage: TokenUsage | "unknown" | null;
  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      readonly retryAfterMs?: number | null;
      readonly usage?: TokenUsage | "unknown" | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.usage = options.usage ?? null;
  }
}
