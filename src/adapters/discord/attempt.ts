import { ChatError } from "../../ports/chat.js";
import type { Clock } from "../../ports/system.js";
import { type Attempt, chatErrorOf } from "./errors.js";

/**
 * Does it; a failure becomes a `ChatError`, and an aborted signal its own reason: at once where the
 * attempt has no effect, else when what is under way has come to its end, so that its outcome is
 * known. `call` is given a signal of its own: `@discordjs/rest` never takes its listeners off again.
 */
export async function attempt<T>(
  what: Attempt,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const work = call(own.signal);
    return await (what.hasEffect ? work : untilAborted(work, own.signal));
  } catch (error) {
    signal?.throwIfAborted();
    throw passing(chatErrorOf(error, what));
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** A token that is void ends the connection and the process: what is refused in between may pass. */
function passing(error: ChatError): ChatError {
  if (error.kind !== "logged-out") return error;
  return new ChatError("unavailable", "Discord does not accept the bot's token just now.", {
    cause: error.cause,
  });
}

/** What Discord answered. A page of a proxy is an error here, also with a status of success. */
export async function jsonOf<T>(answer: Promise<unknown>): Promise<T> {
  const value = await answer;
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) {
    throw new SyntaxError("The answer is no JSON.");
  }
  return value as T;
}

/** The list that Discord answered. Anything else is an error, also with a status of success. */
export async function listOf<T>(answer: Promise<unknown>): Promise<readonly T[]> {
  const list = await jsonOf<unknown>(answer);
  if (!Array.isArray(list)) throw new SyntaxError("The answer is no list.");
  return list as readonly T[];
}

/**
 * What Discord made. An answer without an id does not tell whether anything was made, also with a
 * status of success.
 */
export async function madeOf<T extends { readonly id: string | null }>(
  answer: Promise<unknown>,
): Promise<T> {
  const made = await jsonOf<T>(answer);
  if (typeof made.id !== "string") throw new SyntaxError("The answer names nothing that was made.");
  return made;
}

/**
 * Where Discord has done what it answers with nothing (204). A page or a text of a proxy does not
 * tell that anything was done, also with a status of success.
 */
export function confirmedEmpty(answer: unknown): void {
  const isEmpty = answer instanceof ArrayBuffer && answer.byteLength === 0;
  if (!isEmpty) throw new SyntaxError("The answer is not the empty one that was expected.");
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
/** The longest that five messages in five seconds, Discord's limit of a channel, make one wait. */
const SHORT_PAUSE_MS = 6_000;

function shortPauseMs(error: unknown): number | null {
  if (!(error instanceof ChatError) || error.kind !== "rate-limited") return null;
  const { retryAfterMs } = error;
  return retryAfterMs !== null && retryAfterMs <= SHORT_PAUSE_MS ? retryAfterMs : null;
}

/** Not every request hears its signal, so nobody waits for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}
