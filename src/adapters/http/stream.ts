/** One reader's stream of server-sent events (WHATWG HTML, "Server-sent events"). */
import type { Bell } from "../../app/bell.js";
import type { FeedOf, FeedStore } from "../../ports/feed.js";
import type { Clock, Log } from "../../ports/system.js";
import { textOf } from "./eventText.js";

/** Entries that are read from the store, and held for a reader, at once. */
const BATCH = 50;
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for so long is dropped. */
export const PATIENCE_MS = 30_000;

export interface StreamServices {
  readonly feed: FeedStore;
  readonly bell: Bell;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What comes after `after`, and everything that follows. The store is read only as fast as the
 * reader takes it, so that a slow one costs one batch of memory; one that takes nothing for
 * `patienceMs` is dropped by `drop`, and can go on later from where it was.
 */
export function eventStream(
  { feed, bell, clock, log }: StreamServices,
  options: {
    readonly after: number;
    readonly of: FeedOf;
    readonly patienceMs: number;
    /** Aborted when the reader goes away or the server ends. */
    readonly signal: AbortSignal;
    readonly drop: () => void;
  },
): ReadableStream<Uint8Array> {
  const { of, patienceMs, signal, drop } = options;
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  let { after } = options;
  let taken = new AbortController();

  /** Begins to wait for the reader to take what it was given. */
  const expectTaken = () => {
    taken = new AbortController();
    clock.sleep(patienceMs, AbortSignal.any([ended, taken.signal])).then(
      () => {
        log.warn({ of, after }, "a reader of events takes nothing and was dropped");
        drop();
      },
      () => undefined,
    );
  };

  let isTold = false;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (isTold) return;
    isTold = true;
    gone.abort();
    controller.close();
  };

  const next = async (): Promise<string> => {
    for (;;) {
      const heard = bell.rings;
      const entries = await feed.since(after, { of, limit: BATCH });
      const last = entries.at(-1);
      if (last !== undefined) {
        after = last.number;
        return entries.map(textOf).join("");
      }
      if (!(await bell.wait(clock, heard, HEARTBEAT_MS, ended))) return ": alive\n\n";
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // At once, so that the reader knows that it is connected.
        controller.enqueue(encoder.encode("retry: 2000\n: connected\n\n"));
        // A reader is to see an end, and no broken connection, also when it has not asked for more.
        signal.addEventListener("abort", () => end(controller), { once: true });
      },
      async pull(controller) {
        taken.abort();
        try {
          const text = await next();
          if (isTold) return;
          controller.enqueue(encoder.encode(text));
          expectTaken();
        } catch (error) {
          if (!ended.aborted) log.error({ err: error }, "a stream of events failed");
          end(controller);
        }
      },
      cancel() {
        isTold = true;
        gone.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
