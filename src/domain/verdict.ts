/** Why there is no verdict. */
export type JudgeFailure =
  | "timeout"
  | "error"
  | "invalid"
  | "unauthorized"
  | "no-credit"
  | "unknown-model";
