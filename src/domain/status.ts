/** What the status line says while a round runs. */
import type { RoundState } from "./round/nextStep.js";
import type { Step } from "./round/round.js";

/** The line for the step that is done next, or null where it stays as it is. */
export function statusText(step: Step, state: RoundState): string | null {
  switch (step.do) {
    case "judge":
      return "-# Deciding who answers …";
    case "compose": {
      const member = state.members.find(({ agentId }) => agentId === step.agentId);
      const others = state.waiting.length - 1;
      const waiting = others <= 0 ? "" : ` · ${others} waiting`;
      return `-# **${member?.displayName ?? "An agent"}** is writing${waiting}`;
    }
    case "post":
    case "announce":
    case "close":
      return null;
  }
}
