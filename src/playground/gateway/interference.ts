import { GatewayOpcodes as Op } from "discord-api-types/v10";
import type { WebSocket } from "ws";
import type { Dispatch } from "../world/world.js";
import { sendJson } from "./session.js";
import type { Sessions } from "./sessions.js";

type Matches = (dispatch: Dispatch) => boolean;

/** What goes wrong between the world and its listeners, on purpose. */
export class Interference {
  /** New connections are turned away with 503. */
  isRefusing = false;
  /** Heartbeats get no acknowledgement. */
  isIgnoringHeartbeats = false;
  readonly #connections: ReadonlySet<WebSocket>;
  readonly #sessions: Sessions;
  #twice: Matches[] = [];
  #holds: { readonly matches: Matches; readonly held: (() => void)[] }[] = [];

  constructor(connections: ReadonlySet<WebSocket>, sessions: Sessions) {
    this.#connections = connections;
    this.#sessions = sessions;
  }

  /** Breaks every connection; not resumable means that the sessions are forgotten. */
  drop(options: { readonly isResumable: boolean; readonly code?: number }): void {
    for (const connection of this.#connections) {
      this.#letGo(connection, options.isResumable);
      if (options.code === undefined) connection.terminate();
      else connection.close(options.code);
    }
  }

  /** Op 7: the client should reconnect and resume. */
  askToReconnect(): void {
    for (const connection of this.#connections) {
      sendJson(connection, { op: Op.Reconnect, s: null, t: null, d: null });
    }
  }

  /** Op 9. */
  invalidateSession(isResumable: boolean): void {
    for (const connection of this.#connections) {
      this.#letGo(connection, isResumable);
      sendJson(connection, { op: Op.InvalidSession, s: null, t: null, d: isResumable });
    }
  }

  /** An event as it is, whether or not it can be read. */
  sendRaw(event: { readonly t: string; readonly d: unknown }): void {
    for (const connection of this.#connections) {
      sendJson(connection, { op: Op.Dispatch, s: null, ...event });
    }
  }

  /** The next event that matches is sent twice. */
  sendTwice(matches: Matches): void {
    this.#twice.push(matches);
  }

  /** Events that match wait until the returned function is called; others pass them. */
  holdBack(matches: Matches): () => void {
    const hold = { matches, held: [] as (() => void)[] };
    this.#holds.push(hold);
    return () => {
      this.#holds = this.#holds.filter((other) => other !== hold);
      for (const send of hold.held) send();
    };
  }

  pass(dispatch: Dispatch, send: () => void): void {
    const hold = this.#holds.find(({ matches }) => matches(dispatch));
    if (hold) {
      hold.held.push(send);
      return;
    }
    send();
    const twice = this.#twice.find((matches) => matches(dispatch));
    if (!twice) return;
    this.#twice = this.#twice.filter((other) => other !== twice);
    send();
  }

  /** The connection speaks for no session any more; on the same one the client may resume. */
  #letGo(connection: WebSocket, isResumable: boolean): void {
    if (isResumable) this.#sessions.detach(connection);
    else this.#sessions.end(connection);
  }
}
