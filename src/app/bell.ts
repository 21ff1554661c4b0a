import type { Clock } from "../ports/system.js";

/** Rings when something was stored, for those who wait for news. Owns nothing but who waits. */
export class Bell {
  #rings = 0;
  readonly #waiting = new Set<() => void>();

  /** How often it has rung: to be remembered before looking, and given to `wait`. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings += 1;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Resolves to true as soon as it has rung since `heard`, to false after `timeoutMs` of silence.
   * Rejects with the signal's reason once that is aborted.
   */
  async wait(
    clock: Clock,
    heard: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    signal.throwIfAborted();
    if (this.#rings !== heard) return true;
    const silence = new AbortController();
    const rung = new Promise<true>((resolve) => {
      const wake = () => resolve(true);
      this.#waiting.add(wake);
      silence.signal.addEventListener("abort", () => this.#waiting.delete(wake));
    });
    try {
      const any = AbortSignal.any([signal, silence.signal]);
      return await Promise.race([rung, clock.sleep(timeoutMs, any).then(() => false)]);
    } finally {
      silence.abort();
    }
  }
}
