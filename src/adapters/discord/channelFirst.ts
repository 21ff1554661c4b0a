import { GatewayDispatchEvents } from "discord.js";
import type { Clock } from "../../ports/system.js";

/** An event of Discord, not checked. */
export interface Dispatched {
  readonly t?: unknown;
  readonly d?: unknown;
}

interface Waiting {
  readonly channelId: string;
  readonly sinceMs: number;
  readonly handle: () => void;
}

const ABOUT_MESSAGES: ReadonlySet<unknown> = new Set([
  GatewayDispatchEvents.MessageCreate,
  GatewayDispatchEvents.MessageUpdate,
  GatewayDispatchEvents.MessageDelete,
  GatewayDispatchEvents.MessageDeleteBulk,
]);
/** Events overtake each other by moments. */
const PATIENCE_MS = 60_000;
const MAX_WAITING = 1_000;

/**
 * The library drops what happens in a channel or thread that it does not know, and events may come in
 * any order. What is about messages waits here for a while until their channel has been told of.
 */
export class ChannelFirst {
  readonly #knows: (channelId: string) => boolean;
  readonly #clock: Pick<Clock, "now">;
  #waiting: readonly Waiting[] = [];

  constructor(options: {
    readonly knows: (channelId: string) => boolean;
    readonly clock: Pick<Clock, "now">;
  }) {
    this.#knows = options.knows;
    this.#clock = options.clock;
  }

  /** Handles an event now, or when its channel is known, if that becomes so in time. */
  pass(event: Dispatched, handle: () => void): void {
    const channelId = channelOf(event);
    if (channelId === null || this.#knows(channelId)) {
      handle();
      if (this.#waiting.length > 0) this.#release();
      return;
    }
    const one = { channelId, sinceMs: this.#clock.now(), handle };
    this.#waiting = [...this.#waiting, one].slice(-MAX_WAITING);
  }

  #release(): void {
    const nowMs = this.#clock.now();
    const inTime = this.#waiting.filter(({ sinceMs }) => nowMs - sinceMs <= PATIENCE_MS);
    const isKnown = inTime.map(({ channelId }) => this.#knows(channelId));
    this.#waiting = inTime.filter((_, index) => isKnown[index] !== true);
    for (const [index, { handle }] of inTime.entries()) {
      if (isKnown[index] === true) handle();
    }
  }
}

/** Where an event about messages of a server happened; null for every other event. */
function channelOf({ t, d }: Dispatched): string | null {
  if (!ABOUT_MESSAGES.has(t) || typeof d !== "object" || d === null) return null;
  if (!("channel_id" in d) || !("guild_id" in d)) return null;
  return typeof d.channel_id === "string" ? d.channel_id : null;
}
