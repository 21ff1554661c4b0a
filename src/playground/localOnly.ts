import type { MiddlewareHandler } from "hono";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Turns away requests that a foreign website makes through the visitor's browser: those that
 * address this server by another name (DNS rebinding) and those that come from another origin.
 */
export function localOnly(allowedHosts: readonly string[]): MiddlewareHandler {
  const allowed = new Set([...LOOPBACK, ...allowedHosts]);
  return async (c, next) => {
    const host = c.req.header("host") ?? "";
    const origin = c.req.header("origin");
    const isOwnName = allowed.has(host.replace(/:\d+$/, ""));
    const isOwnPage = origin === undefined || origin === `http://${host}`;
    if (!isOwnName || !isOwnPage) return c.text("Forbidden", 403);
    await next();
    return undefined;
  };
}
