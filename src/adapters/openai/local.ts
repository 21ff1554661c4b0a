import { z } from "zod";
import type { Log } from "../../ports/system.js";

/** A model server on this machine. */
interface LocalServer {
  readonly name: string;
  /** As OPENAI_BASE_URL would name it. */
  readonly baseUrl: string;
  /** Models that chat, in the server's order; at least one. */
  readonly models: readonly string[];
  /** The one of `models` to use when nobody chose. */
  readonly model: string;
}

interface LocalSearch {
  /** Who may listen where, the preferred one first. */
  readonly servers?: readonly { readonly name: string; readonly port: number }[];
  readonly timeoutMs?: number;
}

const usualServers = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
] as const;

const usualTimeoutMs = 1_000;

// All three answer in this form; other programs on these ports do not.
const modelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(z.object({ id: z.string().min(1), object: z.literal("model") })),
});

/**
 * Looks for a model server on the usual ports of this machine, all at the same time. Null when
 * none of them answers in time with a list that holds a model for chats. Never rejects.
 */
export async function findLocalServer(
  log?: Log,
  search: LocalSearch = {},
): Promise<LocalServer | null> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), search.timeoutMs ?? usualTimeoutMs);
  const asked = (search.servers ?? usualServers).map(async ({ name, port }) => {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const all = await listModels(baseUrl, stop.signal);
    const models = all.filter(isForChats);
    const model = defaultModel(models);
    log?.debug({ name, baseUrl, models: all.length }, "asked for a local model server");
    return model === null ? null : { name, baseUrl, models, model };
  });
  try {
    for (const answer of asked) {
      const server = await answer;
      if (server === null) continue;
      log?.info({ ...server, models: server.models.length }, "found a local model server");
      return server;
    }
    return null;
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** The first model that is meant for talk rather than for code or for completing text, else the first; null for none. */
export function defaultModel(models: readonly string[]): string | null {
  const chats = models.filter(isForChats);
  return chats.find((id) => !/\bbase\b|code|coder|starcoder|math/i.test(id)) ?? chats[0] ?? null;
}

function isForChats(id: string): boolean {
  return !/embed|rerank|\bbge\b|\bgte\b|\be5\b|minilm|whisper|\btts\b|\bclip\b|diffusion|\bflux\b/i.test(
    id,
  );
}

async function listModels(baseUrl: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    // A redirect leads to some other program's login page.
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: "manual" });
    const parsed = response.ok ? modelListSchema.safeParse(await response.json()) : null;
    if (!response.ok) await response.body?.cancel();
    return parsed?.success ? parsed.data.data.map((model) => model.id) : [];
  } catch {
    // Nobody there, too slow, or no JSON: all the same, no model server.
    return [];
  }
}
