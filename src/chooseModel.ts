/** Which model answers: what is configured, else a local server that runs, else the demo model. */

import { findLocalServer } from "./adapters/openai/local.js";
import { createOpenAiModel } from "./adapters/openai/model.js";
import { type Config, ConfigError } from "./config.js";
import { DEMO_MODEL } from "./domain/demo.js";
import type { Model } from "./ports/model.js";
import type { Clock, Log } from "./ports/system.js";

export interface ChosenModel {
  readonly port: Model;
  readonly model: string;
  readonly judgeModel: string;
  /** For people: "gpt-5-mini at api.openai.com". */
  readonly description: string;
}

/** What is asked for when an endpoint is set and no model. */
const OPENAI_MODEL = "gpt-5-mini";

/**
 * Rejects with `ConfigError` when there is no model. `isPlayground`: then the demo model stands
 * in; on Discord it does only when `MODEL=demo` asks for it.
 */
export async function chooseModel(
  config: Config,
  options: { readonly isPlayground: boolean; readonly clock: Clock; readonly log: Log },
): Promise<ChosenModel> {
  const { clock, log } = options;
  if (config.model === DEMO_MODEL) return demo(options);
  if (config.openaiApiKey !== null || config.openaiBaseUrl !== null) {
    const port = createOpenAiModel({
      apiKey: config.openaiApiKey,
      baseUrl: config.openaiBaseUrl,
      log,
      clock,
    });
    const model = config.model ?? OPENAI_MODEL;
    const judgeModel = config.judgeModel ?? model;
    const host = new URL(config.openaiBaseUrl ?? "https://api.openai.com").host;
    return { port, model, judgeModel, description: `${model} at ${host}` };
  }
  const local = await findLocalServer(log);
  if (local !== null) {
    const port = createOpenAiModel({ apiKey: null, baseUrl: local.baseUrl, log, clock });
    const model = config.model ?? local.model;
    const judgeModel = config.judgeModel ?? model;
    return { port, model, judgeModel, description: `${model} on ${local.name} of this machine` };
  }
  if (options.isPlayground) return demo(options);
  throw new ConfigError(
    "OPENAI_API_KEY: no model is configured. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, or start Ollama, LM Studio or llama.cpp on this machine, or try the built-in demo with MODEL=demo.",
  );
}

async function demo({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Log;
}): Promise<ChosenModel> {
  // Loaded only where it is used: it brings a small embedding model along.
  const { createDemoModel } = await import("./playground/demoModel.js");
  return {
    port: createDemoModel({ clock, log }),
    model: DEMO_MODEL,
    judgeModel: DEMO_MODEL,
    description: "the built-in demo model",
  };
}
