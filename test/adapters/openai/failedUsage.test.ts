import { describe, expect, it } from "vitest";
import { asModelError } from "../../../src/adapters/openai/errors.js";
import { ModelError } from "../../../src/ports/model.js";
import { completion, type EndpointAnswer, failure, html } from "../../support/modelEndpoint.js";
import { ask, errorOf, setUp } from "./setup.js";

const TOLD = { inputTokens: 7, outputTokens: 3, cachedTokens: 0 };
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

const body = (value: object): EndpointAnswer => ({ type: "json", body: value });

/** Answers of which nothing can be used; each may tell its tokens. */
const USELESS: readonly (readonly [string, (told: object) => EndpointAnswer])[] = [
  [
    "was filtered",
    (told) =>
      body({
        choices: [{ message: { content: "Half" }, finish_reason: "content_filter" }],
        ...told,
      }),
  ],
  [
    "is a refusal",
    (told) => body({ choices: [{ message: { content: null, refusal: "I cannot." } }], ...told }),
  ],
  ["has no choices", (told) => body({ choices: [], ...told })],
  ["has no list of choices", (told) => body({ id: "x", ...told })],
  ["has a null choice", (told) => body({ choices: [null], ...told })],
  [
    "ended in an error",
    (told) => body({ choices: [{ message: { content: "" }, finish_reason: "error" }], ...told }),
  ],
];

describe("a call that fails says what it took", () => {
  it.each(USELESS)("as the answer tells that %s", async (_name, answer) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([answer({ usage })]);
    expect((await errorOf(model.complete(ask()))).usage).toEqual(TOLD);
  });

  it("as an error tells that was sent with status 200", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([body({ error: { code: 502, message: "Provider returned error" }, usage })]);
    expect((await errorOf(model.complete(ask()))).usage).toEqual(TOLD);
  });

  it.each<readonly [string, EndpointAnswer]>([
    ...USELESS.map(([name, answer]) => [`the answer ${name}`, answer({})] as const),
    ["the answer is no JSON", { type: "raw", text: "{", contentType: "application/json" }],
    ["the answer is text", { type: "raw", text: "Hello.", contentType: "text/plain" }],
    ["the answer breaks off", { type: "truncated" }],
    ["the connection is reset", { type: "reset" }],
    ["a gateway waited in vain", html(504)],
  ])("which is unknown when nothing is told and %s", async (_name, answer) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(ask()))).usage).toBe("unknown");
  });

  it("which is unknown when the time is over", async () => {
    const { endpoint, model } = await setUp();
    endpoint.hang();
    expect((await errorOf(model.complete(ask({ timeoutMs: 20 })))).usage).toBe("unknown");
  });

  it.each<[string, EndpointAnswer]>([
    ["a key", failure(401, { message: "No key" })],
    ["its rate", failure(429, { message: "Slow down" })],
    ["its length", failure(400, { message: "No.", code: "context_length_exceeded" })],
    ["a fault of the endpoint", failure(500, { message: "Internal error" })],
    ["a page of a proxy", html(502)],
    ["a page with status 200", html(200)],
    ["an error with status 200", body({ error: { code: 429, message: "Slow down" } })],
  ])("which is nothing when it is refused for %s", async (_name, answer) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([answer]);
    expect((await errorOf(model.complete(ask()))).usage).toBeNull();
  });

  it("which is nothing when nobody listens", async () => {
    const { model } = await setUp({ baseUrl: "http://127.0.0.1:9/v1" });
    expect((await errorOf(model.complete(ask()))).usage).toBeNull();
  });

  it.each([
    ["UND_ERR_CONNECT_TIMEOUT", null],
    ["UND_ERR_HEADERS_TIMEOUT", "unknown"],
    ["UND_ERR_BODY_TIMEOUT", "unknown"],
  ])("after the time-out %s: %s", (code, expected) => {
    const error = Object.assign(new Error("timed out"), { code });
    const known = asModelError(error, { hasImages: false, hasTools: false, nowMs: 0, secrets: [] });
    expect(known).toBeInstanceOf(ModelError);
    expect(known).toMatchObject({ kind: "timeout", usage: expected });
  });

  it("and an answer that can be used is counted as before", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([completion("Hello.", { usage })]);
    expect((await model.complete(ask())).usage).toEqual(TOLD);
  });
});
