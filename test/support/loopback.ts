import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { type Loopback, type LoopbackOptions, startLoopback } from "../../src/playground/server.js";
import {
  createGuild,
  type GuildSetup,
  type GuildSetupResult,
} from "../../src/playground/world/guilds.js";

export interface TestLoopback extends Loopback, GuildSetupResult {
  /** Settles with the first value that is not undefined; looks again after every event and request. */
  until<T>(look: () => T | undefined, what: string, patienceMs?: number): Promise<T>;
}

/** How long `until` waits, unless told, before it says that something never came. */
const PATIENCE_MS = 50_000;

/**
 * A loopback server with one server `Workshop`: owner Ada, member Ben, channel `general`, and the
 * bot with the permissions that it asks for. Close it when done.
 */
export async function startTestLoopback(
  options: LoopbackOptions & { readonly guild?: Partial<GuildSetup> } = {},
): Promise<TestLoopback> {
  const loopback = await startLoopback(options);
  const setup = createGuild(loopback.world, {
    name: "Workshop",
    ownerName: "Ada",
    memberNames: ["Ben"],
    botPermissions: NEEDED_BITS,
    ...options.guild,
  });
  return {
    ...loopback,
    ...setup,
    until: (look, what, patienceMs = PATIENCE_MS) => until(loopback, look, { what, patienceMs }),
  };
}

function until<T>(
  loopback: Loopback,
  look: () => T | undefined,
  { what, patienceMs }: { readonly what: string; readonly patienceMs: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const check = () => {
      try {
        const found = look();
        if (found !== undefined) finish(() => resolve(found));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      clearInterval(poll);
      unsubscribe();
      settle();
    };
    const timer = setTimeout(
      () => finish(() => reject(new Error(`Never happened: ${what}`))),
      patienceMs,
    );
    // What the bot does inside itself makes no event here.
    const poll = setInterval(check, 10);
    const unsubscribe = loopback.world.subscribe(check);
    check();
  });
}
