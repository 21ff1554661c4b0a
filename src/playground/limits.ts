import { createHash } from "node:crypto";
import { type LoopbackClock, systemClock } from "./clock.js";
import { isObject } from "./rest/form.js";

/** How often something may be done. */
export interface Rule {
  readonly count: number;
  readonly windowMs: number;
}

export interface LimitRules {
  /** All requests of one bot token; requests without a token count together, as one address. */
  readonly global: Rule;
  readonly messageCreate: Rule;
  /** Executing one webhook; shown in the headers. */
  readonly webhook: Rule;
  /** All webhook posts into one channel; never shown, only felt. */
  readonly webhookChannel: Rule;
  /** Changing the name, and changing the topic, each, of one channel; never shown. */
  readonly channelNameOrTopic: Rule;
  /** Every change of one channel, those included. */
  readonly channelChange: Rule;
  readonly everythingElse: Rule;
}

/**
 * Discord's numbers: https://docs.discord.com/developers/topics/rate-limits for the global one; the
 * others are not documented, only observed.
 */
export const DISCORD_LIMITS: LimitRules = {
  global: { count: 50, windowMs: 1000 },
  messageCreate: { count: 5, windowMs: 5000 },
  webhook: { count: 5, windowMs: 2000 },
  webhookChannel: { count: 30, windowMs: 60_000 },
  channelNameOrTopic: { count: 2, windowMs: 600_000 },
  channelChange: { count: 10, windowMs: 15_000 },
  everythingElse: { count: 10, windowMs: 10_000 },
};

export interface LimitedRequest {
  readonly method: string;
  /** Below the API root. */
  readonly path: string;
  readonly body: unknown;
  readonly isBot: boolean;
  /** For the execution of a webhook: the channel that it posts to. */
  readonly webhookChannelId?: string;
}

export interface LimitVerdict {
  /** The 429, when the request came too early. */
  readonly refused: Response | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RateLimits {
  check(request: LimitedRequest): LimitVerdict;
}

/** No limits at all. */
export const noLimits: RateLimits = { check: () => ({ refused: null, headers: {} }) };

export interface RateLimitOptions {
  readonly clock?: LoopbackClock;
  readonly rules?: Partial<LimitRules>;
}

/** Counts requests in windows that begin with their first request, as Discord's buckets do. */
export function createRateLimits(options: RateLimitOptions = {}): RateLimits {
  const { clock = systemClock } = options;
  const rules = { ...DISCORD_LIMITS, ...options.rules };
  const windows = new Map<string, { readonly startMs: number; used: number }>();

  /** The window of that key; a new one when the last is over. */
  const windowOf = (key: string, rule: Rule) => {
    const known = windows.get(key);
    if (known && clock.now() < known.startMs + rule.windowMs) return known;
    const fresh = { startMs: clock.now(), used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  const secondsLeft = (key: string, rule: Rule) =>
    Math.max(0, windowOf(key, rule).startMs + rule.windowMs - clock.now()) / 1000;

  return {
    check(request) {
      if (request.path.startsWith("/interactions/")) return { refused: null, headers: {} };
      const globalKey = request.isBot ? "global:bot" : "global:address";
      const bucket = bucketOf(request, rules);
      const hidden = hiddenBuckets(request, rules);
      const show = () => {
        const { used, startMs } = windowOf(bucket.key, bucket.rule);
        return {
          "x-ratelimit-limit": String(bucket.rule.count),
          "x-ratelimit-remaining": String(Math.max(0, bucket.rule.count - used)),
          "x-ratelimit-reset": ((startMs + bucket.rule.windowMs) / 1000).toFixed(3),
          "x-ratelimit-reset-after": secondsLeft(bucket.key, bucket.rule).toFixed(3),
          "x-ratelimit-bucket": createHash("md5").update(bucket.name).digest("hex"),
        };
      };
      const candidates = [
        { key: globalKey, rule: rules.global, scope: "global" },
        { ...bucket, scope: "user" },
        ...hidden,
      ] as const;
      for (const { key, rule, scope } of candidates) {
        if (windowOf(key, rule).used < rule.count) continue;
        const headers = scope === "global" ? {} : show();
        return { refused: tooMany(secondsLeft(key, rule), scope, headers), headers: {} };
      }
      for (const { key, rule } of candidates) windowOf(key, rule).used += 1;
      return { refused: null, headers: show() };
    },
  };
}

interface Bucket {
  readonly key: string;
  /** The same for all channels, servers and webhooks: the header shows its hash. */
  readonly name: string;
  readonly rule: Rule;
}

function bucketOf({ method, path }: LimitedRequest, rules: LimitRules): Bucket {
  const steps = path.split("/").slice(1);
  const [resource = "", major = "", third = ""] = steps;
  const isMajor = ["channels", "guilds", "webhooks"].includes(resource);
  const majorId = resource === "webhooks" ? `${major}/${third}` : isMajor ? major : "";
  const shape = steps.map((step) => (/^\d{17,20}$/.test(step) ? ":id" : step));
  if (resource === "webhooks" && shape[2] !== undefined) shape[2] = ":token";
  const name = `${method} /${shape.join("/")}`;
  const special: Readonly<Record<string, Rule>> = {
    "POST /channels/:id/messages": rules.messageCreate,
    "POST /webhooks/:id/:token": rules.webhook,
    "PATCH /channels/:id": rules.channelChange,
  };
  const rule = special[name] ?? rules.everythingElse;
  return { key: `${name}:${majorId}`, name, rule };
}

function hiddenBuckets(request: LimitedRequest, rules: LimitRules) {
  const { method, path, body, webhookChannelId } = request;
  const hidden: { key: string; rule: Rule; scope: "user" | "shared" }[] = [];
  if (webhookChannelId !== undefined) {
    hidden.push({
      key: `webhook-channel:${webhookChannelId}`,
      rule: rules.webhookChannel,
      scope: "shared",
    });
  }
  if (method === "PATCH" && /^\/channels\/\d+$/.test(path) && isObject(body)) {
    for (const field of ["name", "topic"]) {
      if (body[field] === undefined) continue;
      hidden.push({ key: `${field}:${path}`, rule: rules.channelNameOrTopic, scope: "user" });
    }
  }
  return hidden;
}

function tooMany(
  retryAfterSeconds: number,
  scope: "global" | "user" | "shared",
  headers: Readonly<Record<string, string>>,
): Response {
  const isGlobal = scope === "global";
  return new Response(
    JSON.stringify({
      message: "You are being rate limited.",
      retry_after: retryAfterSeconds,
      global: isGlobal,
    }),
    {
      status: 429,
      headers: {
        ...headers,
        "content-type": "application/json",
        "retry-after": String(Math.ceil(retryAfterSeconds)),
        "x-ratelimit-scope": scope,
        ...(isGlobal ? { "x-ratelimit-global": "true" } : {}),
      },
    },
  );
}
