import type { ConversationId } from "../domain/ids.js";
import { conversationOf, type Place } from "../domain/message.js";
import { type Chat, ChatError } from "../ports/chat.js";
import { StorageError } from "../ports/storage.js";
import type { Clock, Log } from "../ports/system.js";

/** Between the tries; then always the last one. */
const PAUSES_MS = [1_000, 2_000, 5_000] as const;
/** Who comes meanwhile is told after this, when the try that this sets off has no end by then. */
const TRY_MS = 2_000;
/** What waits is held in memory; more than this is refused, and read again from Discord at the next start. */
const MAX_WAITING = 10_000;
/** A conversation hears of it no more often than this. */
const TOLD_AGAIN_MS = 10 * 60_000;

/**
 * Times in which the database cannot do its work: its disk is full, another process holds it, or
 * the server is away. Whatever needs it waits, in the order in which it came, and one of those who
 * wait tries again and again, also at once when something more comes; what it was to do is never
 * given up.
 */
export class Outage {
  readonly #services: { readonly chat: Chat; readonly clock: Clock; readonly log: Log };
  readonly #closing: AbortSignal;
  #over: Promise<void> | null = null;
  /** Ends the pause before the next try. */
  #tryNow: () => void = () => undefined;
  /** Those who came since the last try began: they are told when the next one has failed. */
  #newcomers: (() => void)[] = [];
  #waiting = 0;
  readonly #toldAtMs = new Map<ConversationId, number>();

  /** With `closing`, the end of the process, all waiting ends. */
  constructor(
    services: { readonly chat: Chat; readonly clock: Clock; readonly log: Log },
    closing: AbortSignal,
  ) {
    this.#services = services;
    this.#closing = closing;
  }

  get isOn(): boolean {
    return this.#over !== null;
  }

  /**
   * Does something with the database, when that is possible. `isRepeated`: it was tried before, and
   * may have been done all the same. People at `place` are told when it has to wait. Rejects with
   * what is no passing trouble, or with that trouble when the process ends.
   */
  async through<T>(
    place: Place | null,
    attempt: (isRepeated: boolean) => Promise<T>,
    isRepeated = false,
  ): Promise<T> {
    while (this.#over !== null) await this.#wait(this.#over, place);
    try {
      return await attempt(isRepeated);
    } catch (error) {
      if (!isPassing(error) || this.#closing.aborted) throw error;
      // Somebody else has noticed it meanwhile, and tries.
      if (this.#over !== null) return this.through(place, attempt, true);
      return this.#lead(place, attempt, error);
    }
  }

  async #wait(over: Promise<void>, place: Place | null): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      throw new StorageError("Too much waits for the database already.", { isTransient: true });
    }
    this.#waiting += 1;
    try {
      // It may be over already, with nobody having noticed.
      const hasFailed = new Promise<void>((resolve) => this.#newcomers.push(resolve));
      this.#tryNow();
      const isLate = this.#services.clock.sleep(TRY_MS, this.#closing).catch(() => undefined);
      await Promise.race([over, hasFailed, isLate]);
      if (this.#over === over) this.#tell(place);
      await over;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #lead<T>(
    place: Place | null,
    attempt: (isRepeated: boolean) => Promise<T>,
    first: StorageError,
  ): Promise<T> {
    const { clock, log } = this.#services;
    let end = () => undefined as void;
    this.#over = new Promise((resolve) => {
      end = resolve;
    });
    log.error({ err: first }, "the database cannot do its work; everything waits until it can");
    this.#tell(place);
    const sinceMs = clock.now();
    let last = first;
    try {
      for (let tries = 0; ; tries += 1) {
        await this.#pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0);
        if (this.#closing.aborted) throw last;
        const told = this.#newcomers.splice(0);
        try {
          const done = await attempt(true);
          log.info({ durationMs: clock.now() - sinceMs }, "the database works again");
          return done;
        } catch (error) {
          if (!isPassing(error)) throw error;
          last = error;
          for (const tell of told) tell();
        }
      }
    } finally {
      this.#over = null;
      this.#newcomers = [];
      end();
    }
  }

  /** Until the time is over, or somebody comes. */
  async #pause(pauseMs: number): Promise<void> {
    if (this.#newcomers.length > 0) return;
    const someone = new AbortController();
    this.#tryNow = () => someone.abort();
    const signal = AbortSignal.any([this.#closing, someone.signal]);
    await this.#services.clock.sleep(pauseMs, signal).catch(() => undefined);
  }

  /** Returns at once; where it cannot be said, only the log has it. */
  #tell(place: Place | null): void {
    if (place === null) return;
    const nowMs = this.#services.clock.now();
    for (const [conversationId, atMs] of this.#toldAtMs) {
      if (nowMs - atMs >= TOLD_AGAIN_MS) this.#toldAtMs.delete(conversationId);
    }
    const conversationId = conversationOf(place);
    if (this.#toldAtMs.has(conversationId)) return;
    this.#toldAtMs.set(conversationId, nowMs);
    void this.#say(place, `db${conversationId}`);
  }

  async #say(place: Place, nonce: string): Promise<void> {
    const { chat, log } = this.#services;
    try {
      await chat.announce(
        {
          place,
          text: "-# My database cannot be used just now, so I pause here. Nothing is lost: I go on by myself as soon as it works again.",
          buttons: [],
          isSilent: true,
          nonce,
          isDoubtful: false,
          afterId: null,
        },
        this.#closing,
      );
    } catch (error) {
      if (!(error instanceof ChatError) && !this.#closing.aborted) {
        log.error({ err: error }, "telling of the database failed");
        return;
      }
      log.warn({ err: error, place }, "people could not be told that the database does not work");
    }
  }
}

function isPassing(error: unknown): error is StorageError {
  return error instanceof StorageError && error.isTransient;
}
