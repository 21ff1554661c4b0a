import { createHash } from "node:crypto";
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  type Client,
  RESTJSONErrorCodes,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from "discord.js";
import type { SettingStore } from "../../../ports/storage.js";
import type { Log } from "../../../ports/system.js";
import { attempt, jsonOf } from "../attempt.js";
import { hasCode } from "../errors.js";

const REGISTERING = { hasEffect: false, needs: "access to its own application" };

/**
 * Tells Discord the commands, for every server, when they are others than last time: Discord
 * allows 200 new ones a day. Rejects with `ChatError`.
 */
export async function registerCommands(
  commands: RESTPutAPIApplicationCommandsJSONBody,
  options: {
    readonly client: Client<true>;
    readonly settings: SettingStore;
    readonly log: Log;
  },
): Promise<void> {
  const { client, settings, log } = options;
  const route = Routes.applicationCommands(client.application.id);
  const key = `commands:${client.application.id}`;
  const fingerprint = createHash("sha256").update(JSON.stringify(commands)).digest("hex");
  const registered = await attempt(REGISTERING, undefined, () =>
    jsonOf<APIApplicationCommand[]>(client.rest.get(route)),
  );
  const isSame =
    (await settings.get(key)) === fingerprint && namesOf(registered) === namesOf(commands);
  if (isSame) return;
  const isDone = await attempt(REGISTERING, undefined, async () => {
    try {
      await client.rest.put(route, { body: commands });
      return true;
    } catch (error) {
      // The commands of before go on working; the next start tries again.
      if (!hasCode(error, RESTJSONErrorCodes.MaximumDailyApplicationCommandCreatesReached)) {
        throw error;
      }
      log.error({ err: error }, "Discord takes no further commands today");
      return false;
    }
  });
  if (!isDone) return;
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
