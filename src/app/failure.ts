/** What kept a turn from giving a reply, as the journal says it. */
import { never } from "../domain/errors.js";
import type { AgentId } from "../domain/ids.js";
import type { TurnFailure } from "../domain/round/round.js";
import type { ModelError } from "../ports/model.js";
import type { Done } from "./perform.js";

export interface Failed {
  readonly failure: TurnFailure;
  /** What the sentence about it names: a model. */
  readonly about?: string;
}

/** A turn of this agent without a reply. */
export function failedTurn(agentId: AgentId, failed: TurnFailure | Failed): Done {
  const { failure, about } = typeof failed === "string" ? { failure: failed } : failed;
  return {
    events: [{ type: "turnFailed", agentId, failure, ...(about === undefined ? {} : { about }) }],
  };
}

/** Why a model gave no reply. `model`: the one that was asked. */
export function failureOf(error: ModelError, model: string): Failed {
  switch (error.kind) {
    case "timeout":
    case "refused":
    case "too-long":
    case "unauthorized":
    case "no-credit":
    case "no-tools":
      return { failure: error.kind };
    case "unknown-model":
      return { failure: error.kind, about: model };
    case "rate-limited":
    case "no-images":
    case "unavailable":
    case "bad-answer":
      return { failure: "error" };
    default:
      return never(error.kind);
  }
}
