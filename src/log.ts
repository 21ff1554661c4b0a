import { pino } from "pino";
import type { Log } from "./ports/system.js";

/** Properties of an error that say something about its cause and nothing about people or secrets. */
const SAFE_PROPERTIES = [
  "code",
  "status",
  "method",
  "kind",
  "retryAfterMs",
  "isTransient",
] as const;

/**
 * One JSON object per line on standard output. Of errors only their cause is written, never the
 * request that failed; `secrets` and the tokens of webhooks are blacked out wherever they appear.
 */
export function createLog(level: string, secrets: readonly (string | null)[]): Log {
  const clean = scrubber(secrets);
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => describeError(error, clean) },
  });
}

/** Blacks out secrets in a text. */
function scrubber(secrets: readonly (string | null)[]): (text: string) => string {
  const known = secrets.filter((secret): secret is string => secret !== null && secret.length > 3);
  return (text) =>
    known
      .reduce((cleaned, secret) => cleaned.replaceAll(secret, "[secret]"), text)
      .replace(/(\/webhooks\/\d+\/)[\w.-]{20,}/g, "$1[secret]")
      .replace(/(\/interactions\/\d+\/)[\w.-]{20,}/g, "$1[secret]");
}

function describeError(error: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (!(error instanceof Error)) return clean(String(error));
  const described: Record<string, unknown> = {
    type: error.name,
    message: clean(error.message),
    stack: clean(error.stack ?? ""),
  };
  for (const property of SAFE_PROPERTIES) {
    const value: unknown = Reflect.get(error, property);
    if (typeof value === "number" || typeof value === "boolean") described[property] = value;
    else if (typeof value === "string") described[property] = clean(value);
  }
  if (error.cause !== undefined && depth < 3) {
    described["cause"] = describeError(error.cause, clean, depth + 1);
  }
  return described;
}
