/** What the status line says while a round runs. */
import { floorStatus } from "./floorStatus.js";
import { durationOf, listOf } from "./phrases.js";
import { bold } from "./plain.js";
import { nameIn } from "./round/common.js";
import type { HostedRound } from "./round/hosted.js";
import { hasAnswered } from "./round/hostedReplies.js";
import type { RoundState } from "./round/nextStep.js";
import type { Step } from "./round/round.js";

/** The line for the step that is done now or next, or null where it stays as it is. */
export function statusText(step: Step, state: RoundState): string | null {
  if (state.kind === "moderated") return floorStatus(step, state);
  switch (step.do) {
    case "judge":
      return "-# Deciding who answers …";
    case "ask":
      return state.kind === "hosted" ? askingText(state) : null;
    case "compose": {
      const others = state.kind === "open" ? state.waiting.length - 1 : 0;
      const waiting = others <= 0 ? "" : ` · ${others} waiting`;
      return `-# ${bold(nameIn(state.members, step.agentId))} is writing${waiting}`;
    }
    case "tool":
      return `-# ${bold(nameIn(state.members, step.agentId))} is using \`${step.call.name.replace(/[^\w-]/gu, "").slice(0, 40)}\``;
    case "endAsking":
    case "send":
    case "enter":
    case "vote":
    case "moderate":
    case "readHistory":
    case "say":
    case "post":
    case "announce":
    case "close":
      return null;
  }
}

/** Shorter ones are over before anybody wonders. */
const NOTICED_PAUSE_MS = 3_000;

/** The line while Discord holds something up, or null where nobody needs to know. */
export function pauseText(pause: {
  readonly pauseMs: number;
  readonly kind: string;
}): string | null {
  if (pause.pauseMs < NOTICED_PAUSE_MS) return null;
  return pause.kind === "rate-limited"
    ? `-# Discord asks for a pause of ${durationOf(pause.pauseMs)}; then this goes on`
    : "-# Discord is in trouble just now; this goes on as soon as it can";
}

/** More names would not fit one line of a phone. */
const NAMED_CHARACTERS = 60;

/** Of those who are asked in this pass, how many have answered, and who where that is short. */
function askingText(round: HostedRound): string | null {
  if (round.phase !== "collecting") return null;
  const { pass, passes, asked, members, isDebate } = round;
  const answered = asked.filter((id) => hasAnswered(round, id, pass));
  const names = answered.map((id) => nameIn(members, id));
  const isShort = answered.length > 0 && names.join(", ").length <= NAMED_CHARACTERS;
  const who = isShort ? `: ${listOf(names.map(bold))}` : "";
  const which = isDebate && passes > 1 ? ` · pass ${pass} of ${passes}` : "";
  return `-# ${answered.length} of ${asked.length} have answered${who}${which}`;
}
