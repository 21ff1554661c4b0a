import { randomBytes } from "node:crypto";
import { asId } from "../domain/ids.js";
import type { Clock, Ids } from "../ports/system.js";

/** Node.js fires a longer timer at once ("setTimeout" in its documentation). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const HELD = Symbol("held");

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(delayMs, signal) {
    for (let leftMs = delayMs; leftMs > LONGEST_TIMER_MS; leftMs -= LONGEST_TIMER_MS) {
      await sleepOnce(LONGEST_TIMER_MS, signal);
    }
    await sleepOnce(delayMs % LONGEST_TIMER_MS, signal);
  },
  timeout(delayMs, signal) {
    const over = new AbortController();
    const joined = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    // Not `AbortSignal.timeout`: on Node 20 one that is joined with other signals may be collected
    // as garbage before it fires (nodejs/node#57736). Here the joined signal holds what ends it, and
    // the timer holds neither: most calls are over long before their time is.
    Object.assign(joined, { [HELD]: over });
    const held = new WeakRef(over);
    setTimeout(
      () => held.deref()?.abort(new DOMException("The time is over.", "TimeoutError")),
      Math.min(delayMs, LONGEST_TIMER_MS),
    ).unref();
    return joined;
  },
};

function sleepOnce(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Crockford's alphabet in lower case: its order is the order of its values, also as text. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const BITS_PER_DIGIT = 5;
/** 45 bits of milliseconds: until the year 3084. */
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 9;
const RANDOM_BITS = BigInt(RANDOM_DIGITS * BITS_PER_DIGIT);

/**
 * Ids of 18 characters `0-9 a-z`: the millisecond, then 45 random bits. One process never makes the
 * same id twice, and each is greater than the one before, also when the clock goes back. Two
 * processes that make an id in the same millisecond make the same one with a chance of 1 in 3.5e13.
 */
export function createIds(now: () => number = Date.now): Ids {
  let last = 0n;
  const next = () => {
    const fresh = (BigInt(Math.trunc(now())) << RANDOM_BITS) | randomBits();
    last = fresh > last ? fresh : last + 1n;
    return inDigits(last);
  };
  return { agent: () => asId(next()), group: () => asId(next()), round: () => asId(next()) };
}

function randomBits(): bigint {
  return BigInt.asUintN(Number(RANDOM_BITS), randomBytes(8).readBigUInt64BE());
}

function inDigits(value: bigint): string {
  let digits = "";
  for (let rest = value; digits.length < TIME_DIGITS + RANDOM_DIGITS; rest >>= 5n) {
    digits = DIGITS.charAt(Number(rest & 31n)) + digits;
  }
  return digits;
}
