/** One reader's stream of server-sent events (WHATWG HTML, "Server-sent events"). */
import type { Bell } from "../../app/bell.js";
import type { ChannelId } from "../../domain/ids.js";
import type { FeedStore } from "../../ports/feed.js";
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
    readonly channelId: ChannelId | null;
    readonly patienceMs: number;
    /** Aborted when the reader goes away or the server ends. */
    readonly signal: AbortSignal;
    readonly drop: () => void;
  },
): ReadableStream<Uint8Array> {
  const { channelId, patienceMs, signal, drop } = options;
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
        log.warn({ channelId, after }, "a reader of events takes nothing and was dropped");
        drop();
      },
      () => undefined,
    );
  };

  const next = async (): Promise<string> => {
    for (;;) {
      const heard = bell.rings;
      const entries = await feed.since(after, { channelId, limit: BATCH });
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
      },
      async pull(controller) {
        taken.abort();
        try {
          controller.enqueue(encoder.encode(await next()));
          expectTaken();
        } catch (error) {
          if (!ended.aborted) log.error({ err: error }, "a stream of events failed");
          gone.abort();
          controller.close();
        }
      },
      cancel() {
        gone.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
