import { GatewayDispatchEvents, GatewayOpcodes } from "discord-api-types/v10";
import type { WebSocket } from "ws";
import type { Dispatch } from "../world/world.js";

/** Events kept for a resume; older ones are gone and the session with them. */
const MAX_KEPT = 10_000;

export interface SentEvent {
  readonly op: GatewayOpcodes.Dispatch;
  readonly s: number;
  readonly t: GatewayDispatchEvents;
  readonly d: unknown;
}

/** One identified client. It outlives its connection until it ends or gets too old. */
export class Session {
  readonly id: string;
  readonly token: string;
  readonly intents: number;
  connection: WebSocket | null;
  detachedAtMs: number | null = null;
  #sequence = 0;
  #kept: SentEvent[] = [];

  constructor(id: string, token: string, intents: number, connection: WebSocket) {
    this.id = id;
    this.token = token;
    this.intents = intents;
    this.connection = connection;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Numbers the event, keeps it for a resume, and sends it when somebody listens. */
  send(dispatch: Dispatch): void {
    this.#sequence += 1;
    const sent: SentEvent = {
      op: GatewayOpcodes.Dispatch,
      s: this.#sequence,
      t: dispatch.t,
      d: dispatch.d,
    };
    // Kept as text: later changes of the world must not change what was sent.
    this.#kept.push(JSON.parse(JSON.stringify(sent)) as SentEvent);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    sendJson(this.connection, sent);
  }

  /** What a client that has seen `sequence` missed; undefined when that is no longer known. */
  missedSince(sequence: number): readonly SentEvent[] | undefined {
    const oldest = this.#kept[0]?.s ?? this.#sequence + 1;
    if (sequence + 1 < oldest) return undefined;
    return this.#kept.filter(
      (event) => event.s > sequence && event.t !== GatewayDispatchEvents.Resumed,
    );
  }
}

export function sendJson(connection: WebSocket | null, payload: unknown): void {
  if (connection?.readyState === 1) connection.send(JSON.stringify(payload));
}
