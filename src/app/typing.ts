import type { Place } from "../domain/message.js";
import type { Services } from "./services.js";

/** Discord shows "is typing" for ten seconds (Discord API, "Trigger Typing Indicator"). */
const RENEW_MS = 8_000;

/** Shows that somebody writes for as long as the work takes. */
export async function whileTyping<T>(
  services: Pick<Services, "chat" | "clock">,
  place: Place,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const typing = keepTyping(services, place, done.signal);
  try {
    return await work();
  } finally {
    done.abort();
    await typing;
  }
}

async function keepTyping(
  { chat, clock }: Pick<Services, "chat" | "clock">,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // Not waited for: a slow answer to something without consequence must not hold up a reply.
    void chat.showTyping(place);
    await clock.sleep(RENEW_MS, signal).catch(() => undefined);
  }
}
