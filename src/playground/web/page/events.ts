import type { PlaygroundEvent } from "../../peopleApi.js";
import { API_PATH } from "./api.js";

export interface EventListeners {
  /** At the start and after every interruption: what happened before has to be fetched. */
  readonly opened: () => void;
  readonly happened: (event: PlaygroundEvent) => void;
  readonly lost: () => void;
  /** The server answers, but not with events: it may not know the person. */
  readonly refused: () => void;
}

const RETRY_MS = 2_000;

/** Follows what `userId` may see, and connects again until `stop` is called. */
export function followEvents(userId: string, listeners: EventListeners): { stop(): void } {
  let retry: number | undefined;
  let source = open();

  function open(): EventSource {
    const opened = new EventSource(`${API_PATH}/events?${new URLSearchParams({ user: userId })}`);
    opened.addEventListener("open", () => listeners.opened());
    opened.addEventListener("message", (message: MessageEvent<string>) => {
      listeners.happened(JSON.parse(message.data) as PlaygroundEvent);
    });
    opened.addEventListener("error", () => {
      listeners.lost();
      // The browser itself tries again after an interruption, but not after a refusal.
      if (opened.readyState !== EventSource.CLOSED) return;
      retry = window.setTimeout(() => {
        source = open();
        listeners.refused();
      }, RETRY_MS);
    });
    return opened;
  }

  return {
    stop() {
      window.clearTimeout(retry);
      source.close();
    },
  };
}
