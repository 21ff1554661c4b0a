import { describe, expect, it } from "vitest";
import { kindOf, Refusal } from "../../../src/adapters/openai/errors.js";
import type { ModelErrorKind } from "../../../src/ports/model.js";

/** What becomes of an error body with this status; a text stands for its message. */
function kindFor(status: number, error: unknown): ModelErrorKind {
  const body = typeof error === "string" ? { message: error } : error;
  return kindOf(new Refusal(status, body, null), { hasImages: false, hasTools: false });
}

describe("a request that does not fit the model is known as too long", () => {
  it.each<[string, number, unknown]>([
    [
      "OpenAI",
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    ],
    ["OpenAI, a later model", 400, "Your input exceeds the context window of this model."],
    ["OpenAI, by its code", 400, { code: "context_length_exceeded", message: "No." }],
    [
      "Azure",
      400,
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    ],
    [
      "OpenAI, one long message",
      400,
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576.",
    ],
    [
      "OpenAI, more than a minute's tokens",
      429,
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000.",
    ],
    [
      "OpenRouter",
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
    ],
    [
      "OpenRouter, which passes on what a provider said",
      400,
      {
        code: 400,
        message: "Provider returned error",
        metadata: { raw: '{"message":"Input is too long for requested model."}' },
      },
    ],
    [
      "xAI",
      400,
      "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    ],
    [
      "Cohere",
      400,
      "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this model is 132000 tokens.",
    ],
    [
      "Cohere, an older model",
      400,
      "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
    ],
    [
      "Text Generation Inference",
      422,
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 500 `max_new_tokens`",
    ],
    [
      "Text Generation Inference, input alone",
      422,
      "Input validation error: `inputs` must have less than 4095 tokens. Given: 9000",
    ],
    [
      "Together",
      400,
      "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
    ],
    [
      "Together, with a limit",
      422,
      "Input token count + max_tokens parameter must be less than the context length of the model being queried.",
    ],
    ["Fireworks", 400, "The prompt is too long: 140000, model maximum context length: 131071"],
    [
      "vLLM",
      400,
      "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
    ],
    [
      "SGLang",
      400,
      "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    ],
    ["llama.cpp", 400, "the request exceeds the available context size, try increasing it"],
    ["llama.cpp, in the middle of an answer", 500, "Context size has been exceeded."],
    ["Ollama", 400, "prompt too long; exceeded max context length by 12 tokens"],
    ["Ollama, of an input", 400, "the input length exceeds the context length"],
    [
      "LM Studio",
      200,
      "The number of tokens to keep from the initial prompt is greater than the context length.",
    ],
    [
      "Mistral",
      400,
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ],
    [
      "DeepSeek",
      400,
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.",
    ],
    ["Groq", 400, "Please reduce the length of the messages or completion."],
    [
      "Groq, more than a minute's tokens",
      413,
      {
        code: "rate_limit_exceeded",
        message:
          "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000",
      },
    ],
    ["Anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum"],
    [
      "Anthropic, with a limit",
      400,
      "input length and `max_tokens` exceed context limit: 199926 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    ],
    [
      "Anthropic, in bytes",
      400,
      {
        type: "request_too_large",
        message: "Request exceeds the maximum allowed number of bytes.",
      },
    ],
    ["Anthropic, beyond the plan", 429, "Extra usage is required for long context requests."],
    [
      "Gemini",
      400,
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ],
    [
      "Gemini on Vertex",
      400,
      "Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.",
    ],
    ["Gemini, in bytes", 400, "Request payload size exceeds the limit: 20971520 bytes."],
    ["Bedrock", 400, "Input is too long for requested model."],
    [
      "Bedrock, Nova",
      400,
      "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    ],
    [
      "Bedrock, Titan",
      400,
      "Too many input tokens. Max input tokens: 4096, request input token count: 5000",
    ],
    [
      "Bedrock, in characters",
      400,
      "Malformed input request: expected maxLength: 100000, actual: 120000, please reformat your input and try again.",
    ],
    ["Qwen", 400, "Range of input length should be [1, 258048]"],
    [
      "Kimi",
      400,
      "Invalid request: Your request exceeded model token limit: 262144 (requested: 263162)",
    ],
    ["MiniMax", 400, "invalid params, context window exceeds limit (2013)"],
    ["z.ai", 400, "tokens in request more than max tokens allowed"],
    ["z.ai, by another code", 400, { code: "1261", message: "Prompt exceeds max length" }],
    ["Perplexity", 400, "The total length of all messages is too long."],
    ["GitHub Copilot", 400, "prompt token count of 130000 exceeds the limit of 128000"],
    [
      "GitHub Models",
      400,
      { code: "tokens_limit_reached", message: "Request body too large for gpt-4o model." },
    ],
    [
      "Cloudflare",
      400,
      "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).",
    ],
    [
      "LiteLLM",
      400,
      "litellm.ContextWindowExceededError: No models have context window large enough for this call.",
    ],
    ["a gateway", 400, "Sent message larger than max (50000056 vs. 20971520)"],
    ["a proxy", 400, "Request Entity Too Large"],
  ])("%s (%i)", (_provider, status, error) => {
    expect(kindFor(status, error)).toBe("too-long");
  });
});

describe("what is not about the length of the request is not known as that", () => {
  it.each<[ModelErrorKind, string, number, string]>([
    ["rate-limited", "tokens of a minute", 429, "Rate limit exceeded: too many tokens per minute"],
    [
      "rate-limited",
      "OpenAI's limit for a while",
      429,
      "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
    ],
    [
      "bad-answer",
      "Bedrock's throttle",
      400,
      "Throttling error: Too many tokens, please wait before trying again.",
    ],
    [
      "bad-answer",
      "Cohere's length of an answer",
      400,
      "too many tokens: max tokens must be less than or equal to 4096, the maximum output length for this model - received 8192.",
    ],
    ["bad-answer", "Qwen's length of an answer", 400, "Range of max_tokens should be [1, 8192]"],
    [
      "bad-answer",
      "OpenAI's length of an answer",
      400,
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    ],
    ["unavailable", "a model that does not fit the memory", 500, "model requires more memory"],
    ["unauthorized", "a key", 403, "The request is not allowed for this key"],
  ])("%s: %s", (kind, _name, status, message) => {
    expect(kindFor(status, message)).toBe(kind);
  });
});
