/** What the scripted endpoint can answer, and short ways to write it. */

export type EndpointAnswer =
  /** A chat completion, or whatever else `body` holds. */
  | {
      readonly type: "json";
      readonly body: unknown;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Waits so long, or until the client goes away. */
      readonly delayMs?: number;
    }
  /** Bytes as they are: HTML, broken JSON. */
  | {
      readonly type: "raw";
      readonly text: string;
      readonly contentType: string;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Nothing, until the client goes away or the endpoint closes. */
  | { readonly type: "hang" }
  /** The connection is reset before a byte was sent. */
  | { readonly type: "reset" }
  /** Headers and the first half of an answer, then the connection is cut. */
  | { readonly type: "truncated" }
  /** An answer that goes on and on, a piece after each pause, until the client goes away. */
  | { readonly type: "endless"; readonly pauseMs: number };

export interface CompletionOptions {
  readonly model?: string;
  readonly finish?: string;
  readonly usage?: object | null;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
}

/** An ordinary answer with this text. */
export function completion(text: string | null, options: CompletionOptions = {}): EndpointAnswer {
  const toolCalls = options.toolCalls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    type: "json",
    body: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: options.model ?? "test-model",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: text,
            ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
          },
          finish_reason: options.finish ?? (toolCalls === undefined ? "stop" : "tool_calls"),
        },
      ],
      usage:
        options.usage === undefined
          ? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
          : options.usage,
    },
  };
}

/** A structured answer: `value` as JSON text. */
export function structured(value: unknown, options: CompletionOptions = {}): EndpointAnswer {
  return completion(JSON.stringify(value), options);
}

/** An error as OpenAI writes it. */
export function failure(
  status: number,
  error: {
    readonly message: string;
    readonly code?: string | null;
    readonly type?: string;
    readonly param?: string | null;
  },
  headers: Readonly<Record<string, string>> = {},
): EndpointAnswer {
  return { type: "json", status, headers, body: { error } };
}

/** A page, as proxies in front of a model answer. */
export function html(status: number): EndpointAnswer {
  const text = `<!DOCTYPE html><html><body><h1>${status}</h1></body></html>`;
  return { type: "raw", status, text, contentType: "text/html; charset=utf-8" };
}
