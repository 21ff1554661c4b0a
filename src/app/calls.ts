import type { AgentId, GroupId, GuildId, RoundId, UserId } from "../domain/ids.js";
import { isShown } from "../domain/shown.js";
import { ESTIMATE_MARK } from "../domain/usage.js";
import { ModelError, type ModelReply, type ModelRequest } from "../ports/model.js";
import { type Counted, counted, countedFailure } from "./counted.js";
import type { Services } from "./services.js";

/** For whom a model call is made: what `/usage` counts by. */
export interface CallAccount {
  readonly guildId: GuildId;
  readonly groupId: GroupId | null;
  readonly roundId: RoundId | null;
  readonly agentId: AgentId | null;
  readonly userId: UserId | null;
}

/**
 * One model call, counted whether it succeeds or not; one without an answer is logged. Rejects as `Model.complete` does. When the
 * count cannot be stored the reply is kept all the same, and the failure is logged.
 */
async function callModel(
  services: Pick<Services, "model" | "storage" | "clock" | "log">,
  account: CallAccount,
  request: ModelRequest,
): Promise<ModelReply> {
  const startedAtMs = services.clock.now();
  const wasStopped = request.signal?.aborted === true;
  const count = async (outcome: string, model: string, count: Counted | null) => {
    try {
      await services.storage.usage.add({
        ...account,
        atMs: startedAtMs,
        purpose: request.purpose,
        model,
        tokens: count?.tokens ?? null,
        durationMs: services.clock.now() - startedAtMs,
        outcome: count?.isEstimated === true ? outcome + ESTIMATE_MARK : outcome,
      });
    } catch (error) {
      services.log.error({ err: error, purpose: request.purpose }, "usage could not be stored");
    }
  };
  try {
    const reply = await services.model.complete(request);
    await count("ok", reply.model, counted(request, reply));
    if (reply.toolCalls.length === 0 && !isShown(reply.text)) {
      const { finish, wantedTools = false } = reply;
      const { model, purpose } = request;
      services.log.warn(
        { model, purpose, roundId: account.roundId, finish, wantedTools },
        "a model gave an empty answer",
      );
    }
    return reply;
  } catch (error) {
    const outcome =
      error instanceof ModelError ? error.kind : request.signal?.aborted ? "aborted" : "fault";
    await count(outcome, request.model, countedFailure(request, error, wasStopped));
    if (error instanceof ModelError) {
      services.log.warn(
        { err: error, model: request.model, purpose: request.purpose, roundId: account.roundId },
        "model call failed",
      );
    }
    throw error;
  }
}

/** The wait for a busy endpoint that one turn has: all its calls share it. */
export class Patience {
  #isSpent = false;

  /** Whether a call may wait; false from the second time on. */
  spend(): boolean {
    const isLeft = !this.#isSpent;
    this.#isSpent = true;
    return isLeft;
  }
}

/** One more wait for an endpoint that is busy, when it fits into the time that is left. */
export async function callPatiently(
  services: Pick<Services, "model" | "storage" | "clock" | "log">,
  account: CallAccount,
  request: ModelRequest,
  patience: Patience = new Patience(),
): Promise<ModelReply> {
  const startedAtMs = services.clock.now();
  try {
    return await callModel(services, account, request);
  } catch (error) {
    if (!(error instanceof ModelError) || !isBusy(error)) throw error;
    const waitMs = error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
    const leftMs = request.timeoutMs - (services.clock.now() - startedAtMs) - waitMs;
    if (leftMs <= 0 || !patience.spend()) throw error;
    await services.clock.sleep(waitMs, request.signal);
    return callModel(services, account, { ...request, timeoutMs: leftMs });
  }
}

/** A server that loads its model says when it is ready, too. */
function isBusy({ kind, retryAfterMs }: ModelError): boolean {
  return kind === "rate-limited" || (kind === "unavailable" && retryAfterMs !== null);
}

const DEFAULT_RETRY_AFTER_MS = 2_000;
