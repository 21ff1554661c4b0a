import type { DirectRound } from "../domain/round/direct.js";
import type { Services } from "./services.js";

/**
 * The time that a turn of several steps has in all: calls of its model, and what its tools do between
 * them. It begins with the first step in this process.
 */
export class TurnTime {
  #deadlineAtMs: number | null = null;

  /** Milliseconds that are left; zero or less: it is over. `wholeMs`: what there is at the beginning. */
  leftMs(nowMs: number, wholeMs: number): number {
    this.#deadlineAtMs ??= nowMs + wholeMs;
    return this.#deadlineAtMs - nowMs;
  }
}

/** The same of a turn in an agent's own channel, which goes on after a restart with what it had left. */
export function turnLeftMs(
  { clock, settings }: Pick<Services, "clock" | "settings">,
  { state, turnTime }: { readonly state: DirectRound; readonly turnTime: TurnTime },
): number {
  return turnTime.leftMs(clock.now(), state.leftMs ?? settings.turnTimeoutMs);
}
