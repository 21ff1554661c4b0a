import { SHUTDOWN_GRACE_MS } from "../domain/limits.js";
import { answerPending } from "./answerPending.js";
import { resumeReplyChanges } from "./changeReply.js";
import { createRouter, type Router } from "./router.js";
import { resumeRounds } from "./scheduler.js";
import type { Services } from "./services.js";
import { removeLeftOverStatusLines } from "./statusLine.js";
import { ShuttingDown } from "./stopping.js";
import { resumeWords } from "./words.js";

/** For what does not heed that it is cut off, such as a request to Discord. */
const CUT_OFF_MS = 5_000;

export interface App {
  readonly router: Router;
  /** Takes up what was going on when the process ended. Before any message arrives. */
  resume(): Promise<void>;
  /** No new turns; what is being said may be finished for a while, then it is cut off. */
  stop(): Promise<void>;
  /** Nothing runs, waits or is to be written. */
  onIdle(): Promise<void>;
}

/** Resolves when the grace is over, and what then had to be cut off has had its time to end; or when `done`. */
async function cutOffLater({ clock, log, mailboxes }: Services, done: AbortSignal): Promise<void> {
  try {
    await clock.sleep(SHUTDOWN_GRACE_MS, done);
    mailboxes.abortAll(new ShuttingDown());
    await clock.sleep(CUT_OFF_MS, done);
    log.warn({}, "something did not end in time; the next start takes it up");
  } catch (error) {
    if (!done.aborted) throw error;
  }
}

/** The application over its ports. */
export function createApp(services: Services): App {
  const { mailboxes } = services;
  return {
    router: createRouter(services),
    async resume() {
      await removeLeftOverStatusLines(services);
      await resumeWords(services);
      await resumeReplyChanges(services);
      await resumeRounds(services, (place) => answerPending(services, place));
      for (const place of await services.storage.messages.pendingPlaces()) {
        answerPending(services, place);
      }
    },
    async stop() {
      mailboxes.beginClosing();
      const done = new AbortController();
      const cutOff = cutOffLater(services, done.signal);
      await Promise.race([mailboxes.onIdle(), cutOff]);
      done.abort();
      await cutOff;
    },
    async onIdle() {
      await mailboxes.onIdle();
      await services.topics.onIdle();
    },
  };
}
