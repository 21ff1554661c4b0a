/** The calls of tools in a round in an agent's own channel, and what came of them. */
import { MAX_TOOL_STEPS } from "../limits.js";
import type { ToolOutcome, ToolUse } from "./toolUse.js";

/** What the model said with one row of calls. */
export interface ToolExchange {
  readonly text: string;
  readonly calls: readonly MadeCall[];
}

export interface MadeCall extends ToolUse {
  /** Null while it has not run. */
  readonly result: string | null;
  readonly outcome: ToolOutcome | null;
  /** What it has changed, in short; absent where it changed nothing. */
  readonly change?: string;
}

interface Calls {
  readonly exchanges: readonly ToolExchange[];
}

/** Every call of the round, in order. */
export function callsOf({ exchanges }: Calls): readonly MadeCall[] {
  return exchanges.flatMap(({ calls }) => calls);
}

/** What the calls have changed, in order. */
export function changesOf(round: Calls): readonly string[] {
  return callsOf(round).flatMap(({ change }) => change ?? []);
}

/** The oldest call that has not run. */
export function openCall({ exchanges }: Calls): MadeCall | null {
  const calls = exchanges.at(-1)?.calls ?? [];
  return calls.find((call) => call.result === null) ?? null;
}

/** Calls that may still be made in this turn. */
export function stepsLeft(round: Calls): number {
  return MAX_TOOL_STEPS - callsOf(round).length;
}

/**
 * Whether a tool was called with what it does not take in two answers of the model, one after the
 * other: the reason went back once, and a tool that is misunderstood would use up all the steps.
 */
export function isSpent({ exchanges }: Calls, name: string): boolean {
  const faults = exchanges
    .slice(0, -1)
    .map(({ calls }) => calls.filter((call) => call.name === name))
    .filter((calls) => calls.length > 0)
    .map((calls) => calls.every(({ outcome }) => outcome === "invalid"));
  return faults.some((isFault, index) => isFault && faults[index + 1] === true);
}

/** The oldest call without a result has this one. */
export function withResult<R extends Calls>(
  round: R,
  ran: { readonly result: string; readonly outcome: ToolOutcome; readonly change?: string },
): R {
  const open = openCall(round);
  if (open === null) throw new Error("No tool was called.");
  const { result, outcome, change } = ran;
  const done = { ...open, result, outcome, ...(change === undefined ? {} : { change }) };
  return {
    ...round,
    exchanges: round.exchanges.map((exchange) => ({
      ...exchange,
      calls: exchange.calls.map((call) => (call === open ? done : call)),
    })),
  };
}
