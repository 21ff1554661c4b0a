/** The three kinds of group behind one pair of functions: fold the journal, say what is next. */
import { never } from "../errors.js";
import type { GroupKind } from "../group.js";
import { applyToHostedRound, type HostedRound, nextHostedStep, openHostedRound } from "./hosted.js";
import {
  applyToModeratedRound,
  type ModeratedRound,
  nextModeratedStep,
  openModeratedRound,
} from "./moderated.js";
import { applyToOpenRound, nextOpenStep, type OpenRound, openOpenRound } from "./open.js";
import type { RoundEvent, Step } from "./round.js";

export type RoundState = OpenRound | HostedRound | ModeratedRound;

/** Fold one event; `state` is null before the first, which must be `opened`. */
export function applyEvent(
  kind: GroupKind,
  state: RoundState | null,
  event: RoundEvent,
): RoundState {
  if (state === null) return open(kind, event);
  switch (state.kind) {
    case "open":
      return applyToOpenRound(state, event);
    case "hosted":
      return applyToHostedRound(state, event);
    case "moderated":
      return applyToModeratedRound(state, event);
    default:
      return never(state);
  }
}

/** The next step, or null when the round is closed. */
export function nextStep(state: RoundState): Step | null {
  switch (state.kind) {
    case "open":
      return nextOpenStep(state);
    case "hosted":
      return nextHostedStep(state);
    case "moderated":
      return nextModeratedStep(state);
    default:
      return never(state);
  }
}

function open(kind: GroupKind, event: RoundEvent): RoundState {
  if (event.type !== "opened") throw new Error("A journal begins with `opened`.");
  switch (kind) {
    case "open":
      return openOpenRound(event);
    case "hosted":
      return openHostedRound(event);
    case "moderated":
      return openModeratedRound(event);
    default:
      return never(kind);
  }
}
