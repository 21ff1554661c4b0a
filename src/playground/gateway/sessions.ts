import { randomBytes } from "node:crypto";
import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents,
  GatewayOpcodes as Op,
} from "discord-api-types/v10";
import type { WebSocket } from "ws";
import { isObject, textOf } from "../rest/form.js";
import { guildCreated } from "../world/guilds.js";
import { applicationFlags, bits, viewSelf } from "../world/views.js";
import type { World } from "../world/world.js";
import { forSession } from "./audience.js";
import { areKnownIntents, PRIVILEGED } from "./intents.js";
import { Session, sendJson } from "./session.js";

export interface SessionOptions {
  readonly world: World;
  readonly tokens: ReadonlySet<string>;
  /** Where a session is resumed. */
  readonly url: () => string;
}

const RESUMABLE_MS = 5 * 60_000;

/** Who has identified, connected or not. */
export class Sessions {
  /** Identifies so far, resumes not counted. */
  identifies = 0;
  resumes = 0;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  of(connection: WebSocket): Session | undefined {
    return [...this.#sessions.values()].find((session) => session.connection === connection);
  }

  /** Op 2. Answers with READY and the servers, or closes the connection. */
  identify(connection: WebSocket, data: unknown): void {
    const { world, tokens } = this.#options;
    this.#forgetStale();
    const identify = isObject(data) ? data : {};
    const token = textOf(identify["token"]);
    const intents = Number(identify["intents"]);
    if (!tokens.has(token)) {
      connection.close(Close.AuthenticationFailed, "Authentication failed.");
      return;
    }
    if (!areKnownIntents(intents)) {
      connection.close(Close.InvalidIntents, "Invalid intent(s).");
      return;
    }
    if ((intents & PRIVILEGED & ~world.application.privilegedIntents) !== 0) {
      connection.close(Close.DisallowedIntents, "Disallowed intent(s).");
      return;
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
  }

  /** Op 6. Replays what was missed, or says that the session is over. */
  resume(connection: WebSocket, data: unknown): void {
    const resume = isObject(data) ? data : {};
    const token = textOf(resume["token"]);
    const session = this.#sessions.get(textOf(resume["session_id"]));
    const sequence = Number(resume["seq"]);
    if (!this.#options.tokens.has(token)) {
      connection.close(Close.AuthenticationFailed, "Authentication failed.");
      return;
    }
    const missed = session && this.#isFresh(session) ? session.missedSince(sequence) : undefined;
    if (!session || !missed || session.token !== token) {
      sendJson(connection, { op: Op.InvalidSession, s: null, t: null, d: false });
      return;
    }
    if (!Number.isInteger(sequence) || sequence > session.sequence) {
      connection.close(Close.InvalidSeq, "Invalid seq.");
      return;
    }
    session.connection?.close(Close.UnknownError, "Resumed elsewhere.");
    session.connection = connection;
    session.detachedAtMs = null;
    this.resumes += 1;
    for (const event of missed) sendJson(connection, event);
    session.send({ t: GatewayDispatchEvents.Resumed, d: { _trace: [] } as never });
  }

  /** The connection is gone or no longer speaks for its session, which stays for a while. */
  detach(connection: WebSocket): void {
    const session = this.of(connection);
    if (!session) return;
    session.connection = null;
    session.detachedAtMs = this.#options.world.clock.now();
  }

  end(connection: WebSocket): void {
    const session = this.of(connection);
    if (session) this.#sessions.delete(session.id);
  }

  #forgetStale(): void {
    for (const session of this.#sessions.values()) {
      if (!this.#isFresh(session)) this.#sessions.delete(session.id);
    }
  }

  #isFresh(session: Session): boolean {
    if (session.detachedAtMs === null) return true;
    return this.#options.world.clock.now() - session.detachedAtMs <= RESUMABLE_MS;
  }
}
