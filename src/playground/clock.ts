/** Time for the loopback server: the real one, or one that a test moves by hand. */
export interface LoopbackClock {
  /** Milliseconds since 1970. Never goes back. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** A clock that stands still until `advance` is called. */
export interface ManualClock extends LoopbackClock {
  /** Moves time forward and runs what fell due, in order. */
  advance(ms: number): void;
}

export const systemClock: LoopbackClock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export function manualClock(startMs: number = Date.UTC(2026, 0, 5, 12)): ManualClock {
  let nowMs = startMs;
  let waiting: { readonly dueMs: number; readonly run: () => void }[] = [];
  const takeDue = (untilMs: number) => {
    const due = waiting
      .filter((timer) => timer.dueMs <= untilMs)
      .sort((a, b) => a.dueMs - b.dueMs)[0];
    if (due) waiting = waiting.filter((timer) => timer !== due);
    return due;
  };
  return {
    now: () => nowMs,
    after(delayMs, run) {
      const timer = { dueMs: nowMs + delayMs, run };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let timer = takeDue(untilMs); timer; timer = takeDue(untilMs)) {
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.run();
      }
      nowMs = untilMs;
    },
  };
}
