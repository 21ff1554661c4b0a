/** The kinds of round behind one pair of functions: fold the journal, say what is next. */
import { never } from "../errors.js";
import { applyToDirectRound, type DirectRound, nextDirectStep, openDirectRound } from "./direct.js";
import { applyToHostedRound, type HostedRound, nextHostedStep, openHostedRound } from "./hosted.js";
import {
  applyToModeratedRound,
  type ModeratedRound,
  nextModeratedStep,
  openModeratedRound,
} from "./moderated.js";
import { applyToOpenRound, nextOpenStep, type OpenRound, openOpenRound } from "./open.js";
import type { RoundEvent, RoundKind, Step } from "./round.js";
import { TOOL_EVENTS, type ToolEvent } from "./toolUse.js";

export type RoundState = OpenRound | HostedRound | ModeratedRound | DirectRound;

/** Fold one event; `state` is null before the first, which must be `opened`. */
export function applyEvent(
  kind: RoundKind,
  state: RoundState | null,
  event: RoundEvent,
): RoundState {
  if (state === null) return open(kind, event);
  if (state.kind === "direct") return applyToDirectRound(state, event);
  if (isToolEvent(event)) throw new Error(`No tools are called in ${state.kind} groups.`);
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
    case "direct":
      return nextDirectStep(state);
    default:
      return never(state);
  }
}

/** Whether nothing is left of it but what the bot itself has to say, and the end. */
export function isAtItsEnd(state: RoundState): boolean {
  let ahead = state;
  let step = nextStep(ahead);
  while (step?.do === "announce") {
    const { notice } = step;
    ahead = applyEvent(ahead.kind, ahead, { type: "announced", notice, messageId: null });
    step = nextStep(ahead);
  }
  return step === null || step.do === "close";
}

function open(kind: RoundKind, event: RoundEvent): RoundState {
  if (event.type !== "opened") throw new Error("A journal begins with `opened`.");
  switch (kind) {
    case "open":
      return openOpenRound(event);
    case "hosted":
      return openHostedRound(event);
    case "moderated":
      return openModeratedRound(event);
    case "direct":
      return openDirectRound(event);
    default:
      return never(kind);
  }
}

function isToolEvent(event: RoundEvent): event is ToolEvent {
  return Object.hasOwn(TOOL_EVENTS, event.type);
}
