import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents,
  GatewayOpcodes as Op,
} from "discord-api-types/v10";
import { type WebSocket, WebSocketServer } from "ws";
import { isObject, textOf } from "../rest/form.js";
import { viewMember } from "../world/views.js";
import { forSession } from "./audience.js";
import { Interference } from "./interference.js";
import { type Session, sendJson } from "./session.js";
import { type SessionOptions, Sessions } from "./sessions.js";

export interface GatewayOptions extends SessionOptions {
  readonly heartbeatIntervalMs: number;
}

const IDENTIFIES_A_DAY = 1000;
const MAX_COMMANDS = 120;
const COMMAND_WINDOW_MS = 60_000;

/** The WebSocket side: connections, heartbeats, and who hears which event. */
export class Gateway {
  /** Faults on purpose. */
  readonly interference: Interference;
  /** Connections turned away so far. */
  refusals = 0;
  readonly #options: GatewayOptions;
  readonly #sessions: Sessions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<WebSocket>();
  readonly #unsubscribe: () => void;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#sessions = new Sessions(options);
    this.interference = new Interference(this.#connections, this.#sessions);
    this.#unsubscribe = options.world.subscribe((event) => {
      for (const session of this.#sessions.all()) {
        const dispatch = forSession(options.world, event, session.intents);
        if (dispatch) this.interference.pass(dispatch, () => session.send(dispatch));
      }
    });
  }

  /** Identifies so far, resumes not counted. */
  get identifies(): number {
    return this.#sessions.identifies;
  }

  get resumes(): number {
    return this.#sessions.resumes;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Sessions that may still be started today. */
  remaining(): number {
    return Math.max(0, IDENTIFIES_A_DAY - this.identifies);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const query = new URL(request.url ?? "/", "http://gateway").searchParams;
    if (this.interference.isRefusing) {
      this.refusals += 1;
      socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n");
      return;
    }
    if (query.has("compress")) {
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nNo compression here");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      if ((query.get("v") ?? "10") !== "10") {
        connection.close(Close.InvalidAPIVersion, "Invalid API version");
        return;
      }
      this.#connections.add(connection);
      this.#talk(connection);
    });
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    for (const connection of this.#connections) connection.terminate();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #talk(connection: WebSocket): void {
    const { heartbeatIntervalMs } = this.#options;
    let commandTimes: number[] = [];
    let deadline: NodeJS.Timeout | undefined;
    const expectHeartbeat = () => {
      clearTimeout(deadline);
      // Real time, whatever the world's clock says: the client's heart beats in real time.
      deadline = setTimeout(
        () => connection.close(Close.SessionTimedOut, "Session timed out."),
        heartbeatIntervalMs * 2,
      );
      deadline.unref();
    };
    expectHeartbeat();
    sendJson(connection, {
      op: Op.Hello,
      s: null,
      t: null,
      d: { heartbeat_interval: heartbeatIntervalMs },
    });

    connection.on("message", (data: Buffer) => {
      const payload = parse(String(data));
      if (!payload) {
        connection.close(Close.DecodeError, "Error while decoding payload.");
        return;
      }
      const nowMs = performance.now();
      commandTimes = [...commandTimes.filter((ms) => ms > nowMs - COMMAND_WINDOW_MS), nowMs];
      if (commandTimes.length > MAX_COMMANDS) {
        connection.close(Close.RateLimited, "Rate limited.");
      } else if (payload.op === Op.Heartbeat) {
        expectHeartbeat();
        if (this.interference.isIgnoringHeartbeats) return;
        sendJson(connection, { op: Op.HeartbeatAck, s: null, t: null, d: null });
      } else {
        this.#obey(connection, payload);
      }
    });

    connection.on("close", (code) => {
      clearTimeout(deadline);
      this.#connections.delete(connection);
      // A client that closes with 1000 or 1001 gives its session up.
      if (code === 1000 || code === 1001) this.#sessions.end(connection);
      else this.#sessions.detach(connection);
    });
    connection.on("error", () => connection.terminate());
  }

  #obey(connection: WebSocket, { op, d }: Payload): void {
    const session = this.#sessions.of(connection);
    const isGreeting = op === Op.Identify || op === Op.Resume;
    const isKnown = [Op.RequestGuildMembers, Op.PresenceUpdate, Op.VoiceStateUpdate].some(
      (known) => known === op,
    );
    if (!isGreeting && !isKnown) connection.close(Close.UnknownOpcode, "Unknown opcode.");
    else if (isGreeting && session) {
      connection.close(Close.AlreadyAuthenticated, "Already authenticated.");
    } else if (op === Op.Identify) this.#sessions.identify(connection, d);
    else if (op === Op.Resume) this.#sessions.resume(connection, d);
    else if (!session) connection.close(Close.NotAuthenticated, "Not authenticated.");
    else if (op === Op.RequestGuildMembers) this.#sendMembers(session, d);
  }

  #sendMembers(session: Session, data: unknown): void {
    const { world } = this.#options;
    const request = isObject(data) ? data : {};
    const guild = world.guilds.get(textOf(request["guild_id"]));
    if (!guild) return;
    const wanted = [request["user_ids"] ?? []].flat().map(String);
    const query = textOf(request["query"]).toLowerCase();
    const members = [...guild.members.values()].filter((member) =>
      wanted.length > 0
        ? wanted.includes(member.userId)
        : world.user(member.userId).username.toLowerCase().startsWith(query),
    );
    session.send({
      t: GatewayDispatchEvents.GuildMembersChunk,
      d: {
        guild_id: guild.id,
        members: members.map((member) => viewMember(world, member)),
        chunk_index: 0,
        chunk_count: 1,
        ...(typeof request["nonce"] === "string" ? { nonce: request["nonce"] } : {}),
      },
    });
  }
}

interface Payload {
  readonly op: unknown;
  readonly d: unknown;
}

function parse(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(text);
    return isObject(payload) ? { op: payload["op"], d: payload["d"] } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
