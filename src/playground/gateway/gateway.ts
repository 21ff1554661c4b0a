import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents,
  GatewayOpcodes as Op,
} from "discord-api-types/v10";
import { type WebSocket, WebSocketServer } from "ws";
import { isObject, textOf } from "../rest/form.js";
import { guildCreated } from "../world/guilds.js";
import { applicationFlags, bits, viewMember, viewSelf } from "../world/views.js";
import type { World } from "../world/world.js";
import { forSession } from "./audience.js";
import { areKnownIntents, PRIVILEGED } from "./intents.js";
import { Interference } from "./interference.js";
import { Session, sendJson } from "./session.js";

export interface GatewayOptions {
  readonly world: World;
  readonly tokens: ReadonlySet<string>;
  /** Privileged intents that the application has switched on. */
  readonly privilegedIntents: number;
  readonly heartbeatIntervalMs: number;
  readonly url: () => string;
}

const IDENTIFIES_A_DAY = 1000;
const RESUMABLE_MS = 5 * 60_000;
const MAX_COMMANDS = 120;
const COMMAND_WINDOW_MS = 60_000;

/** The WebSocket side: sessions, heartbeats, resume. Owned by one server. */
export class Gateway {
  /** Faults on purpose. */
  readonly interference: Interference;
  /** Identifies so far, resumes not counted. */
  identifies = 0;
  resumes = 0;
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<WebSocket>();
  readonly #unsubscribe: () => void;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.interference = new Interference(this.#connections, (resumable) => {
      if (!resumable) this.#sessions.clear();
    });
    this.#unsubscribe = options.world.subscribe((event) => {
      for (const session of this.#sessions.values()) {
        const dispatch = forSession(options.world, event, session.intents);
        if (dispatch) this.interference.pass(dispatch, () => session.send(dispatch));
      }
    });
  }

  /** Sessions that may still be started today. */
  remaining(): number {
    return Math.max(0, IDENTIFIES_A_DAY - this.identifies);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const query = new URL(request.url ?? "/", "http://gateway").searchParams;
    if (this.interference.isRefusing) {
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
    let session: Session | undefined;
    let commandTimes: number[] = [];
    let deadline: NodeJS.Timeout | undefined;
    const expectHeartbeat = () => {
      clearTimeout(deadline);
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
        return;
      }
      switch (payload.op) {
        case Op.Heartbeat:
          expectHeartbeat();
          if (!this.interference.isIgnoringHeartbeats) {
            sendJson(connection, { op: Op.HeartbeatAck, s: null, t: null, d: null });
          }
          return;
        case Op.Identify:
          if (session) connection.close(Close.AlreadyAuthenticated, "Already authenticated.");
          else session = this.#identify(connection, payload.d);
          return;
        case Op.Resume:
          if (session) connection.close(Close.AlreadyAuthenticated, "Already authenticated.");
          else session = this.#resume(connection, payload.d);
          return;
        case Op.RequestGuildMembers:
          if (session) this.#sendMembers(session, payload.d);
          else connection.close(Close.NotAuthenticated, "Not authenticated.");
          return;
        case Op.PresenceUpdate:
        case Op.VoiceStateUpdate:
          if (!session) connection.close(Close.NotAuthenticated, "Not authenticated.");
          return;
        default:
          connection.close(Close.UnknownOpcode, "Unknown opcode.");
      }
    });

    connection.on("close", (code) => {
      clearTimeout(deadline);
      this.#connections.delete(connection);
      if (session?.connection !== connection) return;
      session.connection = null;
      session.detachedAtMs = this.#options.world.clock.now();
      // A client that closes with 1000 or 1001 gives its session up.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    });
    connection.on("error", () => connection.terminate());
  }

  #identify(connection: WebSocket, data: unknown): Session | undefined {
    const { world, tokens, privilegedIntents } = this.#options;
    const identify = isObject(data) ? data : {};
    const token = textOf(identify["token"]);
    const intents = Number(identify["intents"]);
    if (!tokens.has(token)) {
      connection.close(Close.AuthenticationFailed, "Authentication failed.");
      return undefined;
    }
    if (!areKnownIntents(intents)) {
      connection.close(Close.InvalidIntents, "Invalid intent(s).");
      return undefined;
    }
    if ((intents & PRIVILEGED & ~privilegedIntents) !== 0) {
      connection.close(Close.DisallowedIntents, "Disallowed intent(s).");
      return undefined;
    }
    this.identifies += 1;
    const session = new Session(randomBytes(16).toString("hex"), token, intents, connection);
    this.#sessions.set(session.id, session);
    const botId = world.application.botUserId;
    const joined = [...world.guilds.values()].filter((guild) => guild.members.has(botId));
    session.send({
      t: GatewayDispatchEvents.Ready,
      d: {
        v: 10,
        user: viewSelf(world.user(botId)),
        guilds: joined.map((guild) => ({ id: guild.id, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: this.#options.url(),
        shard: [0, 1],
        application: {
          id: world.application.id,
          flags: bits(applicationFlags(world)),
          flags_new: String(applicationFlags(world)),
        },
      },
    });
    for (const guild of joined) {
      if (guild.unavailable) continue;
      const created = { kind: "dispatch", dispatch: guildCreated(world, guild) } as const;
      const event = { ...created, guildId: guild.id, channelId: null, onlyFor: null };
      const dispatch = forSession(world, event, intents);
      if (dispatch) session.send(dispatch);
    }
    return session;
  }

  #resume(connection: WebSocket, data: unknown): Session | undefined {
    const resume = isObject(data) ? data : {};
    const session = this.#sessions.get(textOf(resume["session_id"]));
    const sequence = Number(resume["seq"]);
    if (!this.#options.tokens.has(textOf(resume["token"]))) {
      connection.close(Close.AuthenticationFailed, "Authentication failed.");
      return undefined;
    }
    const missed = session && this.#isFresh(session) ? session.missedSince(sequence) : undefined;
    if (!session || !missed || session.token !== resume["token"]) {
      sendJson(connection, { op: Op.InvalidSession, s: null, t: null, d: false });
      return undefined;
    }
    if (!Number.isInteger(sequence) || sequence > session.sequence) {
      connection.close(Close.InvalidSeq, "Invalid seq.");
      return undefined;
    }
    session.connection?.close(Close.UnknownError, "Resumed elsewhere.");
    session.connection = connection;
    session.detachedAtMs = null;
    this.resumes += 1;
    for (const event of missed) sendJson(connection, event);
    session.send({ t: GatewayDispatchEvents.Resumed, d: { _trace: [] } as never });
    return session;
  }

  #isFresh(session: Session): boolean {
    if (session.detachedAtMs === null) return true;
    return this.#options.world.clock.now() - session.detachedAtMs <= RESUMABLE_MS;
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

function parse(text: string): { readonly op: unknown; readonly d: unknown } | undefined {
  try {
    const payload: unknown = JSON.parse(text);
    return isObject(payload) ? { op: payload["op"], d: payload["d"] } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
