import { describe, expect, it } from "vitest";
import { completion } from "../../support/modelEndpoint.js";
import { apiKey, ask, setUp } from "./setup.js";

describe("a call", () => {
  it("sends the messages and gives text, usage and the name of the model that answered", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      completion(" The second line is too long. ", {
        model: "small-2026",
        usage: {
          prompt_tokens: 120,
          completion_tokens: 9,
          prompt_tokens_details: { cached_tokens: 64 },
        },
      }),
    ]);
    const reply = await model.complete(
      ask({
        messages: [
          { role: "system", text: "You are the Editor." },
          { role: "user", text: "First." },
          { role: "assistant", text: "Yes." },
          { role: "user", text: "Second." },
          { role: "assistant", text: "" },
          { role: "user", text: "You said nothing." },
        ],
      }),
    );
    expect(reply).toEqual({
      text: "The second line is too long.",
      toolCalls: [],
      finish: "stop",
      usage: { inputTokens: 120, outputTokens: 9, cachedTokens: 64 },
      model: "small-2026",
    });
    expect(endpoint.requests[0]?.body).toEqual({
      model: "small",
      messages: [
        { role: "system", content: "You are the Editor." },
        { role: "user", content: "First." },
        { role: "assistant", content: "Yes." },
        { role: "user", content: "Second." },
        { role: "assistant", content: "(no text)" },
        { role: "user", content: "You said nothing." },
      ],
    });
    expect(endpoint.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it("sends no authorization without a key", async () => {
    const { endpoint, model } = await setUp({ apiKey: null });
    endpoint.respond(["Hello."]);
    await model.complete(ask());
    expect(endpoint.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("says that an answer was cut at the limit", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([completion("It goes on and", { finish: "length" })]);
    expect(await model.complete(ask())).toMatchObject({ text: "It goes on and", finish: "length" });
  });

  it.each([null, undefined, {}, { prompt_tokens: "many" }, "none"])(
    "gives no usage when the endpoint sends %j",
    async (usage) => {
      const { endpoint, model } = await setUp();
      const answer = completion("Hello.", { usage: null });
      const body = { ...(answer.type === "json" ? (answer.body as object) : {}), usage };
      endpoint.respond([{ type: "json", body }]);
      expect(await model.complete(ask())).toMatchObject({ text: "Hello.", usage: null });
    },
  );

  it("counts DeepSeek's cached tokens", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      completion("Hello.", {
        usage: { prompt_tokens: 7, completion_tokens: 2, prompt_cache_hit_tokens: 5 },
      }),
    ]);
    const { usage } = await model.complete(ask());
    expect(usage).toEqual({ inputTokens: 7, outputTokens: 2, cachedTokens: 5 });
  });

  it("takes the words beside calls that are no list", async () => {
    const { endpoint, model } = await setUp();
    const message = { role: "assistant", content: "Hello.", tool_calls: {} };
    endpoint.respond([{ type: "json", body: { choices: [{ message, finish_reason: "stop" }] } }]);
    expect(await model.complete(ask())).toMatchObject({ text: "Hello.", toolCalls: [] });
  });

  it("gives empty text for null content, for the caller to judge", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([completion(null)]);
    expect(await model.complete(ask())).toMatchObject({ text: "", finish: "stop" });
  });

  it("joins content that comes in parts and passes over parts without text", async () => {
    const { endpoint, model } = await setUp();
    const content = [
      { type: "thinking", thinking: [] },
      { type: "text", text: "Good " },
      { type: "text", text: "point." },
    ];
    endpoint.respond([
      { type: "json", body: { choices: [{ message: { content }, finish_reason: "stop" }] } },
    ]);
    expect(await model.complete(ask())).toMatchObject({ text: "Good point.", model: "small" });
  });

  it("takes JSON that is labelled as plain text", async () => {
    const { endpoint, model } = await setUp();
    const text = JSON.stringify({ choices: [{ message: { content: "Hello." } }] });
    endpoint.respond([{ type: "raw", text, contentType: "text/plain" }]);
    expect(await model.complete(ask())).toMatchObject({ text: "Hello." });
  });

  it("leaves out the thoughts of a reasoning model", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond(["<think>\nThey want it short.\n</think>\n\nCut the second line."]);
    expect(await model.complete(ask())).toMatchObject({ text: "Cut the second line." });
  });
});

describe("images", () => {
  const images = ["data:image/png;base64,iVBORw0KGgo="];

  it("go along as content parts of their message, and other messages stay plain text", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond(["A cat."]);
    await model.complete(
      ask({
        messages: [
          { role: "system", text: "You are the Editor." },
          { role: "user", text: "What is this?", images },
        ],
      }),
    );
    expect(endpoint.requests[0]?.body.messages).toEqual([
      { role: "system", content: "You are the Editor." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: images[0] } },
        ],
      },
    ]);
  });
});

describe("tools", () => {
  const tools = [
    {
      name: "agent_get",
      description: "Shows an agent.",
      parameters: { type: "object", properties: { agent: { type: "string" } } },
    },
  ];

  it("are offered as functions, and calls come back as they were written", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      completion("Let me look.", {
        toolCalls: [
          { id: "a1", name: "agent_get", arguments: '{"agent":"editor"}' },
          { id: "a2", name: "agent_get", arguments: '{"agent":' },
        ],
      }),
    ]);
    const reply = await model.complete(ask({ tools }));
    expect(reply).toMatchObject({
      text: "Let me look.",
      finish: "tools",
      toolCalls: [
        { id: "a1", name: "agent_get", argumentsJson: '{"agent":"editor"}' },
        { id: "a2", name: "agent_get", argumentsJson: '{"agent":' },
      ],
    });
    expect(endpoint.requests[0]?.body.tools).toEqual([
      {
        type: "function",
        function: {
          name: "agent_get",
          description: "Shows an agent.",
          parameters: tools[0]?.parameters,
        },
      },
    ]);
  });

  it("get their results back, and old arguments that are no JSON are sent as an empty object", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond(["Done."]);
    await model.complete(
      ask({
        tools,
        messages: [
          { role: "user", text: "Show the editor." },
          {
            role: "assistant",
            text: "",
            toolCalls: [
              { id: "a1", name: "agent_get", argumentsJson: '{"agent":"editor"}' },
              { id: "a2", name: "agent_get", argumentsJson: '{"agent":' },
            ],
          },
          { role: "tool", callId: "a1", text: "Editor: edits." },
          { role: "tool", callId: "a2", text: "The arguments are no JSON." },
        ],
      }),
    );
    expect(endpoint.requests[0]?.body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "a1",
            type: "function",
            function: { name: "agent_get", arguments: '{"agent":"editor"}' },
          },
          { id: "a2", type: "function", function: { name: "agent_get", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a1", content: "Editor: edits." },
      { role: "tool", tool_call_id: "a2", content: "The arguments are no JSON." },
    ]);
  });

  it("are tools even when the endpoint says stop, leaves out ids and sends arguments as an object", async () => {
    const { endpoint, model } = await setUp();
    const tool_calls = [{ function: { name: "agent_get", arguments: { agent: "editor" } } }];
    endpoint.respond([
      {
        type: "json",
        body: { choices: [{ message: { content: "", tool_calls }, finish_reason: "stop" }] },
      },
    ]);
    expect(await model.complete(ask({ tools }))).toMatchObject({
      finish: "tools",
      toolCalls: [{ id: "call_0", name: "agent_get", argumentsJson: '{"agent":"editor"}' }],
    });
  });

  it("that were not offered are passed over, also where nothing else is there", async () => {
    const { endpoint, model } = await setUp();
    const toolCalls = [{ id: "a1", name: "search", arguments: "{}" }];
    endpoint.respond([
      completion(null, { toolCalls }),
      completion("I would search first.", { toolCalls }),
    ]);
    expect(await model.complete(ask())).toMatchObject({
      text: "",
      toolCalls: [],
      wantedTools: true,
      finish: "stop",
    });
    expect(await model.complete(ask())).toMatchObject({
      text: "I would search first.",
      toolCalls: [],
      wantedTools: true,
      finish: "stop",
    });
  });
});
