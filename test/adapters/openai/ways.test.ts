import { describe, expect, it } from "vitest";
import { firstWays } from "../../../src/adapters/openai/ways.js";
import {
  completion,
  type EndpointAnswer,
  type EndpointHandler,
  failure,
  structured,
} from "../../support/modelEndpoint.js";
import { ask, errorOf, scores, setUp } from "./setup.js";

const judge = ask({ purpose: "judge", answer: scores });

/** An endpoint that refuses these response formats with that answer. */
function refusing(formats: readonly string[], refusal: EndpointAnswer): EndpointHandler {
  return (request) =>
    formats.includes(request.body.response_format?.type ?? "none")
      ? refusal
      : structured({ editor: 0.7 });
}

describe("a structured answer", () => {
  it("is asked for as a strict JSON schema, with the messages as they are", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([structured({ editor: 0.7 })]);
    expect((await model.complete(judge)).text).toBe('{"editor":0.7}');
    expect(endpoint.requests[0]?.body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "scores", strict: true, schema: scores.schema },
    });
    expect(endpoint.requests[0]?.prompt).toBe(
      "system: You are the Editor.\nuser: Please look at this.",
    );
  });

  it.each<[string, EndpointAnswer]>([
    ["DeepSeek", failure(400, { message: "This response_format type is unavailable now" })],
    [
      "an older DeepSeek",
      failure(422, { message: "response_format.type `json_schema` is unavailable now" }),
    ],
    ["a gateway", failure(501, { message: "Structured outputs are not implemented" })],
    [
      "a fork of llama.cpp",
      failure(500, { message: 'response_format type must be one of "text" or "json_object"' }),
    ],
    [
      "FastAPI",
      { type: "json", status: 422, body: { detail: [{ loc: ["body", "response_format"] }] } },
    ],
    ["an older vLLM", { type: "json", status: 400, body: { message: "json_schema: no" } }],
    ["one that gives no reason", failure(400, { message: "Bad Request" })],
    ["one that says nothing", { type: "raw", status: 400, text: "", contentType: "text/plain" }],
  ])("falls back to JSON mode on %s and stays there", async (_name, refusal) => {
    const { endpoint, model, logged } = await setUp();
    endpoint.respond(refusing(["json_schema"], refusal));
    expect((await model.complete(judge)).text).toBe('{"editor":0.7}');
    expect((await model.complete(judge)).text).toBe('{"editor":0.7}');
    expect(endpoint.requests.map((request) => request.body.response_format?.type)).toEqual([
      "json_schema",
      "json_object",
      "json_object",
    ]);
    const last = endpoint.requests.at(-1)?.prompt.split("\n").at(-1) ?? "";
    expect(last).toContain("JSON");
    expect(last).toContain(JSON.stringify(scores.schema));
    expect(logged).toHaveLength(1);
  });

  it("falls back to plain words where no response format is taken", async () => {
    const { endpoint, model } = await setUp();
    const refusal = failure(400, { message: "Unknown field: response_format" });
    endpoint.respond(refusing(["json_schema", "json_object"], refusal));
    expect((await model.complete(judge)).text).toBe('{"editor":0.7}');
    expect((await model.complete(judge)).text).toBe('{"editor":0.7}');
    expect(endpoint.requests.map((request) => request.body.response_format?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
      undefined,
    ]);
    expect(endpoint.requests.at(-1)?.prompt).toContain(JSON.stringify(scores.schema));
  });

  it("is remembered for each model by itself", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond((request) =>
      request.body.model === "small" && request.body.response_format?.type === "json_schema"
        ? failure(400, { message: "json_schema is not supported" })
        : structured({ editor: 0.7 }),
    );
    await model.complete(judge);
    await model.complete({ ...judge, model: "large" });
    expect(endpoint.requests.at(-1)?.body).toMatchObject({
      model: "large",
      response_format: { type: "json_schema" },
    });
  });

  it("gives the last refusal when the plainest request is refused too, and remembers nothing", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      failure(400, { message: "Bad Request" }),
      failure(400, { message: "Bad Request" }),
      failure(400, { message: "The role is unknown" }),
      structured({ editor: 0.7 }),
    ]);
    expect(await errorOf(model.complete(judge))).toMatchObject({
      kind: "bad-answer",
      message: "400 The role is unknown",
    });
    await model.complete(judge);
    expect(endpoint.requests.at(-1)?.body.response_format?.type).toBe("json_schema");
  });

  it.each<[string, EndpointAnswer]>([
    ["too-long", failure(400, { message: "Too long", code: "context_length_exceeded" })],
    ["refused", failure(400, { message: "Filtered", code: "content_filter" })],
    ["unknown-model", failure(400, { message: "x is not a valid model ID" })],
    ["unavailable", failure(500, { message: "Internal error" })],
    ["rate-limited", failure(429, { message: "response_format: slow down" })],
    ["unauthorized", failure(401, { message: "response_format: no key" })],
  ])("is not asked for in another way when the request was %s", async (kind, refusal) => {
    const { endpoint, model } = await setUp();
    endpoint.respond([refusal]);
    expect((await errorOf(model.complete(judge))).kind).toBe(kind);
    expect(endpoint.requests).toHaveLength(1);
  });

  it("is asked for in the next way after three answers without JSON", async () => {
    const { endpoint, model, logged } = await setUp();
    endpoint.respond((request) =>
      request.body.response_format?.type === "json_schema"
        ? "The editor fits well."
        : structured({ editor: 0.7 }),
    );
    expect((await model.complete(judge)).text).toBe("The editor fits well.");
    for (let call = 0; call < 4; call += 1) await model.complete(judge);
    expect(endpoint.requests.map((request) => request.body.response_format?.type)).toEqual([
      "json_schema",
      "json_schema",
      "json_schema",
      "json_object",
      "json_object",
    ]);
    expect(logged).toHaveLength(1);
  });

  it("goes down to plain words where JSON mode gives no JSON either", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond((request) =>
      request.body.response_format === undefined ? structured({ editor: 0.7 }) : "Well.",
    );
    for (let call = 0; call < 8; call += 1) await model.complete(judge);
    expect(endpoint.requests.map((request) => request.body.response_format?.type)).toEqual([
      ...Array<string>(3).fill("json_schema"),
      ...Array<string>(3).fill("json_object"),
      undefined,
      undefined,
    ]);
  });

  it("stays in a way in which JSON has come, however many answers have none", async () => {
    const { endpoint, model, logged } = await setUp();
    endpoint.respond(["Well.", "Well.", structured({ editor: 0.7 }), "a", "b", "c", "d", "e"]);
    for (let call = 0; call < 8; call += 1) await model.complete(judge);
    expect(new Set(endpoint.requests.map(({ body }) => body.response_format?.type))).toEqual(
      new Set(["json_schema"]),
    );
    expect(logged).toEqual([]);
  });

  it("leaves a way in which JSON has come when it is refused", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      structured({ editor: 0.7 }),
      failure(400, { message: "json_schema is not supported any more" }),
      structured({ editor: 0.7 }),
      structured({ editor: 0.7 }),
    ]);
    for (let call = 0; call < 3; call += 1) await model.complete(judge);
    expect(endpoint.requests.map((request) => request.body.response_format?.type)).toEqual([
      "json_schema",
      "json_schema",
      "json_object",
      "json_object",
    ]);
  });

  it("that was cut short says nothing about the format", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([completion('{"editor":', { finish: "length" }), structured({ editor: 0.7 })]);
    await model.complete(judge);
    await model.complete(judge);
    expect(endpoint.requests.at(-1)?.body.response_format?.type).toBe("json_schema");
  });

  it("loses code fence, thoughts and the sentences around it", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      '<think>Maybe {"editor": 1}?</think>Here it is:\n```json\n{"editor": 0.7}\n```\nAnything else?',
    ]);
    expect((await model.complete(judge)).text).toBe('{"editor": 0.7}');
  });

  it("with all its ways has one time limit", async () => {
    const timeout = new AbortController();
    const { endpoint, model } = await setUp({
      clock: { now: () => 0, timeout: () => timeout.signal },
    });
    endpoint.respond([failure(400, { message: "json_schema: no" }), { type: "hang" }]);
    const call = errorOf(model.complete(judge));
    const second = await endpoint.request(1);
    timeout.abort();
    expect((await call).kind).toBe("timeout");
    await second.left;
  });
});

describe("the limit of an answer", () => {
  const limited = ask({ maxOutputTokens: 300 });

  it("goes as max_completion_tokens to OpenAI and as max_tokens elsewhere", () => {
    expect(firstWays("https://api.openai.com/v1").limit).toBe("max_completion_tokens");
    expect(firstWays("https://mine.openai.azure.com/openai/v1").limit).toBe(
      "max_completion_tokens",
    );
    expect(firstWays("http://127.0.0.1:11434/v1").limit).toBe("max_tokens");
    expect(firstWays("https://openrouter.ai/api/v1").limit).toBe("max_tokens");
  });

  it("changes its name where the first is refused, for good", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond((request) =>
      request.body.max_tokens === undefined
        ? "Hello."
        : failure(400, {
            message:
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            param: "max_tokens",
            code: "unsupported_parameter",
          }),
    );
    await model.complete(limited);
    await model.complete(limited);
    expect(
      endpoint.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens]),
    ).toEqual([
      [300, undefined],
      [undefined, 300],
      [undefined, 300],
    ]);
  });

  it("is left out where both names are refused", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond((request) => {
      const { max_tokens, max_completion_tokens } = request.body;
      if (max_tokens === undefined && max_completion_tokens === undefined) return "Hello.";
      const name = max_tokens === undefined ? "max_completion_tokens" : "max_tokens";
      return failure(422, { message: `${name}: Extra inputs are not permitted` });
    });
    expect((await model.complete(limited)).text).toBe("Hello.");
    await model.complete(limited);
    expect(endpoint.requests).toHaveLength(4);
  });

  it("that does not fit is left out this once", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      failure(400, {
        message:
          "'max_tokens' is too large: 300. This model's maximum context length is 400 tokens and your request has 200.",
      }),
      "Hello.",
      "Hello again.",
    ]);
    await model.complete(limited);
    await model.complete(limited);
    expect(endpoint.requests.map(({ body }) => body.max_tokens)).toEqual([300, undefined, 300]);
  });

  it("and the format are found out together", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond((request) => {
      const { max_tokens, response_format } = request.body;
      if (max_tokens !== undefined) return failure(400, { message: "max_tokens: unsupported" });
      if (response_format?.type === "json_schema") return failure(400, { message: "json_schema" });
      return structured({ editor: 0.7 });
    });
    const both = { ...judge, maxOutputTokens: 300 };
    await model.complete(both);
    await model.complete(both);
    expect(endpoint.requests).toHaveLength(4);
    expect(endpoint.requests[3]?.body).toMatchObject({
      max_completion_tokens: 300,
      response_format: { type: "json_object" },
    });
  });
});
