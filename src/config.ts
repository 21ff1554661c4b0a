/** The only reader of the environment. Every setting is described in `.env.example`. */
import { existsSync } from "node:fs";
import { z } from "zod";
import type { Budgets } from "./domain/budget.js";
import { asId, type RoleId, type UserId } from "./domain/ids.js";
import {
  COLLECT_TIMEOUT_MS,
  JUDGE_TIMEOUT_MS,
  MAX_REPLIES,
  SEAT_TOKEN_BUDGET,
  TURN_TIMEOUT_MS,
} from "./domain/limits.js";
import type { Price, Prices } from "./domain/prices.js";

/** Where the bot keeps what it knows, unless a setting says otherwise. */
export const DEFAULT_DATABASE_URL = "file:./data/parley.db";

const MAX_DAILY_TOKENS = 1_000_000_000_000;

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export interface Config {
  /** Null: run on the playground. */
  readonly discordToken: string | null;
  readonly discordApiUrl: string | null;
  /** Null where nothing is set: the default depends on where the bot runs. */
  readonly databaseUrl: string | null;
  readonly openaiApiKey: string | null;
  readonly openaiBaseUrl: string | null;
  readonly model: string | null;
  readonly judgeModel: string | null;
  readonly maxReplies: number;
  readonly judgeTimeoutMs: number;
  readonly turnTimeoutMs: number;
  readonly collectTimeoutMs: number;
  readonly seatTokenBudget: number;
  readonly hasStatusLine: boolean;
  readonly managerRoleIds: readonly RoleId[];
  readonly isGcForManagers: boolean;
  readonly talkRoleIds: readonly RoleId[];
  readonly talkUserIds: readonly UserId[];
  readonly dailyTokens: Budgets;
  readonly prices: Prices;
  /** A file of agents and groups; "off" for none, null for `parley.yaml` where there is one. */
  readonly parleyFile: string | null;
  readonly playgroundPort: number;
  /** Null: there is no HTTP. */
  readonly httpPort: number | null;
  readonly httpHost: string;
  readonly eventsToken: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number] | null;
}

/** What is wrong with the settings: one line for each, with what was expected. Exit code 78. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads `.env` of the working directory, where there is one, into the environment. */
export function loadDotEnv(): void {
  if (existsSync(".env")) process.loadEnvFile(".env");
}

/**
 * Reads what can be read, as if the wrong settings were not there; `problem` names those as
 * `readConfig` does. For looking on, never for a start.
 */
export function readRightOnes(environment: Readonly<NodeJS.ProcessEnv> = process.env): {
  readonly config: Config;
  readonly wrong: ReadonlySet<string>;
  readonly problem: string | null;
} {
  try {
    return { config: readConfig(environment), wrong: new Set(), problem: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split("\n");
    const wrong = new Set(lines.map((line) => line.split(":", 1)[0] ?? ""));
    const right = Object.entries(environment).filter(([name]) => !wrong.has(name));
    return { config: readConfig(Object.fromEntries(right)), wrong, problem: error.message };
  }
}

/** Reads the settings. Throws `ConfigError` with every wrong one named. */
export function readConfig(environment: Readonly<NodeJS.ProcessEnv> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([key, value]) =>
      value === undefined || value.trim() === "" ? [] : [[key, value.trim()]],
    ),
  );
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
    );
  }
  const env = parsed.data;
  return {
    discordToken: env.DISCORD_TOKEN ?? null,
    discordApiUrl: env.DISCORD_API_URL ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    openaiApiKey: env.OPENAI_API_KEY ?? null,
    openaiBaseUrl: env.OPENAI_BASE_URL ?? null,
    model: env.MODEL ?? null,
    judgeModel: env.JUDGE_MODEL ?? null,
    maxReplies: env.MAX_REPLIES ?? MAX_REPLIES,
    judgeTimeoutMs: env.JUDGE_TIMEOUT_SECONDS ?? JUDGE_TIMEOUT_MS,
    turnTimeoutMs: env.TURN_TIMEOUT_SECONDS ?? TURN_TIMEOUT_MS,
    collectTimeoutMs: env.COLLECT_TIMEOUT_SECONDS ?? COLLECT_TIMEOUT_MS,
    seatTokenBudget: env.SEAT_TOKEN_BUDGET ?? SEAT_TOKEN_BUDGET,
    hasStatusLine: env.STATUS_LINE ?? true,
    managerRoleIds: env.MANAGER_ROLES?.map(asId<RoleId>) ?? [],
    isGcForManagers: env.GC_MANAGERS_ONLY ?? false,
    talkRoleIds: env.TALK_ROLES?.map(asId<RoleId>) ?? [],
    talkUserIds: env.TALK_USERS?.map(asId<UserId>) ?? [],
    dailyTokens: {
      server: env.DAILY_TOKENS_SERVER ?? null,
      group: env.DAILY_TOKENS_GROUP ?? null,
      person: env.DAILY_TOKENS_PERSON ?? null,
    },
    prices: env.PRICES ?? new Map(),
    parleyFile: env.PARLEY_FILE ?? null,
    playgroundPort: env.PLAYGROUND_PORT ?? 3210,
    httpPort: env.HTTP_PORT ?? null,
    httpHost: env.HTTP_HOST ?? "127.0.0.1",
    eventsToken: env.EVENTS_TOKEN ?? null,
    logLevel: env.LOG_LEVEL ?? null,
  };
}

function httpUrl(example: string) {
  return z.url({
    protocol: /^https?$/,
    error: `expected an http or https address such as ${example}`,
  });
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d+$/, `expected a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `expected a whole number from ${min} to ${max}`);
}

/** Seconds in the environment, milliseconds in the program. */
function seconds(min: number, max: number) {
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, `expected seconds from ${min} to ${max}`)
    .transform((text) => Number(text) * 1_000)
    .refine(
      (ms) => ms >= min * 1_000 && ms <= max * 1_000,
      `expected seconds from ${min} to ${max}`,
    );
}

function idList(what: string) {
  return z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ""))
    .refine(
      (ids) => ids.every((id) => /^\d{15,20}$/.test(id)),
      `expected ids of ${what}, separated by commas`,
    );
}

/** `model=input/output` or `model=input/output/cached`, in dollars for a million tokens. */
const priceList = z.string().transform((text, context): Prices => {
  const prices = new Map<string, Price>();
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== "")) {
    const found = /^(.+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(entry);
    const [, model, input, output, cached] = found ?? [];
    if (model === undefined) {
      context.addIssue({
        code: "custom",
        message:
          "expected prices such as gpt-5-mini=0.25/2, other-model=1/4: dollars for a million tokens of input and output, separated by commas",
      });
      return z.NEVER;
    }
    prices.set(model, {
      input: Number(input),
      output: Number(output),
      cached: Number(cached ?? input),
    });
  }
  return prices;
});

const onOff = z
  .string()
  .regex(/^(on|off|true|false|1|0|yes|no)$/i, "expected on or off")
  .transform((text) => /^(on|true|1|yes)$/i.test(text));

const variables = z.object({
  DISCORD_TOKEN: z
    .string()
    .regex(
      /^(?:Bot\s+)?[!-~]+$/i,
      "expected the bot token from the Discord developer portal, without spaces",
    )
    .transform((token) => token.replace(/^Bot\s+/i, ""))
    .optional(),
  DISCORD_API_URL: httpUrl("https://discord.com/api").optional(),
  DATABASE_URL: z
    .string()
    .regex(
      /^(file:|:memory:$|postgres(ql)?:\/\/)/,
      "expected file:<path>, such as file:./data/parley.db, or postgres://user:password@host/database",
    )
    .optional(),
  // Sent in a header, which takes no other characters.
  OPENAI_API_KEY: z
    .string()
    .regex(/^[!-~]+$/, "expected the key as its provider shows it, in plain characters")
    .optional(),
  OPENAI_BASE_URL: httpUrl("https://api.openai.com/v1").optional(),
  MODEL: z.string().optional(),
  JUDGE_MODEL: z.string().optional(),
  MAX_REPLIES: wholeNumber(1, MAX_REPLIES).optional(),
  JUDGE_TIMEOUT_SECONDS: seconds(1, 600).optional(),
  TURN_TIMEOUT_SECONDS: seconds(1, 3_600).optional(),
  COLLECT_TIMEOUT_SECONDS: seconds(1, 600).optional(),
  SEAT_TOKEN_BUDGET: wholeNumber(1_000, 2_000_000).optional(),
  STATUS_LINE: onOff.optional(),
  DAILY_TOKENS_SERVER: wholeNumber(1, MAX_DAILY_TOKENS).optional(),
  DAILY_TOKENS_GROUP: wholeNumber(1, MAX_DAILY_TOKENS).optional(),
  DAILY_TOKENS_PERSON: wholeNumber(1, MAX_DAILY_TOKENS).optional(),
  PRICES: priceList.optional(),
  MANAGER_ROLES: idList("roles").optional(),
  GC_MANAGERS_ONLY: onOff.optional(),
  TALK_ROLES: idList("roles").optional(),
  TALK_USERS: idList("people").optional(),
  PARLEY_FILE: z.string().optional(),
  PLAYGROUND_PORT: wholeNumber(0, 65_535).optional(),
  HTTP_PORT: wholeNumber(0, 65_535).optional(),
  HTTP_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, "expected an address or a host name, such as 127.0.0.1 or 0.0.0.0")
    .optional(),
  EVENTS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{8,}$/, "expected at least 8 characters without spaces")
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `expected one of ${LOG_LEVELS.join(", ")}`).optional(),
});

/** Every setting, in the order of `.env.example`. */
export const settingNames: readonly string[] = Object.keys(variables.shape);
