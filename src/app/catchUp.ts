import type { ConversationId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf } from "../domain/message.js";
import { ChatError, type ReceivedMessage } from "../ports/chat.js";
import type { History } from "../ports/listener.js";
import { joined, type Mark } from "./marks.js";
import { Missed } from "./missed.js";
import { isForeseen } from "./report.js";
import type { Router } from "./router.js";
import { Seats } from "./seats.js";
import type { Services } from "./services.js";

/** Messages looked at per conversation: recovery has bounds, else old chatter starts rounds. */
const MAX_MESSAGES = 300;
/** Conversations that are read at the same time: people wait in the last one too. */
const READERS = 5;
/** Of one try. A reading that hangs gives its seat to another. */
const READING_MS = 20_000;
/** Interrupted rounds wait for this at the start. */
const ROUNDS_WAIT_MS = 10_000;
/** Between the tries; then always the last one. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000] as const;
/** What becomes readable in this time is not lost: the last try comes after it. */
const PATIENCE_MS = STALE_ROUND_MS;

/** A conversation that has not been read yet. */
interface Gap extends Mark {
  readonly sinceMs: number;
  /** The log knows that it cannot be read, or not be stored. */
  isLogged: boolean;
  /** People there know that the bot may not read. */
  isTold: boolean;
}

/**
 * Stores what people wrote since these marks; what is young enough starts one round per
 * conversation. A conversation that cannot be read is tried again after growing pauses, beside the
 * others, for as long as something in it could still be answered. Then, and at once where the bot
 * lacks a permission, people are told there when they may have written something.
 */
export class CatchUp {
  readonly #log: Services["log"];
  readonly #clock: Services["clock"];
  readonly #history: Pick<History, "since">;
  readonly #router: Pick<Router, "caughtUp">;
  readonly #missed: Missed;
  readonly #closing: AbortSignal;
  readonly #seats = new Seats(READERS);
  readonly #open = new Map<ConversationId, Gap>();

  /** With `closing`, the end of the process, all reading ends. */
  constructor(
    services: Pick<Services, "storage" | "chat" | "clock" | "log">,
    ports: {
      readonly history: Pick<History, "since" | "newestId">;
      readonly router: Pick<Router, "caughtUp">;
    },
    closing: AbortSignal,
  ) {
    this.#log = services.log;
    this.#clock = services.clock;
    this.#history = ports.history;
    this.#router = ports.router;
    this.#missed = new Missed(services, ports.history, closing);
    this.#closing = closing;
  }

  /** Resolves when each has been tried once; what failed is tried again in the background. */
  async read(marks: ReadonlyMap<ConversationId, Mark>): Promise<void> {
    const gaps = [...marks].map(([conversationId, mark]) => this.#opened(conversationId, mark));
    await Promise.all(
      gaps.map(async (gap) => {
        if (!(await this.#isDone(gap))) void this.#tryAgain(gap);
      }),
    );
  }

  #opened(conversationId: ConversationId, mark: Mark): Gap {
    const before = this.#open.get(conversationId);
    const gap = {
      ...joined(mark, before),
      sinceMs: this.#clock.now(),
      isLogged: false,
      isTold: before?.isTold ?? false,
    };
    this.#open.set(conversationId, gap);
    return gap;
  }

  async #tryAgain(gap: Gap): Promise<void> {
    try {
      for (let tries = 0; this.#clock.now() - gap.sinceMs < PATIENCE_MS; tries += 1) {
        const pauseMs = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
        await this.#clock.sleep(pauseMs, this.#closing);
        if (await this.#isDone(gap)) return;
      }
      this.#close(gap);
      this.#log.error({ place: gap.place }, "what was written meanwhile stays unread");
      if (!gap.isTold) await this.#missed.tell(gap, null);
    } catch (error) {
      if (!this.#closing.aborted) this.#log.error({ err: error }, "catching up failed");
    }
  }

  /** One try, which may fail in any way. False: another one may help. */
  async #isDone(gap: Gap): Promise<boolean> {
    try {
      return await this.#isHandedOver(gap);
    } catch (error) {
      if (this.#closing.aborted) return true;
      if (!gap.isLogged) {
        gap.isLogged = true;
        const { place } = gap;
        const level = isForeseen(error) ? "warn" : "error";
        this.#log[level]({ err: error, place }, "what was written could not be stored yet");
      }
      return false;
    }
  }

  async #isHandedOver(gap: Gap): Promise<boolean> {
    const found = await this.#seats.during(() =>
      this.#isOpen(gap) ? this.#since(gap, READING_MS) : [],
    );
    if (found instanceof Error) return this.#isPointless(gap, found);
    await this.#router.caughtUp(found);
    this.#close(gap);
    return true;
  }

  async #isPointless(gap: Gap, error: Error): Promise<boolean> {
    if (this.#closing.aborted || !this.#isOpen(gap)) return true;
    const { kind, needs } = error instanceof ChatError ? error : { kind: null, needs: null };
    const isForbidden = kind === "forbidden";
    const isLikely = !isForbidden || gap.isTold || (await this.#missed.isLikely(gap));
    if (!isLikely) gap.isTold = await this.#missed.isToldInTime(gap);
    const isNothingMissed = !isLikely && !gap.isTold;
    if (!isNothingMissed) this.#warn(gap, error);
    if (isNothingMissed || kind === "gone" || kind === "logged-out") {
      this.#close(gap);
      return true;
    }
    if (isForbidden && !gap.isTold) {
      gap.isTold = true;
      await this.#missed.tell(gap, needs);
    }
    return false;
  }

  #warn(gap: Gap, error: Error): void {
    if (gap.isLogged) return;
    gap.isLogged = true;
    const { place } = gap;
    this.#log.warn({ err: error, place }, "what was written meanwhile could not be read yet");
  }

  #isOpen(gap: Gap): boolean {
    return this.#open.get(conversationOf(gap.place)) === gap;
  }

  #close(gap: Gap): void {
    if (this.#isOpen(gap)) this.#open.delete(conversationOf(gap.place));
  }

  /**
   * What people wrote where a round was interrupted. To be read before such a round goes on, and
   * handed over right after that has begun: a `stop` among it must not come too late. What cannot be
   * read soon is left to `read`.
   */
  async missedInRounds(
    storage: Pick<Services["storage"], "rounds">,
    marks: readonly ReadonlyMap<ConversationId, Mark>[],
  ): Promise<readonly ReceivedMessage[]> {
    const interrupted = (await storage.rounds.unfinished()).flatMap(({ place }) => {
      const conversationId = conversationOf(place);
      return (
        marks.map((known) => known.get(conversationId)).find((mark) => mark !== undefined) ?? []
      );
    });
    const missed = await Promise.all(
      interrupted.map(async (mark) => {
        const found = await this.#seats.during(() => this.#since(mark, ROUNDS_WAIT_MS));
        if (!(found instanceof Error)) return found;
        this.#log.info({ err: found, place: mark.place }, "what was written is read later");
        return [];
      }),
    );
    return missed.flat();
  }

  async #since(
    { place, afterId }: Mark,
    patienceMs: number,
  ): Promise<readonly ReceivedMessage[] | Error> {
    const signal = this.#clock.timeout(patienceMs, this.#closing);
    try {
      return await this.#history.since(place, afterId, MAX_MESSAGES, signal);
    } catch (error) {
      const isTrouble = error instanceof ChatError || (signal.aborted && error instanceof Error);
      if (!isTrouble) throw error;
      return error;
    }
  }
}
