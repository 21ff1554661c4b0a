import { ChatError } from "../../ports/chat.js";
import type { Clock } from "../../ports/system.js";
import { type Attempt, chatErrorOf } from "./errors.js";

/** Does it; a failure becomes a `ChatError`, and an aborted signal its own reason, at once. */
export async function attempt<T>(
  what: Attempt,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await untilAborted(call(), signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw chatErrorOf(error, what);
  }
}

/** Waits out a short rate limit, which means that nothing was done yet; a long one is the caller's. */
export async function withShortPauses<T>(
  clock: Clock,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  for (let pausesLeft = SHORT_PAUSES; ; pausesLeft -= 1) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = shortPauseMs(error);
      if (pauseMs === null || pausesLeft === 0) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}

const SHORT_PAUSES = 2;
const SHORT_PAUSE_MS = 5_000;

function shortPauseMs(error: unknown): number | null {
  if (!(error instanceof ChatError) || error.kind !== "rate-limited") return null;
  const { retryAfterMs } = error;
  return retryAfterMs !== null && retryAfterMs <= SHORT_PAUSE_MS ? retryAfterMs : null;
}

/** A request that sleeps for a rate limit does not hear its signal, so nobody waits for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
