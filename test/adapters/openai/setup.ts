import { afterEach } from "vitest";
import { createOpenAiModel, type OpenAiModelOptions } from "../../../src/adapters/openai/model.js";
import { systemClock } from "../../../src/adapters/system.js";
import { type Model, ModelError, type ModelRequest } from "../../../src/ports/model.js";
import type { Log } from "../../../src/ports/system.js";
import { type ModelEndpoint, startModelEndpoint } from "../../support/modelEndpoint.js";

export const apiKey = "sk-test-0123456789abcdef";

export interface Setup {
  readonly endpoint: ModelEndpoint;
  readonly model: Model;
  /** Every line of the log with its fields, as JSON. */
  readonly logged: readonly string[];
}

/** An endpoint and a model on it; the endpoint is checked and closed after the test. */
export async function setUp(options: Partial<OpenAiModelOptions> = {}): Promise<Setup> {
  const endpoint = await startModelEndpoint();
  open.push(endpoint);
  const logged: string[] = [];
  const model = createOpenAiModel({
    apiKey,
    baseUrl: endpoint.baseUrl,
    log: recordingLog(logged),
    clock: systemClock,
    ...options,
  });
  return { endpoint, model, logged };
}

const open: ModelEndpoint[] = [];

afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close();
});

export function recordingLog(lines: string[]): Log {
  const write = (fields: object, message: string) => {
    lines.push(JSON.stringify({ ...fields, message }));
  };
  return { debug: write, info: write, warn: write, error: write };
}

export function ask(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    purpose: "turn",
    model: "small",
    messages: [
      { role: "system", text: "You are the Editor." },
      { role: "user", text: "Please look at this." },
    ],
    timeoutMs: 30_000,
    ...change,
  };
}

export const scores = {
  name: "scores",
  schema: {
    type: "object",
    properties: { editor: { type: "number" } },
    required: ["editor"],
    additionalProperties: false,
  },
};

/** The error with which a call ends. */
export async function errorOf(call: Promise<unknown>): Promise<ModelError> {
  const outcome = await call.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (outcome instanceof ModelError) return outcome;
  throw new Error(`expected a ModelError, got ${JSON.stringify(outcome)} (${String(outcome)})`);
}
