import type { AgentId } from "./ids.js";

/** The judge's score per member, 0 to 1. */
export type Verdict = ReadonlyMap<AgentId, number>;

/** Why there is no verdict. */
export type JudgeFailure =
  | "timeout"
  | "error"
  | "invalid"
  | "unauthorized"
  | "no-credit"
  | "unknown-model";
