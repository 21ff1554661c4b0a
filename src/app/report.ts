/** The only place that turns an error into words for people, for every entrance. */
import { never, UserError } from "../domain/errors.js";
import { ChatError } from "../ports/chat.js";
import { FileError } from "../ports/files.js";
import { ModelError, type ModelErrorKind } from "../ports/model.js";
import { StorageError } from "../ports/storage.js";

/** One sentence or two, safe to show. Anything that is not foreseen is a bug: log it with its cause. */
export function sentenceOf(error: unknown): string {
  if (error instanceof UserError || error instanceof FileError) return error.message;
  if (error instanceof ChatError) return error.detail;
  if (error instanceof StorageError) {
    return "I cannot reach my database just now. Nothing was changed; try again in a moment.";
  }
  if (error instanceof ModelError) return modelSentence(error.kind);
  return "Something went wrong in the bot; it has been logged.";
}

/** Whether `sentenceOf` knows what happened; everything else has to be logged as a fault. */
export function isForeseen(error: unknown): boolean {
  return (
    error instanceof UserError ||
    error instanceof FileError ||
    error instanceof ChatError ||
    error instanceof StorageError ||
    error instanceof ModelError
  );
}

function modelSentence(kind: ModelErrorKind): string {
  switch (kind) {
    case "timeout":
      return "The model took too long to answer.";
    case "rate-limited":
      return "The model has too much to do just now; try again in a moment.";
    case "unauthorized":
      return "The model does not accept the key that this bot uses; whoever runs the bot has to set a valid one.";
    case "no-credit":
      return "The account of the model has no credit left; whoever runs the bot has to look at it.";
    case "unknown-model":
      return "There is no model of this name where the bot looks for it; choose another one.";
    case "too-long":
      return "The conversation is too long for this model.";
    case "refused":
      return "The model declined to answer this.";
    case "no-images":
      return "This model cannot look at pictures.";
    case "no-tools":
      return "This model cannot use tools.";
    case "unavailable":
      return "The model cannot be reached just now; try again in a moment.";
    case "bad-answer":
      return "The model's answer could not be read; try again.";
    default:
      return never(kind);
  }
}
