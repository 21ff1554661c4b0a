import type { ConversationId } from "../domain/ids.js";
import { SHUTDOWN_GRACE_MS } from "../domain/limits.js";
import type { Engine } from "./engine.js";
import { Mailboxes } from "./mailbox.js";
import { answerPending, createRouter, type Router } from "./router.js";
import { resumeRounds, ShuttingDown } from "./scheduler.js";
import type { Services } from "./services.js";

export interface App {
  readonly router: Router;
  readonly engine: Engine;
  /** Takes up what was going on when the process ended. Before any message arrives. */
  resume(): Promise<void>;
  /** No new turns; what is being said may be finished for a while, then it is cut off. */
  stop(): Promise<void>;
  /** Nothing runs, waits or is to be written. */
  onIdle(): Promise<void>;
}

/** The application over its ports. */
export function createApp(services: Services): App {
  let isStopping = false;
  const mailboxes = new Mailboxes<ConversationId>((error, conversationId) => {
    if (error instanceof ShuttingDown) return;
    services.log.error({ err: error, conversationId }, "a job failed");
  });
  const engine: Engine = { ...services, mailboxes, isStopping: () => isStopping };

  return {
    engine,
    router: createRouter(engine),
    async resume() {
      await resumeRounds(engine);
      for (const place of await services.storage.messages.pendingPlaces()) {
        answerPending(engine, place);
      }
    },
    async stop() {
      isStopping = true;
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
