import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { asModelError } from "../../../src/adapters/openai/errors.js";
import type { ModelErrorKind } from "../../../src/ports/model.js";
import { completion, type EndpointAnswer, failure, html } from "../../support/modelEndpoint.js";
import { apiKey, ask, errorOf, setUp } from "./setup.js";

const withImage = ask({
  messages: [{ role: "user", text: "What is this?", images: ["data:image/png;base64,AA=="] }],
});

const body = (value: unknown, status = 200): EndpointAnswer => ({
  type: "json",
  body: value,
  status,
});

describe("an error is of the kind that its cause deserves", () => {
  it.each<[ModelErrorKind, string, EndpointAnswer]>([
    ["rate-limited", "429", failure(429, { message: "Slow down", code: "rate_limit_exceeded" })],
    ["rate-limited", "429 with a page", html(429)],
    ["unauthorized", "401", failure(401, { message: "No key", code: "invalid_api_key" })],
    ["no-credit", "402", failure(402, { message: "Insufficient credits" })],
    ["unauthorized", "403", failure(403, { message: "Not for your country" })],
    ["refused", "403 after moderation", failure(403, { message: "Your input was flagged" })],
    ["unknown-model", "404", failure(404, { message: "model 'x' not found" })],
    ["unknown-model", "OpenRouter's 400", failure(400, { message: "x is not a valid model ID" })],
    [
      "too-long",
      "OpenAI's code",
      failure(400, { message: "Too many tokens.", code: "context_length_exceeded" }),
    ],
    [
      "too-long",
      "an older vLLM",
      body({ object: "error", message: "This model's maximum context length is 4096 tokens" }, 400),
    ],
    [
      "too-long",
      "llama.cpp",
      failure(400, {
        message: "request (9412 tokens) exceeds the available context size (8192 tokens)",
        type: "exceed_context_size_error",
      }),
    ],
    [
      "too-long",
      "Ollama, which wraps the error of llama.cpp as text",
      body({ error: '{"error":{"code":400,"type":"exceed_context_size_error"}}' }, 500),
    ],
    [
      "too-long",
      "LM Studio, which answers with status 200",
      body({
        error:
          "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens",
      }),
    ],
    ["no-credit", "429 for good", failure(429, { code: "insufficient_quota", message: "Quota" })],
    ["too-long", "413 with a page", html(413)],
    [
      "too-long",
      "Gemini",
      failure(400, {
        message:
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      }),
    ],
    ["too-long", "413", failure(413, { message: "Payload" })],
    ["refused", "a filtered prompt", failure(400, { message: "Filtered", code: "content_filter" })],
    ["refused", "a filtered answer", completion("Half of", { finish: "content_filter" })],
    [
      "refused",
      "a refusal in the answer",
      body({ choices: [{ message: { content: null, refusal: "I cannot." } }] }),
    ],
    ["unavailable", "500", failure(500, { message: "Internal error" })],
    [
      "unavailable",
      "503 without a body",
      { type: "raw", status: 503, text: "", contentType: "text/plain" },
    ],
    ["unavailable", "a page from a proxy", html(502)],
    ["unavailable", "a page with status 200", html(200)],
    ["unavailable", "a page with status 404", html(404)],
    ["unavailable", "a reset", { type: "reset" }],
    [
      "unavailable",
      "a failed provider behind OpenRouter",
      body({ error: { code: 502, message: "Provider returned error" } }),
    ],
    [
      "unavailable",
      "an answer that ended in an error",
      body({ choices: [{ message: { content: "" }, finish_reason: "error" }] }),
    ],
    [
      "rate-limited",
      "429 inside of status 200",
      body({ error: { code: 429, message: "Slow down" } }),
    ],
    ["timeout", "408", failure(408, { message: "Request timed out" })],
    ["bad-answer", "400 for no reason", failure(400, { message: "Bad request" })],
    ["bad-answer", "no choices", body({ choices: [] })],
    ["bad-answer", "no list of choices", body({ id: "x" })],
    ["bad-answer", "a null message", body({ choices: [{ message: null }] })],
    ["bad-answer", "null", body(null)],
    [
      "bad-answer",
      "invalid JSON",
      { type: "raw", text: '{"choices":', contentType: "application/json" },
    ],
    [
      "bad-answer",
      "text that is no JSON",
      { type: "raw", text: "Hello.", contentType: "text/plain" },
    ],
    ["bad-answer", "an answer that breaks off", { type: "truncated" }],
  ])("%s: %s", async (kind, _name, answer) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(ask()))).kind).toBe(kind);
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each<[string, EndpointAnswer]>([
    [
      "OpenAI",
      failure(400, {
        message: "Invalid content type. image_url is only supported by certain models.",
      }),
    ],
    ["Ollama", failure(400, { message: "this model does not support image input" })],
    [
      "llama.cpp",
      failure(500, { message: "image input is not supported - hint: provide the mmproj" }),
    ],
    ["OpenRouter", failure(404, { message: "No endpoints found that support image input" })],
    ["DeepSeek", failure(422, { message: "unknown variant `image_url`, expected `text`" })],
    ["vLLM", failure(400, { message: "x is not a multimodal model" })],
    ["one that knows only strings", failure(422, { message: "content: must be a string" })],
  ])("no-images: an image that %s refuses", async (_name, answer) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(withImage))).kind).toBe("no-images");
  });

  it.each([
    [
      "Ollama",
      failure(400, { message: "registry.ollama.ai/library/gemma:2b does not support tools" }),
    ],
    ["OpenRouter", failure(404, { message: "No endpoints found that support tool use" })],
    [
      "vLLM",
      failure(400, {
        message:
          '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      }),
    ],
    ["llama.cpp", failure(500, { message: "tools param requires --jinja flag" })],
    ["Groq", failure(400, { message: "`tools` is not supported with this model" })],
    ["one of few words", failure(400, { message: "tools are not supported" })],
    [
      "one that knows functions",
      failure(400, { message: "This model doesn't support function calling" }),
    ],
  ])("no-tools: tools that %s refuses", async (_name, answer) => {
    const { endpoint, model } = await setUp();
    const tool = { name: "look", description: "Looks", parameters: { type: "object" } };
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(ask({ tools: [tool] })))).kind).toBe("no-tools");
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(ask()))).kind).not.toBe("no-tools");
  });

  it("unavailable: nobody listens", async () => {
    const port = await unusedPort();
    const { model } = await setUp({ baseUrl: `http://127.0.0.1:${port}/v1` });
    const error = await errorOf(model.complete(ask()));
    expect(error.kind).toBe("unavailable");
    expect(error.message).toContain("ECONNREFUSED");
  });

  it("timeout: no answer in the time given, and the request is torn down", async () => {
    const { endpoint, model } = await setUp();
    endpoint.hang();
    const error = await errorOf(model.complete(ask({ timeoutMs: 20 })));
    expect(error.kind).toBe("timeout");
    for (const request of endpoint.requests) await request.left;
  });
});

describe("an answer without an end", () => {
  it("is given up when the time is over, however little of it comes at a time", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([{ type: "endless", pauseMs: 5 }]);
    const error = await errorOf(model.complete(ask({ timeoutMs: 100 })));
    expect(error.kind).toBe("timeout");
    await (await endpoint.request(0)).left;
  });

  it("is given up before it fills the memory", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([{ type: "endless", pauseMs: 0 }]);
    expect((await errorOf(model.complete(ask()))).kind).toBe("bad-answer");
    await (await endpoint.request(0)).left;
  });
});

describe("a fault of the program itself", () => {
  it("is not disguised as a failure of the model", () => {
    const fault = new TypeError("Cannot read properties of undefined");
    expect(asModelError(fault, { hasImages: false, hasTools: false, nowMs: 0, secrets: [] })).toBe(
      fault,
    );
  });
});

describe("how long to wait", () => {
  const nowMs = Date.parse("2026-03-01T12:00:00Z");

  it.each<[number | null, Readonly<Record<string, string>>]>([
    [null, {}],
    [7_000, { "retry-after": "7" }],
    [1_500, { "retry-after": "1.5" }],
    [0, { "retry-after": "0" }],
    [30_000, { "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }],
    [0, { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }],
    [250, { "retry-after-ms": "250", "retry-after": "1" }],
    [null, { "retry-after": "soon" }],
  ])("is %s ms for the headers %j", async (expected, headers) => {
    const { endpoint, model } = await setUp({
      clock: { now: () => nowMs, timeout: () => new AbortController().signal },
    });
    endpoint.respond([failure(429, { message: "Slow down" }, headers)]);
    expect((await errorOf(model.complete(ask()))).retryAfterMs).toBe(expected);
  });

  it("is told for an overloaded server too", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([failure(503, { message: "Loading model" }, { "retry-after": "3" })]);
    expect(await errorOf(model.complete(ask()))).toMatchObject({
      kind: "unavailable",
      retryAfterMs: 3_000,
    });
  });
});

describe("a signal", () => {
  it("that is aborted during the call rejects it with its reason and tears the request down", async () => {
    const { endpoint, model } = await setUp();
    endpoint.hang();
    const stop = new AbortController();
    const call = model.complete(ask({ signal: stop.signal }));
    const request = await endpoint.request(0);
    const reason = new Error("stopped by Ana");
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await request.left;
    expect(request.gone.aborted).toBe(true);
  });

  it("that was aborted before sends nothing", async () => {
    const { endpoint, model } = await setUp();
    const reason = new Error("stopped by Ana");
    await expect(model.complete(ask({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(endpoint.requests).toEqual([]);
  });

  it("that is aborted between two ways of asking stops the second", async () => {
    const { endpoint, model } = await setUp();
    const stop = new AbortController();
    const reason = new Error("stopped by Ana");
    endpoint.respond(() => {
      stop.abort(reason);
      return failure(400, { message: "json_schema: no" });
    });
    const answer = { name: "scores", schema: { type: "object" } };
    await expect(model.complete(ask({ signal: stop.signal, answer }))).rejects.toBe(reason);
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe("a message for the log", () => {
  it.each([
    ["the key", `Incorrect API key provided: ${apiKey}.`],
    ["a part of the key", "Incorrect API key provided: sk-test-****cdef."],
    ["a key in a header", "Bad header: Authorization: Bearer abcdef123456"],
  ])("never holds %s", async (_name, message) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([failure(401, { message })]);
    const error = await errorOf(model.complete(ask()));
    expect(error.message).toContain("[key]");
    expect(error.message).not.toMatch(/cdef|abcdef/);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("cdef");
  });

  it("never holds a key that looks like a word", async () => {
    const { endpoint, model } = await setUp({ apiKey: "marmalade" });
    endpoint.respond([failure(400, { message: "The header said marmalade." })]);
    expect((await errorOf(model.complete(ask()))).message).toBe("400 The header said [key].");
  });

  it("is all that is told: the client prints nothing, whatever OPENAI_LOG says", async () => {
    vi.stubEnv("OPENAI_LOG", "debug");
    const printed = (["debug", "info", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    );
    try {
      const { endpoint, model } = await setUp();
      endpoint.respond(["Hello.", failure(400, { message: "Bad request" })]);
      await model.complete(ask());
      await errorOf(model.complete(ask()));
      for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
  });

  it("never holds the name and password in an address", async () => {
    const { model } = await setUp({ baseUrl: "http://ana:secretpass@127.0.0.1:9/v1" });
    const error = await errorOf(model.complete(ask()));
    expect(error.kind).toBe("unavailable");
    expect(error.message).not.toContain("secretpass");
  });

  it("is one line of a few hundred characters, without the text of a page or of an answer", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      failure(400, { message: `Bad\nrequest ${"x".repeat(5_000)}` }),
      html(502),
      { type: "raw", text: '{"choices": private words', contentType: "application/json" },
    ]);
    const long = await errorOf(model.complete(ask()));
    expect(long.message.length).toBeLessThan(320);
    expect(long.message).not.toContain("\n");
    expect((await errorOf(model.complete(ask()))).message).not.toContain("<");
    expect((await errorOf(model.complete(ask()))).message).not.toContain("private");
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
