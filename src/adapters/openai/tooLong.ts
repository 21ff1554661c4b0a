/**
 * How providers say that a request does not fit the model. Each pattern is for a kind of wording,
 * not for one text: numbers, names of models and much of the grammar differ from version to version.
 */
const WORDINGS: readonly RegExp[] = [
  // The size of the context: OpenAI, Azure, OpenRouter, DeepSeek, Mistral, vLLM, SGLang, Together,
  // Fireworks, llama.cpp, Ollama, LM Studio, MiniMax, Cloudflare, LiteLLM, z.ai.
  /context[ _](?:length|window|size|limit)|contextwindowexceeded|context the overflows/,
  // The same under another name: vLLM, xAI, SGLang, GitHub, Qwen, Bedrock.
  /maximum (?:model|prompt|(?:allowed )?input) length|range of input length|expected maxlength/,
  // A prompt, or a part of one, that is long: Anthropic, Bedrock, Ollama, Perplexity, Mistral.
  /(?:prompt|inputs?|messages|string)(?: is| are)? too (?:long|large)\b|too long to fit/,
  /prompt (?:exceeds (?:the )?max|length exceeds)|string_above_max_length/,
  /reduce (?:the length|(?:the |your )?(?:input|prompt))/,
  // Tokens that are counted: Gemini, Bedrock, OpenAI's later models, GitHub, Kimi, z.ai.
  /(?:input|prompt)[ _]tokens?(?: count)?.{0,60}(?:exceed|supports up to|more than)/,
  /tokens in request more than|model token limit|token limit exceeded|tokens_limit_reached/,
  // Cohere, Bedrock. Not the length of the answer, nor a limit of some time.
  /too many (?:input |prompt )?tokens(?!: max tokens|.{0,40}(?:\bwait\b|\bper (?:minute|hour|day)\b|slow down))/,
  // Text Generation Inference, as Hugging Face and Together run it.
  /`?inputs`? (?:tokens \+|must have less than)/,
  // The size in bytes: Anthropic, Gemini, gateways.
  /request_too_large|(?:payload|entity|body|request) too large|(?:payload|request)(?: size)? exceeds the (?:limit|maximum size)|message larger than max/,
];

/** A limit of tokens for a minute that this one request is beyond: no waiting helps. Groq, OpenAI, Anthropic. */
const BEYOND_RATE = /request too large for|extra usage is required for long context/;

/** Whether an endpoint says in these words, in lower case, that the request is too big for the model. */
export function isTooLong(words: string): boolean {
  return WORDINGS.some((wording) => wording.test(words));
}

/** The same for a refusal with status 403 or 429, which mean something else most of the time. */
export function isBeyondRate(words: string): boolean {
  return BEYOND_RATE.test(words);
}
