import {
  DefaultRestOptions,
  type InternalRequest,
  REST,
  type RESTOptions,
  RequestMethod,
  type ResponseLike,
  Routes,
} from "discord.js";
import type { Log } from "../../ports/system.js";
import { Pace } from "./pace.js";
import { globalPauseMs, withBelievedPauses } from "./retryAfter.js";

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

/** For the requests of one token, or of an address. */
export function createPace(log: Log): Pace {
  return new Pace({
    perSecond: REQUESTS_PER_SECOND,
    onHold: (hold) => log.warn(hold, "Discord asks the bot for a pause; everything waits for it"),
  });
}

/** What requests with the bot's token wait for, and those without. */
interface Paces {
  readonly ofToken: Pace;
  readonly ofOthers: Pace;
}

/**
 * Requests wait here, in the order in which they came, for what Discord takes in a second: many
 * conversations at once are slower and refuse nothing. A pause that Discord asks of all is made by
 * all; a long one is an error to whoever asks meanwhile. A signal cuts off the waiting, and reading;
 * a request that changes something is let finish once it is sent, so that its outcome is known.
 */
export class PacedRest extends REST {
  readonly #paces: Paces;

  constructor(options: Partial<RESTOptions>, paces: Paces) {
    const makeRequest = options.makeRequest ?? DefaultRestOptions.makeRequest;
    super({
      ...options,
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      makeRequest: async (url, init) => seen(await makeRequest(url, init)),
    });
    this.#paces = paces;
  }

  /**
   * The library takes the token away after a single 401, and with it everything that comes later. A
   * token that is void ends the connection, and with it the process.
   */
  override setToken(token: string | null) {
    return token === null ? this : super.setToken(token);
  }

  /** Requests with the bot's token wait at this moment: nothing should be asked that can be left out. */
  get isHeldUp(): boolean {
    return this.#paces.ofToken.isHeldUp;
  }

  /** For how long Discord still lets nothing through, where that is long enough to be noticed; else 0. */
  get heldForMs(): number {
    const { ofToken, ofOthers } = this.#paces;
    const long = [ofToken, ofOthers].filter((pace) => pace.isHeldLong);
    return Math.max(0, ...long.map(({ heldForMs }) => heldForMs));
  }

  override async queueRequest(request: InternalRequest) {
    const { signal, ...rest } = request;
    const pace = request.auth === false ? this.#paces.ofOthers : this.#paces.ofToken;
    // Without a connection there is nothing to do in the pause.
    const isPatient = request.fullRoute === Routes.gatewayBot();
    for (let isRepeated = false; ; isRepeated = true) {
      await pace.turn({ signal, isPatient, isRepeated });
      try {
        return await super.queueRequest(request.method === RequestMethod.Get ? request : rest);
      } catch (error) {
        if (!(error instanceof GlobalLimit)) throw error;
        // Nothing was done: it may be sent again.
        pace.hold(error.pauseMs);
      }
    }
  }
}

/** An answer that the library must not see: it would let each request wait by itself. */
class GlobalLimit extends Error {
  override readonly name = "GlobalLimit";
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super("Discord asks all requests for a pause.");
    this.pauseMs = pauseMs;
  }
}

function seen(answer: ResponseLike): ResponseLike {
  const pauseMs = globalPauseMs(answer);
  if (pauseMs !== null) throw new GlobalLimit(pauseMs);
  return withBelievedPauses(answer);
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
  const { log, pace = createPace(log) } = options;
  const rest = new PacedRest(
    { ...commonRestOptions(options.apiUrl), retries: 0, rejectOnRateLimit: () => true },
    { ofToken: pace, ofOthers: createPace(log) },
  );
  rest.on("invalidRequestWarning", (warning) => warnOfInvalidRequests(log, warning));
  rest.setToken(options.token);
  return rest;
}

/** The same for the client, which answers interactions with it: those wait for no other request. */
export function createClientRest(options: Partial<RESTOptions>, pace: Pace): REST {
  const ofInteractions = new Pace({ perSecond: null });
  return new PacedRest(
    { ...options, rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_CLIENT_WAIT_MS },
    { ofToken: pace, ofOthers: ofInteractions },
  );
}

/** Of a route. Who reads or answers a command is told of a longer pause. */
const LONGEST_CLIENT_WAIT_MS = 60_000;

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
