import PQueue from "p-queue";
import { durationOf } from "../../domain/phrases.js";
import { ChatError } from "../../ports/chat.js";
import { believed } from "./retryAfter.js";

/** A hold up to this long is waited out on the spot; of a longer one the caller is told. */
const SHORT_HOLD_MS = 10_000;

/**
 * Lets requests go, first come, first served; all that count together share one. Discord may hold
 * all of them up at once ("Rate Limits", global).
 */
export class Pace {
  readonly #queue: PQueue;
  readonly #now: () => number;
  readonly #onHold: (hold: { readonly holdMs: number; readonly askedMs: number }) => void;
  #heldUntilMs = 0;

  /** `perSecond` null: as many as there are. `onHold` is told of each pause that is new. */
  constructor(options: {
    readonly perSecond: number | null;
    readonly onHold?: (hold: { readonly holdMs: number; readonly askedMs: number }) => void;
    readonly now?: () => number;
  }) {
    const { perSecond, onHold = () => undefined, now = Date.now } = options;
    this.#queue = new PQueue(
      perSecond === null ? {} : { intervalCap: perSecond, interval: 1_000, strict: true },
    );
    this.#now = now;
    this.#onHold = onHold;
  }

  /** Nobody gets a turn for so long, or for a bounded time where that cannot be meant. */
  hold(askedMs: number): void {
    const holdMs = believed(askedMs);
    if (this.heldForMs === 0) this.#onHold({ holdMs, askedMs });
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#now() + holdMs);
  }

  /** How long Discord still holds everything up. */
  get heldForMs(): number {
    return Math.max(0, this.#heldUntilMs - this.#now());
  }

  /** Requests wait at this moment: nothing should be asked that can be left out. */
  get isHeldUp(): boolean {
    return this.#queue.size > 0 || this.heldForMs > 0;
  }

  /** Discord holds everything up for so long that people notice it. */
  get isHeldLong(): boolean {
    return this.heldForMs > SHORT_HOLD_MS;
  }

  /**
   * Resolves when it is this request's turn. Rejects with the signal's reason, and with a `ChatError`
   * when Discord holds everything up for long, unless the request `isPatient`.
   */
  async turn(options: {
    readonly signal: AbortSignal | undefined;
    readonly isPatient: boolean;
    /** Before those who have not had a turn yet. */
    readonly isRepeated: boolean;
  }): Promise<void> {
    const { signal, isPatient, isRepeated } = options;
    signal?.throwIfAborted();
    if (!isPatient) this.#refuseLongHold();
    await untilAborted(signal, async () => {
      do {
        while (this.heldForMs > 0) await sleep(this.heldForMs);
        await this.#queue.add(() => undefined, { priority: isRepeated ? 1 : 0 });
        if (!isPatient) this.#refuseLongHold();
      } while (this.heldForMs > 0);
    });
  }

  #refuseLongHold(): void {
    if (!this.isHeldLong) return;
    throw heldUp(this.heldForMs);
  }
}

/** Discord does nothing for the bot until then. */
function heldUp(retryAfterMs: number): ChatError {
  return new ChatError(
    "rate-limited",
    `Discord has paused the bot for about ${durationOf(retryAfterMs)}: try again then.`,
    { retryAfterMs, holdsAll: true },
  );
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}

function untilAborted(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener("abort", stop));
  });
}
