/** Why something was refused. Callers may branch on it; people read the sentence. */
type UserErrorCode =
  | "invalid" // a value breaks a rule
  | "taken" // a name is used already
  | "unknown" // no such agent, group or message
  | "forbidden" // this person may not do that
  | "full" // Discord has no room left
  | "conflict"; // not possible in the present state

/** A refusal: something that a person asked for and cannot have. `message` is one sentence, safe to show. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly code: UserErrorCode;
  constructor(code: UserErrorCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Ends a switch over a union: a new case that is not handled fails the type check. */
export function never(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
