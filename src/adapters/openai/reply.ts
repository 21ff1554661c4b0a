import { z } from "zod";
import {
  ModelError,
  type ModelReply,
  type ModelRequest,
  type TokenUsage,
  type ToolCall,
} from "../../ports/model.js";
import { Refusal } from "./errors.js";
import { isJson, jsonIn } from "./text.js";
import { withoutThoughts } from "./thoughts.js";

// Read loosely: endpoints leave out, null or rename much of what OpenAI always sends.
const countSchema = z.number().nonnegative().nullish().catch(null);

const usageSchema = z.object({
  prompt_tokens: z.number().nonnegative(),
  completion_tokens: countSchema,
  prompt_tokens_details: z.object({ cached_tokens: countSchema }).nullish().catch(null),
  // DeepSeek's name.
  prompt_cache_hit_tokens: countSchema,
});

const toolCallSchema = z.object({
  id: z.string().nullish(),
  function: z.object({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
});

const messageSchema = z.object({
  content: z
    .union([
      z.string(),
      z.array(
        z.object({
          type: z.string().optional().catch(undefined),
          text: z.string().optional().catch(undefined),
        }),
      ),
    ])
    .nullish(),
  refusal: z.string().nullish(),
  // Some write an empty object for none.
  tool_calls: z.preprocess(
    (calls) => (Array.isArray(calls) ? calls : null),
    z.array(toolCallSchema).nullable(),
  ),
});

const choiceSchema = z.object({
  message: messageSchema,
  finish_reason: z.string().nullish(),
  error: z.unknown().optional(),
});

const completionSchema = z.object({
  choices: z.array(choiceSchema).min(1),
  model: z.string().nullish(),
});

/**
 * A completion as it came over the wire as our reply. Throws `ModelError` for an answer that is
 * none or that was refused, and `Refusal` for an error that was sent with status 200; both say what
 * the answer told of its tokens.
 */
export function toReply(body: unknown, request: ModelRequest): ModelReply {
  const json = typeof body === "string" ? parse(body) : body;
  const told = toldIn(json);
  throwSentError(json, told);
  const usage = told ?? "unknown";
  const parsed = completionSchema.safeParse(json);
  if (!parsed.success) {
    throw new ModelError("bad-answer", `no completion: ${where(parsed.error)}`, { usage });
  }
  const choice = parsed.data.choices[0];
  if (choice === undefined) {
    throw new ModelError("bad-answer", "no completion: no choices", { usage });
  }
  const { message } = choice;
  if (choice.finish_reason === "content_filter") {
    throw new ModelError("refused", "stopped by the content filter", { usage });
  }
  if (choice.finish_reason === "error") {
    throw new Refusal(200, choice.error ?? "error", null, usage);
  }

  const content = contentText(message.content);
  // What stands in the texts of a structured answer are no thoughts.
  const isWhole = request.answer !== undefined && isJson(content);
  const text = isWhole ? content.trim() : withoutThoughts(content);
  if (text === "" && (message.refusal ?? "") !== "") {
    throw new ModelError("refused", "refused by the model", { usage });
  }
  const written = (message.tool_calls ?? []).map(toToolCall);
  // Calls of tools that were not offered are passed over: what is left may be no text at all.
  const isOffered = (request.tools?.length ?? 0) > 0;
  const toolCalls = isOffered ? written : [];
  return {
    text: request.answer === undefined ? text : jsonIn(text),
    toolCalls,
    ...(written.length > 0 && !isOffered ? { wantedTools: true } : {}),
    finish: toolCalls.length > 0 ? "tools" : choice.finish_reason === "length" ? "length" : "stop",
    usage: told,
    model: parsed.data.model ?? request.model,
  };
}

function parse(text: string): unknown {
  // The client hands over text whenever the content type is not JSON.
  if (/^\s*</.test(text)) throw new Refusal(200, text, null);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ModelError("bad-answer", "invalid JSON", { usage: "unknown" });
  }
}

/** LM Studio and OpenRouter report some errors with status 200. */
function throwSentError(json: unknown, told: TokenUsage | null): void {
  if (typeof json !== "object" || json === null || !("error" in json)) return;
  const { error } = json;
  if (error === null || error === undefined) return;
  const code = typeof error === "object" && "code" in error ? error.code : null;
  throw new Refusal(typeof code === "number" ? code : 200, error, null, told);
}

function contentText(content: z.infer<typeof messageSchema>["content"]): string {
  if (typeof content === "string") return content;
  const isThought = (type = "") => /think|thought|reason/i.test(type);
  return (content ?? []).map(({ type, text }) => (isThought(type) ? "" : (text ?? ""))).join("");
}

function toToolCall(call: z.infer<typeof toolCallSchema>, index: number): ToolCall {
  const written = call.function.arguments ?? "";
  return {
    // A result must name its call, and some endpoints give no id.
    id: call.id || `call_${index}`,
    name: call.function.name,
    argumentsJson: typeof written === "string" ? written : JSON.stringify(written),
  };
}

/** What an answer of any form tells of its tokens. */
function toldIn(json: unknown): TokenUsage | null {
  if (typeof json !== "object" || json === null || !("usage" in json)) return null;
  const parsed = usageSchema.safeParse(json.usage);
  if (!parsed.success) return null;
  const { data } = parsed;
  return {
    inputTokens: data.prompt_tokens,
    outputTokens: data.completion_tokens ?? 0,
    cachedTokens: data.prompt_tokens_details?.cached_tokens ?? data.prompt_cache_hit_tokens ?? 0,
  };
}

function where(error: z.ZodError): string {
  return error.issues.map((issue) => issue.path.join(".") || "body").join(", ");
}
