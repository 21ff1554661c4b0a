import { systemClock } from "../../src/adapters/system.js";
import type { Clock } from "../../src/ports/system.js";

/** The time of the machine, in which nobody sleeps long: for pauses of seconds and minutes. */
export function briskClock(longestSleepMs = 300): Clock {
  return {
    ...systemClock,
    sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, longestSleepMs), signal),
  };
}
