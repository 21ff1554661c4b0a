import { createHash } from "node:crypto";
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  type Client,
  RESTJSONErrorCodes,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from "discord.js";
import { ChatError } from "../../../ports/chat.js";
import type { SettingStore } from "../../../ports/storage.js";
import type { Clock, Log } from "../../../ports/system.js";
import { attempt, listOf } from "../attempt.js";
import { hasCode } from "../errors.js";

const REGISTERING = { hasEffect: false, needs: "access to its own application" };

/** Between the tries; then always the last one. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000] as const;

interface Registering {
  readonly client: Client<true>;
  readonly settings: SettingStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The end of the process: nothing is tried any more. */
  readonly closing: AbortSignal;
}

/**
 * Tells Discord the commands, for every server, when they are others than last time: Discord
 * allows 200 new ones a day. Resolves after the first try; where that fails, further ones follow in
 * the background until one succeeds, and those of before work meanwhile.
 */
export async function registerCommands(
  commands: RESTPutAPIApplicationCommandsJSONBody,
  options: Registering,
): Promise<void> {
  if (await isDone(commands, options)) return;
  tryAgain(commands, options).catch((error: unknown) => {
    if (!options.closing.aborted) options.log.error({ err: error }, "registering commands ended");
  });
}

async function tryAgain(
  commands: RESTPutAPIApplicationCommandsJSONBody,
  options: Registering,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const pauseMs = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
    await options.clock.sleep(pauseMs, options.closing);
    if (await isDone(commands, options)) return;
  }
}

async function isDone(
  commands: RESTPutAPIApplicationCommandsJSONBody,
  options: Registering,
): Promise<boolean> {
  try {
    await register(commands, options);
    return true;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    options.log.error(
      { err: error },
      "the commands could not be registered; those of before still work, and it is tried again",
    );
    return false;
  }
}

async function register(
  commands: RESTPutAPIApplicationCommandsJSONBody,
  options: Registering,
): Promise<void> {
  const { client, settings, log } = options;
  const route = Routes.applicationCommands(client.application.id);
  const key = `commands:${client.application.id}`;
  const fingerprint = createHash("sha256").update(JSON.stringify(commands)).digest("hex");
  const registered = await attempt(REGISTERING, undefined, () =>
    listOf<APIApplicationCommand>(client.rest.get(route)),
  );
  const isSame =
    (await settings.get(key)) === fingerprint && namesOf(registered) === namesOf(commands);
  if (isSame) return;
  const isTaken = await attempt(REGISTERING, undefined, async () => {
    try {
      const answer = await listOf<APIApplicationCommand>(
        client.rest.put(route, { body: commands }),
      );
      if (namesOf(answer) === namesOf(commands)) return true;
      throw new SyntaxError("The answer names other commands.");
    } catch (error) {
      // The commands of before go on working; the next start tries again.
      if (!hasCode(error, RESTJSONErrorCodes.MaximumDailyApplicationCommandCreatesReached)) {
        throw error;
      }
      log.error({ err: error }, "Discord takes no further commands today");
      return false;
    }
  });
  if (!isTaken) return;
  await settings.set(key, fingerprint);
  log.info({ count: commands.length }, "the commands were registered");
}

function namesOf(
  commands: readonly {
    readonly name: string;
    readonly type?: ApplicationCommandType | undefined;
  }[],
): string {
  return commands
    .map(({ name, type = ApplicationCommandType.ChatInput }) => `${type} ${name}`)
    .sort()
    .join("\n");
}
