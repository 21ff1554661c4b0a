/** Pieces of sentences. */
import { never } from "./errors.js";
import { MAX_TOOL_STEPS } from "./limits.js";
import type { TurnFailure } from "./round/round.js";
import { shorten } from "./shorten.js";
import type { JudgeFailure } from "./verdict.js";

export const NOTHING_RUNS = "Nothing is running here.";

/** Of a thread in which agents write to each other. */
export const ONLY_SHOWN =
  "This thread only shows what agents write to each other; nobody answers people here.";

/** Of a refusal by Discord whose reason is none that people could do anything about. */
export const NO_REASON = "Discord refused it.";

/** Permissions that the bot lacks, as the end of a sentence. `where`: "here", "in this channel". */
export function needsText(needs: string, where = "in this channel"): string {
  return `I need ${needs} ${where}`;
}

/** The same as a sentence for who can give them. */
export function lackText(needs: string, where = "here"): string {
  return `${needsText(needs, where)}: allow it in the settings of the server or of the channel.`;
}

/** Why a turn gave no reply, as the end of a sentence. `about`: the model, or permissions. */
export function failureText(failure: TurnFailure, about?: string): string {
  switch (failure) {
    case "timeout":
      return "its model took too long";
    case "error":
      return "its model is not working just now";
    case "refused":
      return "its model declined to answer this";
    case "empty":
      return "its model gave an empty answer twice";
    case "foreign":
      return "its model wrote only lines for other speakers";
    case "foreign-post":
      return "the message spoke for others";
    case "empty-post":
      return "the message had nothing in it that can be posted";
    case "unauthorized":
      return KEY_REFUSED;
    case "no-credit":
      return "the account of its model has no credit left; the bot's owner has to look at it";
    case "unknown-model":
      return unknownModel(about);
    case "no-tools":
      return "its model cannot use tools; `/agent_update` gives it another one";
    case "steps":
      return `it used its tools ${MAX_TOOL_STEPS} times without coming to an answer`;
    case "too-long":
      return "this conversation is too long for its model";
    case "blocked":
      return "Discord's filters did not let the reply through";
    case "unpostable":
      return "Discord did not take the reply";
    case "refused-post":
      return "Discord refused the reply";
    case "forbidden":
      return needsText(about ?? "a permission that I do not have");
    case "paused":
      return "Discord asks for a longer pause; write again later to go on";
    case "gone":
      return "it is no longer in this group";
    default:
      return never(failure);
  }
}

/** That the judge gave no scores, as the beginning of a sentence. */
export function judgeFailureText(failure: JudgeFailure): string {
  switch (failure) {
    case "timeout":
      return "The judge could not score (it took too long)";
    case "error":
      return "The judge could not score (its model is not working)";
    case "unauthorized":
      return "The judge could not score (its model's key is refused)";
    case "no-credit":
      return "The judge could not score (the account of its model has no credit left)";
    case "unknown-model":
      return "The judge could not score (its model is not known to the endpoint)";
    case "invalid":
      return "The judge's answer could not be read";
    default:
      return never(failure);
  }
}

const KEY_REFUSED = "its model's key is refused; the bot's owner has to look at it";

function unknownModel(model: string | undefined): string {
  if (model === undefined) return "its model is not known to the endpoint";
  const name = shorten(model.replace(/[`\s]+/gu, " ").trim(), MODEL_CHARACTERS);
  return `its model \`${name}\` does not exist`;
}

const MODEL_CHARACTERS = 60;

/** `A`, `A and B`, `A, B and C`. */
export function listOf(names: readonly string[], word: "and" | "or" = "and"): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}

/** `1 second`, `90 seconds`, `3 minutes`. */
export function durationOf(ms: number): string {
  if (ms >= 120_000) return `${Math.ceil(ms / 60_000)} minutes`;
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
