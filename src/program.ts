/** The program: settings, where to connect, start, and the exit code. */
import { openStorage } from "./adapters/storage/open.js";
import { systemClock } from "./adapters/system.js";
import type { Settings } from "./app/services.js";
import { applyParleyFile } from "./applyParleyFile.js";
import { type Bot, startBot } from "./bot.js";
import { type ChosenModel, chooseModel } from "./chooseModel.js";
import {
  type Config,
  ConfigError,
  DEFAULT_DATABASE_URL,
  loadDotEnv,
  readConfig,
} from "./config.js";
import type { HttpSettings } from "./http.js";
import { createLog } from "./log.js";
import { type Declared, readParleyFile } from "./parleyFile.js";
import { ParleyFileError, spotText } from "./parleyFileError.js";
import { assertFits, assertFitsOneOf } from "./parleyFileFit.js";
import { ChatError } from "./ports/chat.js";
import { StorageError } from "./ports/storage.js";
import type { Log } from "./ports/system.js";
import { claimOrStandBy } from "./standBy.js";

const EXIT_STOPPED = 0;
const EXIT_FAULT = 1;
const EXIT_CONFIG = 78;
/** How long a start that was interrupted may go on, to be stopped in order. */
const START_GRACE_MS = 5_000;

/** Runs until it is `ending`, with the name of a signal, or until it cannot go on. Resolves to the exit code. */
export async function run(ending: Promise<string>): Promise<number> {
  try {
    return await runProgram(ending);
  } catch (error) {
    return explain(error);
  }
}

async function runProgram(ending: Promise<string>): Promise<number> {
  loadDotEnv();
  const config = readConfig();
  const isPlayground = config.discordToken === null;
  const log = createLog(config.logLevel ?? (isPlayground ? "warn" : "info"), [
    config.discordToken,
    config.openaiApiKey,
    config.eventsToken,
    config.databaseUrl,
  ]);
  const chosen = await chooseModel(config, { isPlayground, clock: systemClock, log });
  return isPlayground
    ? runPlayground(config, chosen, log, ending)
    : runOnDiscord(config, chosen, log, ending);
}

async function runOnDiscord(
  config: Config,
  chosen: ChosenModel,
  log: Log,
  ending: Promise<string>,
): Promise<number> {
  const declared = await declaredIn(config);
  log.info({ model: chosen.description, judge: chosen.judgeModel }, "starting");
  const url = config.databaseUrl ?? DEFAULT_DATABASE_URL;
  const signal = signalOf(ending);
  const tell = (sentence: string) => process.stderr.write(`${sentence}\n`);
  const claim = await claimOrStandBy(url, { clock: systemClock, log, signal, tell });
  if (claim === null) return EXIT_STOPPED;
  const storage = await openStorage(url);
  try {
    if (declared !== null) await assertFits(storage, declared);
  } catch (error) {
    await storage.close();
    await claim.release();
    throw error;
  }
  const starting = startBot({
    token: config.discordToken ?? "",
    apiUrl: config.discordApiUrl,
    storage,
    claim,
    signal,
    model: chosen.port,
    settings: settingsFrom(config, chosen),
    log,
    ...httpOf(config),
    prepareServer: async (services, guildId) => {
      if (declared === null) return;
      for (const { text, isFailed } of await applyParleyFile(services, declared, guildId)) {
        if (isFailed) log.warn({ guildId, said: text }, "declared in the file, but not made");
        else log.info({ guildId, said: text }, "declared in the file");
      }
    },
  });
  const bot = await startedOrEnded(starting, signal);
  if (bot === null) return EXIT_STOPPED;
  if (declared !== null) warnOfServer(declared, bot, log);
  return runUntilTheEnd(bot, log, ending);
}

/** Null: the process was asked to end, and what the start waits for does not come. */
async function startedOrEnded(starting: Promise<Bot>, signal: AbortSignal): Promise<Bot | null> {
  const tooLate = new AbortController();
  const end = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  }).then(() => systemClock.sleep(START_GRACE_MS, tooLate.signal));
  end.catch(() => undefined);
  try {
    return await Promise.race([starting, end.then(() => null)]);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    tooLate.abort();
  }
}

/** A file for a server that the bot is not in makes nothing. */
function warnOfServer({ path, server, spotOf }: Declared, bot: Bot, log: Log): void {
  if (server === null || bot.servers.includes(server)) return;
  const said = `${path}, ${spotText(spotOf(["server"]))}: the bot is not in the server ${server}, so nothing of the file is created until it is invited there.`;
  log.warn({ guildId: server, said }, "the file is for a server that the bot is not in");
}

async function declaredIn({ parleyFile }: Config): Promise<Declared | null> {
  if (parleyFile === "off") return null;
  return readParleyFile(parleyFile ?? "parley.yaml", { isRequired: parleyFile !== null });
}

/** How it listens for HTTP, where it is asked to. */
function httpOf({ httpPort, httpHost, eventsToken }: Config): { readonly http?: HttpSettings } {
  return httpPort === null ? {} : { http: { port: httpPort, host: httpHost, eventsToken } };
}

async function runPlayground(
  config: Config,
  chosen: ChosenModel,
  log: Log,
  ending: Promise<string>,
): Promise<number> {
  const declared = await declaredIn(config);
  const { openPlayground, FURNISHED } = await import("./playground/main.js");
  if (declared !== null) assertFitsOneOf(declared, [FURNISHED]);
  const playground = await openPlayground(config.playgroundPort);
  const bot = await startBot({
    token: playground.token,
    apiUrl: playground.apiUrl,
    // The playground's world begins anew at each start, and so does what the bot knows of it.
    storage: await openStorage(":memory:"),
    model: chosen.port,
    settings: settingsFrom(config, chosen),
    log,
    ...httpOf(config),
  });
  await playground.furnish(bot.services);
  // It has one server, which stands for the one that the file is for.
  const applied =
    declared === null
      ? []
      : await applyParleyFile(bot.services, { ...declared, server: null }, playground.guildId);
  for (const { text, isFailed } of applied) {
    if (isFailed) log.warn({ said: text }, "declared in the file, but not made");
  }
  process.stdout.write(
    [
      "",
      `  Parley is ready on the playground: ${playground.url}`,
      `  Model: ${chosen.description}`,
      ...applied.flatMap(({ text }) => text.split("\n")).map((line) => `  ${line}`),
      ...(bot.httpUrl === null ? [] : [`  Health, metrics and events: ${bot.httpUrl}`]),
      "  Open the address, write a message in #review, and see who answers.",
      "  Everything here is gone when you stop it with Ctrl+C. Set DISCORD_TOKEN to run on Discord.",
      "",
      "",
    ].join("\n"),
  );
  try {
    return await runUntilTheEnd(bot, log, ending);
  } finally {
    await playground.close();
  }
}

async function runUntilTheEnd(bot: Bot, log: Log, ending: Promise<string>): Promise<number> {
  const end = await Promise.race([ending, bot.fatal]);
  if (end instanceof ChatError) {
    log.error({ err: end }, "the connection to Discord has ended for good");
    process.stderr.write(`${end.detail}\n`);
  } else if (end instanceof StorageError) {
    log.error({ err: end }, "another process has taken over");
    process.stderr.write(`${end.message}\n`);
  } else {
    log.info({ signal: end }, "stopping");
  }
  await bot.stop();
  return typeof end === "string" ? EXIT_STOPPED : EXIT_FAULT;
}

function settingsFrom(config: Config, chosen: ChosenModel): Settings {
  const {
    maxReplies,
    judgeTimeoutMs,
    turnTimeoutMs,
    collectTimeoutMs,
    seatTokenBudget,
    hasStatusLine,
    managerRoleIds,
    isGcForManagers,
    talkRoleIds,
    talkUserIds,
    dailyTokens,
    prices,
  } = config;
  return {
    model: chosen.model,
    judgeModel: chosen.judgeModel,
    maxReplies,
    judgeTimeoutMs,
    turnTimeoutMs,
    collectTimeoutMs,
    seatTokenBudget,
    hasStatusLine,
    managerRoleIds,
    isGcForManagers,
    talkRoleIds,
    talkUserIds,
    dailyTokens,
    prices,
  };
}

/** Aborted when the process is to end. */
function signalOf(ending: Promise<string>): AbortSignal {
  const controller = new AbortController();
  void ending.then((name) => controller.abort(name));
  return controller.signal;
}

/** What went wrong at the start, for the person who started it, and the exit code. */
function explain(error: unknown): number {
  if (error instanceof ConfigError) {
    process.stderr.write(
      error instanceof ParleyFileError
        ? `Parley cannot start: ${error.path} is wrong.\n${error.message}\nPARLEY_FILE=off starts without it.\n`
        : `Parley cannot start: these settings are wrong.\n${error.message}\n`,
    );
    return EXIT_CONFIG;
  }
  if (error instanceof ChatError) {
    process.stderr.write(`Parley cannot start: ${error.detail}\n`);
    return error.kind === "logged-out" || error.kind === "forbidden" ? EXIT_CONFIG : EXIT_FAULT;
  }
  if (error instanceof StorageError) {
    process.stderr.write(`Parley cannot start: ${error.message}\n`);
    return error.isTransient ? EXIT_FAULT : EXIT_CONFIG;
  }
  process.stderr.write(
    `Parley cannot start.\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT_FAULT;
}
