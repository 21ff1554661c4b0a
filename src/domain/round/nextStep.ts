/** The three kinds of group behind one pair of functions: fold the journal, say what is next. */
import type { GroupKind } from "../group.js";
import { applyToOpenRound, nextOpenStep, type OpenRound, openOpenRound } from "./open.js";
import type { RoundEvent, Step } from "./round.js";

export type RoundState = OpenRound;

/** Fold one event; `state` is null before the first, which must be `opened`. */
export function applyEvent(
  kind: GroupKind,
  state: RoundState | null,
  event: RoundEvent,
): RoundState {
  if (kind !== "open") throw new Error(`Rounds of ${kind} groups are not known.`);
  if (state !== null) return applyToOpenRound(state, event);
  if (event.type !== "opened") throw new Error("A journal begins with `opened`.");
  return openOpenRound(event);
}

/** The next step, or null when the round is closed. */
export function nextStep(state: RoundState): Step | null {
  return nextOpenStep(state);
}
