import { CLOCK_DIFFERENCE_MS } from "../domain/limits.js";
import type { ReceivedMessage } from "../ports/chat.js";
import type { Clock, Log } from "../ports/system.js";

/**
 * What the chat service tells as it happens is new, whatever the clock of this machine says: where
 * that goes wrong, people would be ignored without a word. A connection that broke is taken up
 * within minutes, or begins anew: a message that seems older than that, or of a time to come,
 * counts as written when it came, and the difference is logged once.
 */
export class LiveTime {
  readonly #services: { readonly clock: Clock; readonly log: Log };
  #isTold = false;

  constructor(services: { readonly clock: Clock; readonly log: Log }) {
    this.#services = services;
  }

  asOfNow(message: ReceivedMessage): ReceivedMessage {
    const nowMs = this.#services.clock.now();
    const aheadMs = nowMs - message.createdAtMs;
    if (Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MS) return message;
    if (!this.#isTold) {
      this.#isTold = true;
      this.#services.log.warn(
        { aheadMs },
        "the clock of this machine is not Discord's: set it right",
      );
    }
    return { ...message, createdAtMs: nowMs };
  }
}
