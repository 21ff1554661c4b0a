import { ChatError } from "../ports/chat.js";
import type { Services } from "./services.js";

/** Tries in all. */
const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** Longest wait that Discord may ask for; the hidden webhook limit asks for up to 45 s. */
const LONGEST_WAIT_MS = 120_000;

/**
 * Does something in the channel, and again after a pause as long as Discord is in trouble, asks
 * for time, or may have done it already: an attempt has to be harmless when it was. The waiting
 * stops at once when the signal is aborted. Rejects with the last `ChatError`.
 */
export async function patiently<T>(
  { clock, log }: Pick<Services, "clock" | "log">,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ChatError) || tries >= MAX_TRIES) throw error;
      if (!PASSING.has(error.kind)) throw error;
      const pauseMs = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1);
      if (pauseMs > LONGEST_WAIT_MS) throw error;
      log.warn({ err: error, tries, pauseMs }, "trying again in the channel after a pause");
      await clock.sleep(pauseMs, signal);
    }
  }
}

const PASSING: ReadonlySet<ChatError["kind"]> = new Set(["unknown", "unavailable", "rate-limited"]);
