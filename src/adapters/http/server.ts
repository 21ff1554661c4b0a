/** What the bot tells other programs over HTTP: whether it is well, counters, and a stream of events. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Group } from "../../domain/group.js";
import type { GuildId } from "../../domain/ids.js";
import type { FeedOf } from "../../ports/feed.js";
import type { Storage } from "../../ports/storage.js";
import type { Metrics } from "./metrics.js";
import { eventStream, PATIENCE_MS, type StreamServices } from "./stream.js";

/** More readers than this are turned away: each holds a connection and reads the store. */
const MAX_READERS = 32;
const DATABASE_PATIENCE_MS = 2_000;
const ENDING_PATIENCE_MS = 1_000;

export interface HttpOptions extends StreamServices {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Null: there is no stream of events. */
  readonly eventsToken: string | null;
  readonly storage: Pick<Storage, "groups" | "rounds" | "messages" | "settings">;
  readonly metrics: Metrics;
  /** Servers that the bot is in. */
  readonly servers: () => readonly GuildId[];
  readonly isConnected: () => boolean;
  /** For how long Discord still lets the bot do nothing; 0: it does. */
  readonly heldForMs: () => number;
  readonly isStopping: () => boolean;
  /** How long a reader of events may take nothing; by default half a minute. */
  readonly patienceMs?: number;
}

export interface HttpServer {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts to listen. Rejects with the error of Node.js when the address cannot be had. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const ending = new AbortController();
  const streams = new Set<Promise<void>>();
  const app = routes(options, { ending: ending.signal, streams });
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => void listener(request, response));
  const port = await listen(server, options.port, options.host);
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      ending.abort();
      // Streams say that they end; what has not by then is cut off.
      const isOver = new AbortController();
      const late = options.clock.sleep(ENDING_PATIENCE_MS, isOver.signal).catch(() => undefined);
      await Promise.race([Promise.all(streams), late]);
      isOver.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

const PAGES = ["/healthz", "/metrics", "/events"] as const;

type Bindings = { Bindings: HttpBindings };

/** `streams`: those that are open, each until its connection has ended. */
function routes(
  options: HttpOptions,
  { ending, streams }: { readonly ending: AbortSignal; readonly streams: Set<Promise<void>> },
): Hono<Bindings> {
  const { storage, metrics, clock } = options;
  const startedAtMs = clock.now();
  let readers = 0;
  const app = new Hono<Bindings>();

  app.get("/healthz", async (context) => {
    const heldForMs = options.heldForMs();
    const checks = {
      database: await isDatabaseUp(options),
      discord: options.isConnected() && heldForMs === 0,
      running: !options.isStopping(),
    };
    const isWell = Object.values(checks).every((isGood) => isGood);
    const status = isWell ? "ok" : "unwell";
    const held = heldForMs === 0 ? {} : { heldUpSeconds: Math.ceil(heldForMs / 1_000) };
    return context.json({ status, ...checks, ...held }, isWell ? 200 : 503);
  });

  app.get("/metrics", async (context) => {
    const [running, waiting] = await Promise.all([
      storage.rounds.unfinished(),
      storage.messages.pendingPlaces(),
    ]);
    const text = metrics.text({
      uptimeSeconds: (clock.now() - startedAtMs) / 1_000,
      isConnected: options.isConnected(),
      roundsRunning: running.length,
      conversationsWaiting: waiting.length,
      eventReaders: readers,
    });
    return context.body(text, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });

  app.get("/events", async (context) => {
    const refusal = refusalOf(context, options.eventsToken);
    if (refusal !== null) return refusal;
    const wanted = await wantedOf(context, options);
    if ("error" in wanted) return context.json({ error: wanted.error }, wanted.status);
    const after = await startOf(context, options);
    if (after === null) {
      return context.json({ error: "Last-Event-ID is the number of an event." }, 400);
    }
    if (readers >= MAX_READERS) {
      return context.json({ error: "Too many readers are connected." }, 503);
    }
    const { outgoing } = context.env;
    const gone = new AbortController();
    // Who left while this was being looked up says so no more.
    if (outgoing.destroyed) return context.body(null, 400);
    readers += 1;
    const closed = new Promise<void>((resolve) => {
      outgoing.once("close", () => {
        readers -= 1;
        gone.abort();
        resolve();
      });
    });
    streams.add(closed);
    void closed.then(() => streams.delete(closed));
    const stream = eventStream(options, {
      after,
      of: wanted.of,
      patienceMs: options.patienceMs ?? PATIENCE_MS,
      signal: AbortSignal.any([ending, gone.signal]),
      drop: () => outgoing.destroy(),
    });
    return context.body(stream, 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
  });

  for (const page of PAGES) {
    app.all(page, (context) =>
      context.json({ error: "This page can only be read." }, 405, { allow: "GET, HEAD" }),
    );
  }
  app.notFound((context) => context.json({ error: "There is no such page." }, 404));
  app.onError((error, context) => {
    options.log.error({ err: error, path: context.req.path }, "a request failed");
    return context.json({ error: "Something went wrong; it has been logged." }, 500);
  });
  return app;
}

/** Null: the reader may have the events. */
function refusalOf(context: Context<Bindings>, token: string | null): Response | null {
  if (token === null) {
    return context.json({ error: "Set EVENTS_TOKEN to have a stream of events." }, 403);
  }
  const [, given] = /^Bearer +(.+)$/iu.exec(context.req.header("authorization") ?? "") ?? [];
  if (given !== undefined && isSame(given.trim(), token)) return null;
  context.header("www-authenticate", "Bearer");
  return context.json({ error: "Give the token: Authorization: Bearer <EVENTS_TOKEN>." }, 401);
}

/** In the same time whatever is wrong, so that a token cannot be guessed letter by letter. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

type Wanted = { readonly of: FeedOf } | { readonly error: string; readonly status: 400 | 404 };

/**
 * What a reader wants: a group by `?group=`, with `&guild=` where servers have groups of the same
 * name; a server by `?guild=` alone; everything.
 */
async function wantedOf(
  context: Context<Bindings>,
  { storage, servers }: HttpOptions,
): Promise<Wanted> {
  const name = context.req.query("group");
  const guild = context.req.query("guild");
  const among = servers().filter((guildId) => guild === undefined || guild === guildId);
  const [only] = among;
  if (guild !== undefined && only === undefined) {
    return { error: "The bot is in no server with this id.", status: 404 };
  }
  if (name === undefined) {
    return { of: guild === undefined || only === undefined ? "everything" : { guildId: only } };
  }
  const found: Group[] = [];
  for (const guildId of among) {
    const group = await storage.groups.find(guildId, name);
    if (group !== null) found.push(group);
  }
  const [group] = found;
  if (group === undefined || group.channelId === null) {
    return { error: "There is no group of this name.", status: 404 };
  }
  if (found.length > 1) {
    const error = "Several servers have a group of this name: add &guild=<id of the server>.";
    return { error, status: 400 };
  }
  return { of: { channelId: group.channelId } };
}

/** The number after which to begin: what the reader had last, else now. Null: what it gave is none. */
async function startOf(context: Context<Bindings>, { feed }: HttpOptions): Promise<number | null> {
  const given = context.req.header("last-event-id");
  const newest = await feed.newest();
  if (given === undefined || given === "") return newest;
  if (!/^\d{1,15}$/u.test(given)) return null;
  // A number that was never given is of another database: that of before is gone.
  return Number(given) > newest ? 0 : Number(given);
}

async function isDatabaseUp({ storage, clock }: HttpOptions): Promise<boolean> {
  const done = new AbortController();
  const isLate = clock.sleep(DATABASE_PATIENCE_MS, done.signal).then(
    () => false,
    () => false,
  );
  const isUp = storage.settings.get("healthz").then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([isUp, isLate]);
  done.abort();
  return answer;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
