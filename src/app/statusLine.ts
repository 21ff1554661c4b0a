import type { MessageId } from "../domain/ids.js";
import type { Round } from "../domain/round/round.js";
import { ChatError } from "../ports/chat.js";
import type { OwnShown } from "../ports/listener.js";
import { StorageError, type StoredStatusLine } from "../ports/storage.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";

/** What comes right after the line was posted is shown soon: posting does not count as a change. */
const PAUSE_AFTER_POST_MS = 500;
/** Discord takes five changes in five seconds in a channel. */
const PAUSE_AFTER_CHANGE_MS = 1_250;
/** Pauses between the tries to take the line away. */
const REMOVAL_PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;

type StatusServices = Pick<Services, "chat" | "storage" | "clock" | "log">;

/** The line of one round. It never holds the round up, and its troubles are of no consequence. */
export interface StatusLine {
  /** What it says from now on. Returns at once. */
  show(text: string): void;
  /** Takes it away. Where that fails at first it is tried again in the background, then at the next start. */
  end(): Promise<void>;
}

/** For rounds where the setting turns the line off. */
export const noStatusLine: StatusLine = { show: () => undefined, end: () => Promise.resolve() };

const STOP_BUTTON = "stop:";

/** Id of the button that ends a round. */
function stopButtonId(round: Round): string {
  return `${STOP_BUTTON}${round.id}`;
}

/**
 * One small silent message of the bot while a round runs, changed rather than posted again, with
 * the Stop button. That it is about to be posted is stored first, so that after a crash the next
 * start finds what is left over.
 */
export function openStatusLine(services: StatusServices, round: Round): StatusLine {
  return new LiveStatusLine(services, round);
}

class LiveStatusLine implements StatusLine {
  readonly #services: StatusServices;
  readonly #stored: StoredStatusLine;
  /** Of this process: after a restart Discord must not take the new line for the old one. */
  readonly #nonce: string;
  readonly #ended = new AbortController();
  #wanted: string | null = null;
  #shown: string | null = null;
  #messageId: MessageId | null = null;
  #worker: Promise<void> | null = null;

  constructor(services: StatusServices, round: Round) {
    this.#services = services;
    this.#nonce = `${round.id}s${(services.clock.now() % 1_000_000).toString(36)}`;
    this.#stored = {
      place: round.place,
      buttonId: stopButtonId(round),
      afterId: round.triggerId,
      messageId: null,
    };
  }

  show(text: string): void {
    if (this.#ended.signal.aborted) return;
    this.#wanted = text;
    this.#worker ??= this.#work().finally(() => {
      this.#worker = null;
    });
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#worker;
    if (this.#messageId === null && this.#shown === null) return;
    const line = { ...this.#stored, messageId: this.#messageId };
    await takeAwayInTheEnd(this.#services, line);
  }

  async #work(): Promise<void> {
    const { clock, log } = this.#services;
    while (this.#wanted !== this.#shown && !this.#ended.signal.aborted) {
      const text = this.#wanted ?? "";
      const pauseMs = this.#shown === null ? PAUSE_AFTER_POST_MS : PAUSE_AFTER_CHANGE_MS;
      // Whatever comes of it, this text was tried: the next one may fare better.
      this.#shown = text;
      try {
        await this.#put(text);
      } catch (error) {
        if (!isTrouble(error)) throw error;
        log.warn({ err: error }, "the status line could not be shown");
      }
      await clock.sleep(pauseMs, this.#ended.signal).catch(() => undefined);
    }
  }

  async #put(text: string): Promise<void> {
    const { chat, storage } = this.#services;
    const { place, buttonId } = this.#stored;
    const buttons = [{ id: buttonId, label: "Stop", style: "danger" }] as const;
    if (this.#messageId !== null) {
      await chat.editAnnouncement(place, this.#messageId, { text, buttons });
      return;
    }
    await storage.statusLines.set(this.#stored);
    this.#messageId = await chat.announce(
      {
        place,
        text,
        buttons,
        isSilent: true,
        nonce: this.#nonce,
        isDoubtful: false,
        afterId: null,
      },
      unstoppable(),
    );
    await storage.statusLines.set({ ...this.#stored, messageId: this.#messageId });
  }
}

/** Takes away what a process that ended suddenly has left. Called once at start. */
export async function removeLeftOverStatusLines(services: StatusServices): Promise<void> {
  for (const line of await services.storage.statusLines.list()) {
    await takeAwayInTheEnd(services, line);
  }
}

/**
 * A message with a Stop button has come up. Discord may show a line long after it had answered that
 * it could not: by then the line may have been given up, and this one would stand there for good.
 */
export async function removeStrayStatusLine(
  services: StatusServices,
  { place, messageId, buttonIds }: OwnShown,
): Promise<void> {
  const buttonId = buttonIds.find((id) => id.startsWith(STOP_BUTTON));
  if (buttonId === undefined) return;
  const wanted = await services.storage.statusLines.list();
  if (wanted.some((line) => line.buttonId === buttonId)) return;
  const line = { place, buttonId, afterId: messageId, messageId };
  await takeAwayInTheEnd(services, line);
}

/** Resolves after the first try; further ones are made in the background. */
async function takeAwayInTheEnd(services: StatusServices, line: StoredStatusLine): Promise<void> {
  const trouble = await takeAway(services, line);
  if (trouble !== null) void takeAwayLater(services, line, trouble);
}

/**
 * Removes the message, found by its button where its id is not known, and forgets the line. Gives
 * what stood in the way when it may work later, else null.
 */
async function takeAway(
  services: StatusServices,
  line: StoredStatusLine,
): Promise<ChatError | StorageError | null> {
  const { chat, storage, log } = services;
  try {
    const messageId = line.messageId ?? (await chat.findOwn(line, unstoppable()));
    if (messageId !== null) await chat.remove(line.place, messageId);
    await storage.statusLines.remove(line.buttonId);
    return null;
  } catch (error) {
    if (!isTrouble(error)) throw error;
    log.warn({ err: error }, "the status line could not be taken away");
    if (error instanceof ChatError && error.kind === "gone") {
      await storage.statusLines.remove(line.buttonId);
      return null;
    }
    if (error instanceof StorageError) return error.isTransient ? error : null;
    // A permission that was taken away for a moment comes back, too.
    return error.mayPass || error.kind === "forbidden" ? error : null;
  }
}

/** Tries again after pauses, as long as no other round has put its own line there. */
async function takeAwayLater(
  services: StatusServices,
  line: StoredStatusLine,
  first: ChatError | StorageError,
): Promise<void> {
  let trouble = first;
  try {
    for (const pauseMs of REMOVAL_PAUSES_MS) {
      const askedMs = trouble instanceof ChatError ? (trouble.retryAfterMs ?? 0) : 0;
      await services.clock.sleep(Math.max(pauseMs, askedMs));
      const next = await takeAway(services, line);
      if (next === null) return;
      trouble = next;
    }
  } catch (error) {
    services.log.error({ err: error }, "the status line was left where it is");
  }
}

/** Failures of the world: anything else is a bug and must be seen. */
function isTrouble(error: unknown): error is ChatError | StorageError {
  return error instanceof ChatError || error instanceof StorageError;
}
