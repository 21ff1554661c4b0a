import { asId, compareSnowflakes, type MessageId, snowflakeTimeMs } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import { needsText } from "../domain/phrases.js";
import { ChatError } from "../ports/chat.js";
import type { History } from "../ports/listener.js";
import type { Mark } from "./marks.js";
import { Doubt, patiently } from "./patience.js";
import type { Services } from "./services.js";

/** Tells people where the bot could not read what they may have written meanwhile. */
export class Missed {
  readonly #services: Pick<Services, "storage" | "chat" | "clock" | "log">;
  readonly #history: Pick<History, "newestId">;
  readonly #closing: AbortSignal;

  constructor(
    services: Pick<Services, "storage" | "chat" | "clock" | "log">,
    history: Pick<History, "newestId">,
    closing: AbortSignal,
  ) {
    this.#services = services;
    this.#history = history;
    this.#closing = closing;
  }

  /** Whether there is a message that is neither stored nor what this class said there. */
  async isLikely({ place, heardId }: Mark): Promise<boolean> {
    const newest = this.#history.newestId(place);
    if (newest === null) return false;
    const told = await this.#services.storage.settings.get(keyOf(place));
    return [heardId, told].every((id) => id === null || compareSnowflakes(newest, id) > 0);
  }

  /**
   * Whether people have been told, also by a process before this one, so lately that what they wrote
   * is answered when it can be read now.
   */
  async isToldInTime({ place, heardId }: Mark): Promise<boolean> {
    const newest = this.#history.newestId(place);
    if (newest === null || (heardId !== null && compareSnowflakes(newest, heardId) <= 0))
      return false;
    const { storage, clock } = this.#services;
    const told = await storage.settings.get(keyOf(place));
    return told !== null && clock.now() - snowflakeTimeMs(told) <= STALE_ROUND_MS;
  }

  /** Says it once for the same messages, also after a restart. `needs`: the permission that is missing. */
  async tell(mark: Mark, needs: string | null): Promise<void> {
    if (!(await this.isLikely(mark))) return;
    const { storage, chat, log } = this.#services;
    const { place } = mark;
    const newest = this.#history.newestId(place) ?? asId<MessageId>(conversationOf(place));
    const announcement = {
      place,
      text: needs === null ? UNREAD : forbiddenText(needs),
      buttons: [],
      isSilent: true,
      nonce: `m${newest}`,
      afterId: newest,
    };
    const doubt = new Doubt(false);
    try {
      const id = await patiently(this.#services, this.#closing, () =>
        doubt.during((isDoubtful) => chat.announce({ ...announcement, isDoubtful }, this.#closing)),
      );
      await storage.settings.set(keyOf(place), id);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      log.warn({ err: error, place }, "people could not be told that something was not read");
      // Where it can never be said there is nothing to be repeated at each start.
      if (!error.mayPass) await storage.settings.set(keyOf(place), newest);
    }
  }
}

const UNREAD =
  "-# I could not read what was written here while I was away. If something is still open, please write it again.";

function forbiddenText(needs: string): string {
  return `-# I cannot read what was written here while I was away: ${needsText(needs)}. Give it to me within 15 minutes, or write again.`;
}

function keyOf(place: Place): string {
  return `unread:${conversationOf(place)}`;
}
