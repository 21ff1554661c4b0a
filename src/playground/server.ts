import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { GatewayIntentBits } from "discord-api-types/v10";
import { Hono } from "hono";
import { cdnRoutes } from "./cdn.js";
import { type LoopbackClock, systemClock } from "./clock.js";
import { Faults } from "./faults.js";
import { Gateway } from "./gateway/gateway.js";
import type { Interference } from "./gateway/interference.js";
import { noLimits, type RateLimits } from "./limits.js";
import { localOnly } from "./localOnly.js";
import { pageRoutes } from "./people/pageRoutes.js";
import { People } from "./people/people.js";
import { createApi } from "./rest/api.js";
import type { RecordedRequest } from "./rest/pipeline.js";
import { World } from "./world/world.js";

export interface LoopbackOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Bot tokens that are accepted. */
  readonly tokens?: readonly string[];
  readonly clock?: LoopbackClock;
  readonly applicationName?: string;
  readonly botUsername?: string;
  /** Privileged intents that the application may ask for; message content by default. */
  readonly privilegedIntents?: number;
  /** None by default; see `createRateLimits`. */
  readonly limits?: RateLimits;
  readonly heartbeatIntervalMs?: number;
  /** Host names besides the loopback ones under which the server may be addressed. */
  readonly allowedHosts?: readonly string[];
  /** Adds further routes, such as the files of the page. */
  readonly extend?: (app: Hono) => void;
}

export interface Loopback {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  /** What the bot's REST client is pointed at; it adds `/v10`. */
  readonly apiUrl: string;
  readonly port: number;
  readonly token: string;
  readonly world: World;
  readonly people: People;
  /** Faults of REST. */
  readonly faults: Faults;
  /** Faults of the gateway. */
  readonly interference: Interference;
  readonly gateway: Gateway;
  /** Every request of the bot so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

export const DEFAULT_TOKEN = "playground.token.for-loopback-only";

/** Starts a server on loopback that speaks Discord's REST v10 and gateway. */
export async function startLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const host = options.host ?? "127.0.0.1";
  const world = new World({
    clock: options.clock ?? systemClock,
    applicationName: options.applicationName ?? "Parley",
    botUsername: options.botUsername ?? "Parley",
    privilegedIntents: options.privilegedIntents ?? GatewayIntentBits.MessageContent,
  });
  const accepted = options.tokens ?? [DEFAULT_TOKEN];
  const tokens = new Set(accepted);
  const faults = new Faults();
  const requests: RecordedRequest[] = [];
  let origin = "";
  const gatewayUrl = () => `${origin.replace("http", "ws")}/gateway`;
  const gateway = new Gateway({
    world,
    tokens,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    url: gatewayUrl,
  });
  const people = new People(world);
  const api = createApi({
    world,
    tokens,
    faults,
    requests,
    limits: options.limits ?? noLimits,
    gatewayUrl,
    identifyBudget: gateway,
  });
  const app = new Hono();
  app.use(localOnly(options.allowedHosts ?? []));
  app.route("/api/v10", api);
  app.route("/playground/api", pageRoutes(world, people));
  options.extend?.(app);
  app.route("/", cdnRoutes(world));

  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    // Clients may write the `@` of `@me` and `@original` encoded; the routes have it plain.
    request.url = request.url?.replace(/%40(?=me|original)/gi, "@");
    void listener(request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    // Browsers name their page here, bots do not: no website may open a session.
    if (request.headers.origin === undefined) gateway.upgrade(request, socket, head);
    else socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
  });
  const port = await listen(server, options.port ?? 0, host);
  // An address to listen on everywhere is none to be reached at.
  const isAnywhere = host === "0.0.0.0" || host === "::";
  origin = `http://${isAnywhere ? "127.0.0.1" : host}:${port}`;
  world.cdnUrl = origin;
  return {
    url: origin,
    apiUrl: `${origin}/api`,
    port,
    token: accepted[0] ?? DEFAULT_TOKEN,
    world,
    people,
    faults,
    interference: gateway.interference,
    gateway,
    requests,
    async close() {
      await gateway.close();
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
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
