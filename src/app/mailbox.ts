import type { ConversationId, RoundId } from "../domain/ids.js";
import type { Log } from "../ports/system.js";
import { ShuttingDown } from "./stopping.js";

/** What the bot says by itself in a conversation: in its order, and never behind a round there. */
export type WordsKey = `words of ${string}`;
export type MailboxKey = ConversationId | RoundId | WordsKey;

/**
 * The mailboxes of the application: one for each conversation, one for what is said there beside
 * the rounds, and one for each round that is being explained.
 */
export function createMailboxes(log: Log): Mailboxes<MailboxKey> {
  return new Mailboxes((error, mailbox) => {
    // What was going on is in the journal: the next start takes it up.
    if (error instanceof ShuttingDown) return;
    log.error({ err: error, mailbox }, "a job failed");
  });
}

/**
 * One job at a time for each key (a conversation), in the order in which they came; different keys
 * do not wait for each other. `abort` never queues: it reaches the job that is running now.
 */
export class Mailboxes<Key extends string> {
  readonly #queues = new Map<Key, Queue>();
  readonly #onError: (error: unknown, key: Key) => void;
  #isClosing = false;
  readonly #cutOff = new AbortController();
  readonly #whenIdle: (() => void)[] = [];

  /** `onError` gets what a job throws; the next job runs all the same. */
  constructor(onError: (error: unknown, key: Key) => void) {
    this.#onError = onError;
  }

  /** Queues a job and returns at once. */
  run(key: Key, job: (signal: AbortSignal) => Promise<void>): void {
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.jobs.push(job);
      return;
    }
    const fresh: Queue = { jobs: [job], running: null, subject: null };
    this.#queues.set(key, fresh);
    void this.#work(key, fresh);
  }

  /** The same ahead of all that waits for this key. */
  runNext(key: Key, job: (signal: AbortSignal) => Promise<void>): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.run(key, job);
    else queue.jobs.unshift(job);
  }

  /** Says what the job that runs for this key is about (a round), until it ends. */
  concerns(key: Key, subject: string): void {
    const queue = this.#queues.get(key);
    if (queue?.running != null) queue.subject = subject;
  }

  /**
   * Aborts the job that runs for this key; false when none does. Jobs behind it stay queued. With a
   * subject only a job that is about it: what comes late must not hit the next one.
   */
  abort(key: Key, reason: unknown, subject?: string): boolean {
    const queue = this.#queues.get(key);
    if (queue?.running == null) return false;
    if (subject !== undefined && queue.subject !== subject) return false;
    queue.running.abort(reason);
    return true;
  }

  /** Whether a job runs or waits for this key. */
  isBusy(key: Key): boolean {
    return this.#queues.has(key);
  }

  /** From now on jobs that begin something new should not: the process is ending. */
  beginClosing(): void {
    this.#isClosing = true;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Aborts every running job. */
  abortAll(reason: unknown): void {
    this.#cutOff.abort(reason);
    for (const queue of this.#queues.values()) queue.running?.abort(reason);
  }

  /**
   * Aborted together with every running job: for what is done after a stop, which aborts no more.
   * Each use gets one of its own, so that the listeners of all jobs do not gather at one.
   */
  get cutOff(): AbortSignal {
    return AbortSignal.any([this.#cutOff.signal]);
  }

  /** Resolves when no job runs or waits. */
  onIdle(): Promise<void> {
    if (this.#queues.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  async #work(key: Key, queue: Queue): Promise<void> {
    for (let job = queue.jobs.shift(); job !== undefined; job = queue.jobs.shift()) {
      queue.running = new AbortController();
      queue.subject = null;
      try {
        await job(queue.running.signal);
      } catch (error) {
        this.#onError(error, key);
      }
      queue.running = null;
    }
    this.#queues.delete(key);
    if (this.#queues.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

interface Queue {
  readonly jobs: ((signal: AbortSignal) => Promise<void>)[];
  running: AbortController | null;
  subject: string | null;
}
