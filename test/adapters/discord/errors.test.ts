import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { describe, expect, it } from "vitest";
import { chatErrorOf, fieldCodes } from "../../../src/adapters/discord/errors.js";
import { ChatError, type ChatErrorKind } from "../../../src/ports/chat.js";

const CHANGING = { hasEffect: true, needs: "Manage Webhooks" };
const BY_WEBHOOK = { ...CHANGING, isByWebhook: true };
const READING = { hasEffect: false, needs: "Read Message History" };
const REQUEST = { files: undefined, body: undefined };

function refusal(status: number, code: number | undefined, errors?: object): DiscordAPIError {
  const body = { code, message: "In Discord's words", ...(errors === undefined ? {} : { errors }) };
  return new DiscordAPIError(body as never, code as never, status, "POST", "https://x", REQUEST);
}

function rateLimit(retryAfter: number, sublimitTimeout: number): RateLimitError {
  return new RateLimitError({
    global: false,
    hash: "h",
    limit: 5,
    majorParameter: "1",
    method: "POST",
    retryAfter,
    route: "/webhooks/:id/:token",
    scope: "user",
    sublimitTimeout,
    timeToReset: retryAfter,
    url: "https://x",
  });
}

function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

describe("the meaning of a failure", () => {
  it.each<[string, unknown, ChatErrorKind]>([
    ["an unknown channel", refusal(404, 10003), "gone"],
    ["an unknown server", refusal(404, 10004), "gone"],
    ["an unknown message", refusal(404, 10008), "gone"],
    ["an unknown webhook", refusal(404, 10015), "gone"],
    ["a webhook's wrong token", refusal(401, 50027), "gone"],
    ["another thing that is not there", refusal(404, 0), "gone"],
    ["slowmode", refusal(400, 20016), "rate-limited"],
    ["words that are not allowed in a name", refusal(400, 20031), "refused"],
    ["15 webhooks", refusal(400, 30007), "full"],
    ["1,000 webhooks", refusal(400, 30058), "full"],
    ["500 channels", refusal(400, 30013), "full"],
    ["a file too large", refusal(413, 40005), "refused"],
    ["an overloaded Discord", refusal(503, 130000), "unavailable"],
    ["the protection before Discord", refusal(403, 40333), "unavailable"],
    ["no access", refusal(403, 50001), "forbidden"],
    ["no permission", refusal(403, 50013), "forbidden"],
    ["an empty message", refusal(400, 50006), "refused"],
    ["an invalid value", refusal(400, 50035), "refused"],
    ["a locked thread", refusal(400, 160005), "gone"],
    ["AutoMod", refusal(400, 200000), "blocked"],
    ["the link filter", refusal(400, 240000), "blocked"],
    ["a token that is over", refusal(401, 0), "logged-out"],
    ["a refusal that is not in the list", refusal(400, 99999), "refused"],
    ["a conflict without a code that tells more", refusal(409, 0), "unknown"],
    ["a page of a proxy", refusal(403, undefined), "unknown"],
    ["status 502", new HTTPError(502, "Bad Gateway", "POST", "https://x", REQUEST), "unknown"],
    ["an answer that is no JSON", new SyntaxError("Unexpected token <"), "unknown"],
    ["a connection that was reset", failure("read ECONNRESET", "ECONNRESET"), "unknown"],
    ["a refused connection", failure("connect ECONNREFUSED", "ECONNREFUSED"), "unavailable"],
    ["a name that cannot be resolved", failure("getaddrinfo", "ENOTFOUND"), "unavailable"],
    ["a time-out", new DOMException("aborted", "AbortError"), "unknown"],
    [
      "a cause further down",
      new TypeError("fetch failed", { cause: failure("connect", "ECONNREFUSED") }),
      "unavailable",
    ],
  ])("%s", (_what, error, kind) => {
    const problem = chatErrorOf(error, CHANGING);
    expect(problem.kind).toBe(kind);
    expect(problem.cause).toBe(error);
    expect(problem.detail).toMatch(/^[A-Z].*[a-z]\.$|^Discord.*\.$/);
  });

  it("is never in doubt where nothing can have happened", () => {
    const error = new HTTPError(502, "Bad Gateway", "GET", "https://x", REQUEST);
    expect(chatErrorOf(error, READING).kind).toBe("unavailable");
  });

  it("of a route that a webhook's token opens says nothing about the bot's own token", () => {
    expect(chatErrorOf(refusal(401, 0), BY_WEBHOOK).kind).toBe("gone");
    expect(chatErrorOf(refusal(404, 0), BY_WEBHOOK).kind).toBe("gone");
    expect(chatErrorOf(refusal(401, undefined), BY_WEBHOOK).kind).toBe("unknown");
  });

  it("names the permission and where to give it", () => {
    expect(chatErrorOf(refusal(403, 50013), CHANGING).detail).toContain("I need Manage Webhooks");
  });

  it("says how long to wait", () => {
    expect(chatErrorOf(rateLimit(1_200, 0), CHANGING)).toMatchObject({
      kind: "rate-limited",
      retryAfterMs: 1_200,
    });
    expect(chatErrorOf(rateLimit(0, 45_000), CHANGING).retryAfterMs).toBe(45_000);
  });

  it("reads which value was wrong", () => {
    const full = { parent_id: { _errors: [{ code: "CHANNEL_PARENT_MAX_CHANNELS", message: "" }] } };
    expect(fieldCodes(refusal(400, 50035, full), "parent_id")).toEqual([
      "CHANNEL_PARENT_MAX_CHANNELS",
    ]);
    expect(chatErrorOf(refusal(400, 50035, full), CHANGING).kind).toBe("full");
    const name = { username: { _errors: [{ code: "USERNAME_INVALID_CONTAINS", message: "" }] } };
    expect(chatErrorOf(refusal(400, 50035, name), CHANGING).detail).toContain("display name");
  });

  it("is kept when it is known already", () => {
    const known = new ChatError("full", "No room.");
    expect(chatErrorOf(known, CHANGING)).toBe(known);
  });
});
