/** The HTTP side of a bot: what it watches, and when it listens. */
import { Metrics } from "./adapters/http/metrics.js";
import { type HttpOptions, type HttpServer, startHttp } from "./adapters/http/server.js";
import { Bell } from "./app/bell.js";
import { observed } from "./app/observed.js";
import { ConfigError } from "./config.js";
import type { Message } from "./domain/message.js";
import type { Storage } from "./ports/storage.js";

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  /** Null: there is no stream of events. */
  readonly eventsToken: string | null;
}

/** A storage, and what is known of what is written to it. */
export interface Watched {
  readonly storage: Storage;
  readonly bell: Bell;
  readonly metrics: Metrics;
}

export function watch(storage: Storage): Watched {
  const bell = new Bell();
  const metrics = new Metrics();
  const observer = {
    recorded: (message: Message) => {
      metrics.recorded(message);
      bell.ring();
    },
    appended: (...news: Parameters<Metrics["appended"]>) => {
      metrics.appended(...news);
      bell.ring();
    },
    used: (row: Parameters<Metrics["used"]>[0]) => metrics.used(row),
  };
  return { storage: observed(storage, observer), bell, metrics };
}

/** Starts to listen. Rejects with `ConfigError` when the address cannot be had. */
export async function openHttp(
  settings: HttpSettings,
  { storage, bell, metrics }: Watched,
  rest: Pick<HttpOptions, "clock" | "log" | "servers" | "isConnected" | "heldForMs" | "isStopping">,
): Promise<HttpServer> {
  const { host, port } = settings;
  try {
    const server = await startHttp({
      ...settings,
      ...rest,
      storage,
      feed: storage.feed,
      bell,
      metrics,
    });
    rest.log.info({ url: server.url }, "listening for HTTP");
    return server;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new ConfigError(addressProblem(`${host}:${port}`, String(error.code)));
  }
}

function addressProblem(address: string, code: string): string {
  switch (code) {
    case "EADDRINUSE":
      return `HTTP_PORT: ${address} is already in use (${code}); choose another port`;
    case "EACCES":
      return `HTTP_PORT: ${address} may not be used by this account (${code}); choose a port from 1024 on`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HTTP_HOST: ${address} is no address of this machine (${code})`;
    default:
      return `HTTP_PORT, HTTP_HOST: ${address} cannot be listened on (${code})`;
  }
}
