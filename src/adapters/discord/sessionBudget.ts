import { type REST, type RESTGetAPIGatewayBotResult, Routes } from "discord.js";
import type { Clock, Log } from "../../ports/system.js";

/** From here on each connection waits for its share of what is left of the day. */
const FEW_SESSIONS = 200;
const WORTH_SAYING_MS = 1_000;

/**
 * Discord takes 1,000 new connections a day, then resets the token
 * (https://docs.discord.com/developers/events/gateway#session-start-limit): a process that
 * crashes and is started again and again must not use them up. Waits, when few are left, so long
 * that the rest lasts for the day; rejects with the signal's reason.
 */
export async function spareSessions(options: {
  readonly rest: REST;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { rest, clock, log, signal } = options;
  const limit = await sessionLimit(rest, log);
  // With none left the login says so, without a connection.
  if (limit === null || limit.remaining === 0 || limit.remaining >= FEW_SESSIONS) return;
  const waitMs = Math.ceil(limit.reset_after / limit.remaining);
  if (waitMs >= WORTH_SAYING_MS) {
    log.warn(
      { remaining: limit.remaining, waitMs },
      "the bot was started so often today that Discord allows few further connections; waiting before this one",
    );
  }
  await clock.sleep(waitMs, signal);
}

async function sessionLimit(rest: REST, log: Log) {
  try {
    const answer = (await rest.get(Routes.gatewayBot())) as Partial<RESTGetAPIGatewayBotResult>;
    return answer.session_start_limit ?? null;
  } catch (error) {
    // The login that follows says what is wrong.
    log.debug({ err: error }, "the limit of connections could not be read");
    return null;
  }
}
