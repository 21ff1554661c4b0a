/**
 * A scripted OpenAI-compatible endpoint on loopback: the model of every test that runs the real
 * client or the whole program. A test says what it answers, in advance or by a function; a request
 * that nobody expected, and an answer that nobody asked for, fail the test in `close`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { completion, type EndpointAnswer, failure } from "./modelAnswers.js";

export * from "./modelAnswers.js";

/** The part of a chat completion request that tests look at. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: unknown;
    readonly tool_call_id?: string;
  }[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: {
      readonly name: string;
      readonly strict?: boolean;
      readonly schema?: {
        readonly properties?: Readonly<Record<string, unknown>>;
        readonly [key: string]: unknown;
      };
    };
  };
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly [key: string]: unknown;
}

export interface EndpointRequest {
  /** 0 for the first request to the endpoint. */
  readonly index: number;
  readonly body: ChatBody;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name of the structured answer that is asked for as `json_schema`, else null. */
  readonly answerName: string | null;
  /** Text of the system messages. */
  readonly system: string;
  /** Text of all the messages, each after its role, as one reads a conversation. */
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly arrivedAtMs: number;
  /** Aborted as soon as the client goes away without having got its answer. */
  readonly gone: AbortSignal;
  /** Resolves when the client goes away without having got its answer. */
  readonly left: Promise<void>;
}

export type EndpointHandler = (
  request: EndpointRequest,
) => EndpointAnswer | string | Promise<EndpointAnswer | string>;

export interface ModelEndpoint {
  /** Ends in `/v1`, as OPENAI_BASE_URL does. */
  readonly baseUrl: string;
  /** Chat completion requests, in the order of arrival. */
  readonly requests: readonly EndpointRequest[];
  /** The most requests that were being answered at one time. */
  readonly mostAtOnce: () => number;
  /** Answers to come, one per request (a string is a reply's text), or the function that answers all that have none. */
  respond(answers: EndpointHandler | readonly (EndpointAnswer | string)[]): void;
  /** From now on requests get no answer: as `respond` with a function. */
  hang(): void;
  /** The request of that index, as soon as it has arrived. */
  request(index: number): Promise<EndpointRequest>;
  /** Stops, then rejects when a request was not expected, a handler threw or an answer was not used. */
  close(): Promise<void>;
}

/** Starts an endpoint; `models` is what `GET /v1/models` lists. */
export async function startModelEndpoint(
  options: { readonly models?: readonly string[] } = {},
): Promise<ModelEndpoint> {
  const models = options.models ?? ["test-model"];
  const requests: EndpointRequest[] = [];
  const queue: EndpointAnswer[] = [];
  const faults: string[] = [];
  const waiting: { readonly index: number; readonly resolve: () => void }[] = [];
  let handler: EndpointHandler | null = null;
  let atOnce = 0;
  let mostAtOnce = 0;

  async function answerFor(request: EndpointRequest): Promise<EndpointAnswer> {
    const next = queue.shift();
    if (next !== undefined) return next;
    if (handler === null) {
      faults.push(`unexpected request ${request.index}:\n${request.prompt}`);
      return failure(500, { message: "unexpected request" });
    }
    try {
      return asAnswer(await handler(request));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      faults.push(`the handler threw on request ${request.index}: ${why}\n${request.prompt}`);
      return failure(500, { message: "the handler threw" });
    }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? "").split("?")[0];
    if (incoming.method === "GET" && path === "/v1/models") {
      const data = models.map((id) => ({ id, object: "model" }));
      await send(response, { type: "json", body: { object: "list", data } }, null);
      return;
    }
    const text = await readAll(incoming);
    if (incoming.method !== "POST" || path !== "/v1/chat/completions") {
      faults.push(`unexpected request: ${incoming.method} ${incoming.url}\n${text}`);
      await send(response, failure(404, { message: "no such path" }), null);
      return;
    }
    const request = readRequest(requests.length, incoming, response, JSON.parse(text) as ChatBody);
    requests.push(request);
    for (const one of waiting) if (one.index === request.index) one.resolve();
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    try {
      await send(response, await answerFor(request), request.gone);
    } finally {
      atOnce -= 1;
    }
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      if (incoming.destroyed && !incoming.complete) return;
      faults.push(`the endpoint failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    mostAtOnce: () => mostAtOnce,
    respond: (answers) => {
      if (typeof answers === "function") handler = answers;
      else queue.push(...answers.map(asAnswer));
    },
    hang: () => {
      handler = () => ({ type: "hang" });
    },
    request: async (index) => {
      if (requests[index] === undefined) {
        await new Promise<void>((resolve) => waiting.push({ index, resolve }));
      }
      return requests[index] as EndpointRequest;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      for (const answer of queue) faults.push(`an answer was not used: ${JSON.stringify(answer)}`);
      if (faults.length > 0) throw new Error(`model endpoint: ${faults.join("\n\n")}`);
    },
  };
}

function asAnswer(answer: EndpointAnswer | string): EndpointAnswer {
  return typeof answer === "string" ? completion(answer) : answer;
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function readRequest(
  index: number,
  incoming: IncomingMessage,
  response: ServerResponse,
  body: ChatBody,
): EndpointRequest {
  const controller = new AbortController();
  const left = new Promise<void>((resolve) => {
    response.once("close", () => {
      if (response.writableEnded) return;
      controller.abort();
      resolve();
    });
  });
  const lines = body.messages.map((message) => ({
    role: message.role,
    text: textOf(message.content),
  }));
  return {
    index,
    body,
    headers: incoming.headers,
    answerName: body.response_format?.json_schema?.name ?? null,
    system: lines
      .filter((line) => line.role === "system")
      .map((line) => line.text)
      .join("\n"),
    prompt: lines.map((line) => `${line.role}: ${line.text}`).join("\n"),
    arrivedAtMs: Date.now(),
    gone: controller.signal,
    left,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { readonly text?: string }) => part.text ?? "")
    .filter((text) => text !== "")
    .join("\n");
}

async function send(
  response: ServerResponse,
  answer: EndpointAnswer,
  gone: AbortSignal | null,
): Promise<void> {
  if (gone?.aborted) return;
  switch (answer.type) {
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "truncated":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      await new Promise((resolve) => response.write('{"choices":[{"message":{"cont', resolve));
      response.destroy();
      return;
    case "endless":
      response.writeHead(200, { "content-type": "application/json" });
      // Rejects as soon as the client goes away, which is the only end that it has.
      await pipeline(endless(answer.pauseMs), response).catch(() => undefined);
      return;
    case "raw":
      response.writeHead(answer.status ?? 200, {
        "content-type": answer.contentType,
        ...answer.headers,
      });
      response.end(answer.text);
      return;
    case "json":
      if (answer.delayMs !== undefined && gone !== null) await pause(answer.delayMs, gone);
      if (response.destroyed) return;
      response.writeHead(answer.status ?? 200, {
        "content-type": "application/json",
        ...answer.headers,
      });
      response.end(JSON.stringify(answer.body));
      return;
    default:
      answer satisfies never;
  }
}

async function* endless(pauseMs: number): AsyncGenerator<string> {
  yield '{"choices":[{"message":{"content":"';
  for (;;) {
    if (pauseMs > 0) await sleep(pauseMs);
    yield "x".repeat(pauseMs === 0 ? 65_536 : 1);
  }
}

async function pause(delayMs: number, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
