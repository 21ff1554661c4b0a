import type { GuildId } from "../domain/ids.js";
import { plain } from "../domain/plain.js";
import { ChatError } from "../ports/chat.js";
import { sayThere } from "./chatNews.js";
import { ensureCoordinator, mendCoordinator } from "./coordinator.js";
import type { Services } from "./services.js";

/** Between the tries; then always the last one. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000] as const;

/**
 * Sees to it that each server has its coordinator. Where the bot may not make its channel, people
 * are told once, and it is made as soon as the bot's rights there have changed. Whatever else stands
 * in the way may pass: it is tried again after growing pauses.
 */
export class Reception {
  readonly #services: Services;
  readonly #begun = new Set<GuildId>();
  readonly #mended = new Set<GuildId>();
  /** Where it could not be made. */
  readonly #waiting = new Set<GuildId>();
  /** Where it is tried again after a pause. */
  readonly #pausing = new Set<GuildId>();
  readonly #closing: AbortSignal;

  /** With `closing`, the end of the process, nothing is tried again. */
  constructor(services: Services, closing: AbortSignal) {
    this.#services = services;
    this.#closing = closing;
  }

  /** Once for each server in which the bot is, as soon as it is there. */
  async begin(guildId: GuildId): Promise<void> {
    if (this.#begun.has(guildId)) return;
    this.#begun.add(guildId);
    await this.#note(guildId, await ensureCoordinator(this.#services, guildId));
  }

  /** Once for each server in which the bot is, after it is known which channels are gone. */
  async mend(guildId: GuildId): Promise<void> {
    if (this.#mended.has(guildId)) return;
    this.#mended.add(guildId);
    await this.#note(guildId, await mendCoordinator(this.#services, guildId));
  }

  /** What the bot may do there has changed, or may have. */
  async rightsChanged(guildId: GuildId): Promise<void> {
    if (!this.#waiting.delete(guildId)) return;
    const problem =
      (await ensureCoordinator(this.#services, guildId)) ??
      (await mendCoordinator(this.#services, guildId));
    await this.#note(guildId, problem);
  }

  /** The bot was removed from a server: invited again, it begins there anew. */
  left(guildId: GuildId): void {
    for (const known of [this.#begun, this.#mended, this.#waiting]) known.delete(guildId);
  }

  async #note(guildId: GuildId, problem: Error | null): Promise<void> {
    if (problem === null) return;
    this.#waiting.add(guildId);
    if (problem instanceof ChatError && problem.kind === "forbidden") {
      await this.#tell(guildId, problem);
    } else void this.#tryAgain(guildId);
  }

  async #tryAgain(guildId: GuildId): Promise<void> {
    const { clock, log } = this.#services;
    if (this.#pausing.has(guildId)) return;
    this.#pausing.add(guildId);
    try {
      for (let tries = 0; this.#waiting.has(guildId); tries += 1) {
        const pauseMs = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
        await clock.sleep(pauseMs, this.#closing);
        await this.rightsChanged(guildId);
      }
    } catch (error) {
      if (!this.#closing.aborted)
        log.error({ err: error, guildId }, "the coordinator is not ready");
    } finally {
      this.#pausing.delete(guildId);
    }
  }

  async #tell(guildId: GuildId, { needs }: ChatError): Promise<void> {
    const { chat, storage, log } = this.#services;
    const key = `coordinator-told:${guildId}`;
    const channelId = chat.lobby(guildId);
    if (channelId === null || (await storage.settings.get(key)) !== null) return;
    await storage.settings.set(key, "told");
    const place = { guildId, channelId, threadId: null };
    log.info({ guildId, channelId }, "people are told what the coordinator needs");
    await sayThere(
      this.#services,
      place,
      `I could not make the channel of the **Coordinator**, the place to begin. Give my role ${plain(needs ?? "Manage Channels")} in the settings of the server, and I make it at once.`,
    );
  }
}
