/** How often something may be done. */
export interface Rule {
  readonly count: number;
  readonly windowMs: number;
}

export interface LimitOptions {
  /** All requests with the bot's token. */
  readonly global: Rule;
  readonly messageCreate: Rule;
  /** Executing one webhook; shown in the headers. */
  readonly webhook: Rule;
  /** All webhook posts into one channel; never shown, only felt. */
  readonly webhookChannel: Rule;
  /** Changing the name, and changing the topic, each, of one channel. */
  readonly channelNameOrTopic: Rule;
  readonly everythingElse: Rule;
}

/** Discord's numbers; the webhook and name/topic ones are not documented, only observed. */
export const DISCORD_LIMITS: LimitOptions = {
  global: { count: 50, windowMs: 1000 },
  messageCreate: { count: 5, windowMs: 5000 },
  webhook: { count: 5, windowMs: 2000 },
  webhookChannel: { count: 30, windowMs: 60_000 },
  channelNameOrTopic: { count: 2, windowMs: 600_000 },
  everythingElse: { count: 10, windowMs: 10_000 },
};

export interface LimitVerdict {
  readonly refused: Response | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RateLimits {
  check(method: string, path: string, body: unknown, isBot: boolean): LimitVerdict;
}

/** No limits at all. */
export const noLimits: RateLimits = { check: () => ({ refused: null, headers: {} }) };
