import { ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";

/** Between the tries: Discord is in trouble just then. */
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;

/**
 * Removes what Discord made late, when nobody wanted it any more. `remove` resolves to whether there
 * was anything. Never rejects.
 */
export async function takeAway(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  what: Readonly<Record<string, string>>,
  remove: () => Promise<boolean>,
): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      if (await remove()) {
        log.info(what, "Discord carried a request out late; what came of it is taken away");
      }
      return;
    } catch (error) {
      const isPassing = error instanceof ChatError && error.mayPass;
      if (!isPassing || pauseMs === null) {
        log.warn({ ...what, err: error }, "what came of a late request could not be taken away");
        return;
      }
      await clock.sleep(pauseMs);
    }
  }
}
