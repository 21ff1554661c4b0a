/** Pieces of sentences. */
import { never } from "./errors.js";
import { MAX_TOOL_STEPS } from "./limits.js";
import type { TurnFailure } from "./round/round.js";

/** Why a turn gave no reply, as the end of a sentence. */
export function failureText(failure: TurnFailure): string {
  switch (failure) {
    case "timeout":
      return "its model took too long";
    case "error":
      return "its model is not working just now";
    case "refused":
      return "its model declined to answer this";
    case "empty":
      return "its model had nothing to say, twice";
    case "steps":
      return `it used its tools ${MAX_TOOL_STEPS} times without coming to an answer`;
    case "too-long":
      return "this conversation is too long for its model";
    case "blocked":
      return "Discord's filters did not let the reply through";
    case "unpostable":
      return "Discord did not take the reply";
    case "paused":
      return "Discord asks for a longer pause; write again later to continue";
    case "gone":
      return "it is no longer in this group";
    default:
      return never(failure);
  }
}

/** `A`, `A and B`, `A, B and C`. */
export function listOf(names: readonly string[]): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
