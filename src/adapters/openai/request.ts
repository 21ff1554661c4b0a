import type OpenAI from "openai";
import type { ModelMessage, ModelRequest, ToolCall } from "../../ports/model.js";
import { isJson } from "./text.js";
import type { LimitWay, Ways } from "./ways.js";

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/** The body of the HTTP request that asks for `request` in these ways. */
export function toBody(request: ModelRequest, ways: Ways): Body {
  const messages = request.messages.map(toMessage);
  const { answer, tools } = request;
  return {
    model: request.model,
    messages: answer === undefined ? messages : withSchema(messages, answer.schema, ways),
    ...responseFormat(answer, ways),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...limit(request.maxOutputTokens, ways.limit),
  };
}

/** What a request carries that not every model takes. */
export function carriedBy({ messages, tools = [] }: ModelRequest): {
  readonly hasImages: boolean;
  readonly hasTools: boolean;
} {
  return {
    hasImages: messages.some(
      (message) => message.role === "user" && (message.images?.length ?? 0) > 0,
    ),
    hasTools: tools.length > 0,
  };
}

function toMessage(message: ModelMessage): Message {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text };
    case "user":
      return { role: "user", content: userContent(message.text, message.images ?? []) };
    case "assistant":
      if (message.toolCalls === undefined || message.toolCalls.length === 0) {
        // Some endpoints refuse a message without a text.
        return { role: "assistant", content: message.text === "" ? "(no text)" : message.text };
      }
      return {
        role: "assistant",
        content: message.text === "" ? null : message.text,
        tool_calls: message.toolCalls.map(toToolCall),
      };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.text };
    default:
      return message satisfies never;
  }
}

// A plain string where there is only text: not every endpoint takes a list of parts.
function userContent(
  text: string,
  images: readonly string[],
): OpenAI.ChatCompletionUserMessageParam["content"] {
  if (images.length === 0) return text;
  return [
    { type: "text", text },
    ...images.map((url) => ({ type: "image_url" as const, image_url: { url } })),
  ];
}

function toToolCall(call: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  return {
    id: call.id,
    type: "function",
    // Ollama refuses a whole conversation in which old arguments are no JSON.
    function: {
      name: call.name,
      arguments: isJson(call.argumentsJson) ? call.argumentsJson : "{}",
    },
  };
}

function toTool(
  tool: NonNullable<ModelRequest["tools"]>[number],
): OpenAI.ChatCompletionFunctionTool {
  return {
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: { ...tool.parameters },
    },
  };
}

function responseFormat(
  answer: ModelRequest["answer"],
  ways: Ways,
): Pick<Body, "response_format"> | Record<string, never> {
  if (answer === undefined || ways.answer === "words") return {};
  if (ways.answer === "json_object") return { response_format: { type: "json_object" } };
  return {
    response_format: {
      type: "json_schema",
      json_schema: { name: answer.name, strict: true, schema: { ...answer.schema } },
    },
  };
}

/** JSON mode demands the word JSON in the conversation, and neither it nor plain text knows the schema. */
function withSchema(messages: readonly Message[], schema: object, ways: Ways): Message[] {
  if (ways.answer === "json_schema") return [...messages];
  const line =
    ways.answer === "json_object"
      ? `Answer as JSON that fits this JSON Schema: ${JSON.stringify(schema)}`
      : `Answer with one JSON object and no other text. It must fit this JSON Schema: ${JSON.stringify(schema)}`;
  const last = messages.at(-1);
  if (last === undefined || (last.role !== "user" && last.role !== "system")) {
    return [...messages, { role: "user", content: line }];
  }
  const content =
    typeof last.content === "string"
      ? `${last.content}\n${line}`
      : [...last.content, { type: "text" as const, text: line }];
  return [...messages.slice(0, -1), { ...last, content } as Message];
}

function limit(
  maxOutputTokens: number | undefined,
  way: LimitWay,
): Pick<Body, "max_tokens" | "max_completion_tokens"> {
  if (maxOutputTokens === undefined || way === "none") return {};
  return way === "max_tokens"
    ? { max_tokens: maxOutputTokens }
    : { max_completion_tokens: maxOutputTokens };
}
