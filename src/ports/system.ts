import type { AgentId, GroupId, RoundId } from "../domain/ids.js";

/** Time. Everything that waits or asks for the time does it here, so that tests need not sleep. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * A signal that is aborted (with a `TimeoutError` DOMException) after `delayMs`, or with the reason
   * of `signal` when that is aborted before. Keeps no process alive.
   */
  timeout(delayMs: number, signal?: AbortSignal): AbortSignal;
}

/** Makes identifiers: unique, url-safe, rising with time. */
export interface Ids {
  agent(): AgentId;
  group(): GroupId;
  round(): RoundId;
}

/** Where the program writes what happened. Messages are static text; data goes into fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Draws the picture of an agent that was given none. */
export interface Painter {
  /** A square PNG; the same name gives the same picture. */
  draw(displayName: string): Uint8Array;
}
