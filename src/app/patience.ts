import { ChatError } from "../ports/chat.js";
import type { Services } from "./services.js";

/** How long Discord's troubles, and the pauses that it asks for, are waited out in all. */
const LONGEST_WAIT_MS = 180_000;
/** Tries in all: also pauses of no length come to an end. */
const MAX_TRIES = 20;
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 30_000;

/** What holds something up, and for how long now; null: it goes on. */
export type OnPause = (
  pause: { readonly pauseMs: number; readonly kind: ChatError["kind"] } | null,
) => void;

/**
 * Does something in the channel, and again after a pause as long as Discord is in trouble, asks
 * for time, or may have done it already: an attempt has to be harmless when it was. The waiting
 * stops at once when the signal is aborted. Rejects with the last `ChatError` when it would take
 * too long; the signal that the attempts are given is aborted then, so that what Discord carries out
 * later still is known to be wanted no more. A pause in which Discord does nothing at all for the
 * bot is waited out however long it is: no other agent would fare better meanwhile.
 */
export async function patiently<T>(
  { clock, log }: Pick<Services, "clock" | "log">,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<T>,
  onPause: OnPause = () => undefined,
): Promise<T> {
  const givenUp = new AbortController();
  const wanted = AbortSignal.any([signal, givenUp.signal]);
  const giveUp = (error: unknown) => {
    givenUp.abort(error);
    return error;
  };
  let leftMs = LONGEST_WAIT_MS;
  let tries = 0;
  for (;;) {
    signal.throwIfAborted();
    tries += 1;
    try {
      return await attempt(wanted);
    } catch (error) {
      if (!(error instanceof ChatError) || tries >= MAX_TRIES || !error.mayPass) {
        throw giveUp(error);
      }
      const pauseMs =
        error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_OWN_PAUSE_MS);
      if (error.holdsAll) tries -= 1;
      else leftMs -= pauseMs;
      if (leftMs < 0) throw giveUp(error);
      log.warn({ err: error, tries, pauseMs }, "trying again in the channel after a pause");
      onPause({ pauseMs, kind: error.kind });
      await clock.sleep(pauseMs, signal);
      onPause(null);
    }
  }
}

/** Whether something may have been done already, over all attempts at it. */
export class Doubt {
  #isThere: boolean;

  constructor(isThere: boolean) {
    this.#isThere = isThere;
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  /** One attempt. There is doubt from the first one on whose outcome is not known. */
  async during<T>(attempt: (isDoubtful: boolean) => Promise<T>): Promise<T> {
    try {
      return await attempt(this.#isThere);
    } catch (error) {
      this.#isThere ||= error instanceof ChatError && error.kind === "unknown";
      throw error;
    }
  }
}
