import { SHUTDOWN_GRACE_MS } from "../domain/limits.js";
import { answerPending } from "./answerPending.js";
import { createRouter, type Router } from "./router.js";
import { resumeRounds } from "./scheduler.js";
import type { Services } from "./services.js";
import { removeLeftOverStatusLines } from "./statusLine.js";
import { ShuttingDown } from "./stopping.js";

export interface App {
  readonly router: Router;
  /** Takes up what was going on when the process ended. Before any message arrives. */
  resume(): Promise<void>;
  /** No new turns; what is being said may be finished for a while, then it is cut off. */
  stop(): Promise<void>;
  /** Nothing runs, waits or is to be written. */
  onIdle(): Promise<void>;
}

/** The application over its ports. */
export function createApp(services: Services): App {
  const { mailboxes } = services;
  return {
    router: createRouter(services),
    async resume() {
      await removeLeftOverStatusLines(services);
      await resumeRounds(services, (place) => answerPending(services, place));
      for (const place of await services.storage.messages.pendingPlaces()) {
        answerPending(services, place);
      }
    },
    async stop() {
      mailboxes.beginClosing();
      const grace = new AbortController();
      const cutOff = services.clock
        .sleep(SHUTDOWN_GRACE_MS, grace.signal)
        .then(() => mailboxes.abortAll(new ShuttingDown()))
        .catch(() => undefined);
      await mailboxes.onIdle();
      grace.abort();
      await cutOff;
    },
    async onIdle() {
      await mailboxes.onIdle();
      await services.topics.onIdle();
    },
  };
}
