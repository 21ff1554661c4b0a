/** What Discord's answers say about pauses, as far as it can be believed. */
import type { ResponseLike } from "discord.js";

/** A longer pause is none that Discord would mean: it is tried again after `DOUBTED_MS`. */
const LONGEST_BELIEVED_MS = 3_600_000;
const DOUBTED_MS = 10 * 60_000;
/** Where a pause is asked for, but not how long. */
const UNTOLD_MS = 1_000;

/** The pause to make when Discord asks for this one. */
export function believed(askedMs: number): number {
  if (!(askedMs > 0)) return UNTOLD_MS;
  return askedMs > LONGEST_BELIEVED_MS ? DOUBTED_MS : askedMs;
}

/** The pause for all requests that Discord asks for with this answer; null: none. */
export function globalPauseMs({ status, headers }: ResponseLike): number | null {
  const isGlobal =
    headers.has("x-ratelimit-global") || headers.get("x-ratelimit-scope") === "global";
  return status === 429 && isGlobal ? Number(headers.get("retry-after")) * 1_000 : null;
}

/**
 * The same answer with pauses that can be believed: the library hands them to timers as they are,
 * and repeats at once what was refused without one.
 */
export function withBelievedPauses(answer: ResponseLike): ResponseLike {
  const { headers, status } = answer;
  const changed = new Headers(headers);
  for (const name of ["retry-after", "x-ratelimit-reset-after"]) {
    const value = headers.get(name);
    if (value === null && !(status === 429 && name === "retry-after")) continue;
    changed.set(name, String(believed(Number(value) * 1_000) / 1_000));
  }
  return {
    body: answer.body,
    get bodyUsed() {
      return answer.bodyUsed;
    },
    headers: changed,
    ok: answer.ok,
    status,
    statusText: answer.statusText,
    arrayBuffer: () => answer.arrayBuffer(),
    json: () => answer.json(),
    text: () => answer.text(),
  };
}
