/** One process at a time acts on a database; a second one waits until the first has ended. */
import { claimDatabase } from "./adapters/storage/open.js";
import { type Claim, StorageError } from "./ports/storage.js";
import type { Clock, Log } from "./ports/system.js";

const PAUSE_MS = 1_000;

/**
 * Claims the database, as soon as no other process has it. Null: `signal` was aborted before.
 * Rejects with `StorageError` when the database cannot be asked at the first try.
 */
export async function claimOrStandBy(
  url: string,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly signal: AbortSignal;
    /** Tells the person who started it why nothing happens. */
    readonly tell: (sentence: string) => void;
  },
): Promise<Claim | null> {
  const { clock, log, signal, tell } = options;
  let isStandingBy = false;
  while (!signal.aborted) {
    try {
      const claim = await claimDatabase(url, clock);
      if (claim !== null) {
        if (isStandingBy) log.info({}, "the other process has ended; this one takes over");
        return claim;
      }
    } catch (error) {
      // It may go away and come back while this process waits.
      if (!isStandingBy || !(error instanceof StorageError) || !error.isTransient) throw error;
      log.warn({ err: error }, "the database could not be asked while standing by");
    }
    if (!isStandingBy) {
      isStandingBy = true;
      log.warn({}, "another process uses this database; standing by until it has ended");
      tell(
        "Another Parley process is using this database. This one stands by and takes over when that one has ended; press Ctrl+C if you did not mean to start it twice.",
      );
    }
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
  }
  return null;
}
