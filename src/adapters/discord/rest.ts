import { REST, type RESTOptions } from "discord.js";
import type { Log } from "../../ports/system.js";

/** The root without version and trailing slash, as `@discordjs/rest` wants it; null: Discord itself. */
export function apiRoot(apiUrl: string | null): string {
  if (apiUrl === null) return "https://discord.com/api";
  return apiUrl.replace(/\/+$/, "").replace(/\/v\d+$/, "");
}

/**
 * For everything that must not happen twice: a request is sent once, and a rate limit is an error
 * at once. The client's own REST repeats a request, also a post, after a time-out or 5xx.
 */
export function createSender(options: {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly log: Log;
}): REST {
  const rest = new REST({
    ...commonRestOptions(options.apiUrl),
    retries: 0,
    rejectOnRateLimit: () => true,
  });
  rest.on("invalidRequestWarning", (warning) => warnOfInvalidRequests(options.log, warning));
  return rest.setToken(options.token);
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
