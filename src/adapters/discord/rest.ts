import { type InternalRequest, REST, type RESTOptions, RequestMethod } from "discord.js";
import PQueue from "p-queue";
import type { Log } from "../../ports/system.js";

/** The root without version and trailing slash, as `@discordjs/rest` wants it; null: Discord itself. */
export function apiRoot(apiUrl: string | null): string {
  if (apiUrl === null) return "https://discord.com/api";
  return apiUrl.replace(/\/+$/, "").replace(/\/v\d+$/, "");
}

/**
 * Discord takes fifty requests a second of a bot, and fifty without a token of an address; those
 * that answer interactions do not count (API docs, "Rate Limits"). A few are left over, since they
 * do not arrive there at the distances at which they were sent.
 */
const REQUESTS_PER_SECOND = 45;

/** Lets requests go, first come, first served. All that count together share one. */
export type Pace = PQueue;

export function createPace(): Pace {
  return new PQueue({ intervalCap: REQUESTS_PER_SECOND, interval: 1_000, strict: true });
}

/** Which pace a request keeps; null: none. */
type PaceOf = (request: InternalRequest) => Pace | null;

/**
 * Requests wait here, in the order in which they came, for what Discord takes in a second: many
 * conversations at once are slower and refuse nothing. A signal cuts off the waiting, and reading;
 * a request that changes something is let finish once it is sent, so that its outcome is known.
 */
export class PacedRest extends REST {
  readonly #pace: Pace;
  readonly #paceOf: PaceOf;

  /** `pace`: that of the bot's token. */
  constructor(options: Partial<RESTOptions>, pace: Pace, paceOf: PaceOf) {
    super({ ...options, globalRequestsPerSecond: Number.POSITIVE_INFINITY });
    this.#pace = pace;
    this.#paceOf = paceOf;
  }

  /** Requests with the bot's token wait at this moment: nothing should be asked that can be left out. */
  get isHeldUp(): boolean {
    return this.#pace.size > 0;
  }

  override async queueRequest(request: InternalRequest) {
    const { signal, ...rest } = request;
    const pace = this.#paceOf(request);
    if (pace !== null) await turnIn(pace, signal);
    return super.queueRequest(request.method === RequestMethod.Get ? request : rest);
  }
}

async function turnIn(pace: Pace, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    void pace.add(() => resolve());
  });
}

/**
 * For everything that must not happen twice: a request is sent once, and a rate limit that Discord
 * names is an error at once. The client's own REST repeats a request, also a post, after a time-out
 * or 5xx.
 */
export function createSender(options: {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly log: Log;
  readonly pace?: Pace;
}): PacedRest {
  const { pace = createPace() } = options;
  const ofAddress = createPace();
  const rest = new PacedRest(
    { ...commonRestOptions(options.apiUrl), retries: 0, rejectOnRateLimit: () => true },
    pace,
    ({ auth }) => (auth === false ? ofAddress : pace),
  );
  rest.on("invalidRequestWarning", (warning) => warnOfInvalidRequests(options.log, warning));
  rest.setToken(options.token);
  return rest;
}

/** The same for the client, which answers interactions with it. */
export function createClientRest(options: Partial<RESTOptions>, pace: Pace): REST {
  return new PacedRest(options, pace, ({ auth }) => (auth === false ? null : pace));
}

/** Options of both REST instances. */
export function commonRestOptions(apiUrl: string | null): Partial<RESTOptions> {
  return {
    version: "10",
    api: apiRoot(apiUrl),
    timeout: 15_000,
    invalidRequestWarningInterval: INVALID_REQUESTS_BETWEEN_WARNINGS,
  };
}

/** Discord blocks an address after 10,000 such answers in ten minutes (API docs, "Rate Limits"). */
export function warnOfInvalidRequests(log: Log, warning: { readonly count: number }): void {
  log.warn({ count: warning.count }, "Discord refused many requests in the last ten minutes");
}

const INVALID_REQUESTS_BETWEEN_WARNINGS = 500;
