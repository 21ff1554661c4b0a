import type { RoundEvent } from "../domain/round/round.js";

type Stopped = Extract<RoundEvent, { type: "stopped" }>;

/** The reason with which a stop aborts the running job. `by` null: the trigger was deleted. */
export class StopRound extends Error {
  override readonly name = "StopRound";
  readonly event: Stopped;
  constructor(event: Omit<Stopped, "type">) {
    super("The round was stopped.");
    this.event = { type: "stopped", ...event };
  }
}

/** The reason with which the end of the process aborts a job: the round goes on after the restart. */
export class ShuttingDown extends Error {
  override readonly name = "ShuttingDown";
}

/**
 * A signal that nobody aborts, for what must not be cut off. Each use takes one of its own: at one
 * that all share, the listeners of everything under way would gather.
 */
export function unstoppable(): AbortSignal {
  return new AbortController().signal;
}
