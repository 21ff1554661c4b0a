import type { Clock } from "../../src/ports/system.js";

interface Timer {
  readonly dueMs: number;
  readonly ring: () => void;
}

/** Time that stands still until a test moves it. */
export class TestClock implements Clock {
  #nowMs: number;
  #timers: readonly Timer[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 5, 12)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        reject(signal?.reason);
      };
      const timer = this.#add(delayMs, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  timeout(delayMs: number, signal?: AbortSignal): AbortSignal {
    const controller = new AbortController();
    this.#add(delayMs, () => {
      controller.abort(new DOMException("The time is over", "TimeoutError"));
    });
    return signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  }

  /**
   * Moves time forward. What falls due happens in its order, at its time; what it sets off (also new
   * sleeps that fall due before the end) is done before the next, as far as it needs no I/O.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let timer = this.#takeDue(untilMs); timer; timer = this.#takeDue(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
      timer.ring();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  /** How many sleeps and time-outs are still to come. */
  get waiting(): number {
    return this.#timers.length;
  }

  #add(delayMs: number, ring: () => void): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, ring };
    this.#timers = [...this.#timers, timer];
    return timer;
  }

  /** Takes away the earliest timer that is due; of equal ones the oldest. */
  #takeDue(untilMs: number): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === null || timer.dueMs < next.dueMs)) next = timer;
    }
    this.#timers = this.#timers.filter((timer) => timer !== next);
    return next;
  }
}

/** One turn of the event loop: every promise that can go on has done so. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
