import {
  Client,
  type CloseEvent,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  Options,
  Partials,
  RESTEvents,
  Status,
  type WebSocketShard,
} from "discord.js";
import { ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { ChannelFirst, type Dispatched } from "./channelFirst.js";
import { chatErrorOf } from "./errors.js";
import {
  commonRestOptions,
  createClientRest,
  createPace,
  createSender,
  type PacedRest,
  warnOfInvalidRequests,
} from "./rest.js";
import { survivingStrategy } from "./unreadable.js";

/**
 * What people write is in the database, and the library need not know it: what is in its cache by
 * something else, such as an edit that came first or a reply to it, would never become a new message.
 */
const CACHED_MESSAGES = 0;

export interface Gateway {
  readonly client: Client;
  /** For requests that must not happen twice. */
  readonly sender: PacedRest;
  /** Logs in and resolves once every server is known. Rejects with `ChatError`. */
  login(): Promise<Client<true>>;
  /**
   * Whether the event that is handled at this moment says anything of this field: an update of a
   * message may leave out what has not changed, which the library shows as if it were empty.
   */
  readonly tells: (field: string) => boolean;
  /** Whether events arrive at this moment. */
  isConnected(): boolean;
  /** For how long Discord still lets the bot do nothing, where that is long enough to be noticed; else 0. */
  heldForMs(): number;
  /** Resolves when the connection has ended for good: the program has to stop then. */
  readonly fatal: Promise<ChatError>;
  destroy(): Promise<void>;
}

/** The connection to Discord, not yet open. `apiUrl` null: Discord itself. */
export function createGateway(options: {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly clock: Clock;
  readonly log: Log;
}): Gateway {
  const { token, apiUrl, clock, log } = options;
  let handled: Dispatched = {};
  const onHandle = (event: Dispatched) => {
    handled = event;
  };
  const knows = (channelId: string): boolean => client.channels.cache.has(channelId);
  const client: Client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildWebhooks,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Message],
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: CACHED_MESSAGES,
    }),
    allowedMentions: { parse: [], repliedUser: false },
    failIfNotExists: false,
    rest: commonRestOptions(apiUrl),
    ws: { buildStrategy: survivingStrategy(log, new ChannelFirst({ knows, clock }), onHandle) },
  });
  const pace = createPace(log);
  client.rest.clearHashSweeper();
  client.rest.clearHandlerSweeper();
  client.rest = createClientRest(client.options.rest ?? {}, pace);
  let isEnding = false;
  logTrouble(client, log, () => isEnding);
  const end = endOf(client);
  const sender = createSender({ token, apiUrl, log, pace });

  return {
    client,
    sender,
    tells: (field) => typeof handled.d === "object" && handled.d !== null && field in handled.d,
    isConnected: () => client.isReady() && client.ws.shards.every(isOpen),
    heldForMs: () => sender.heldForMs,
    fatal: end.reached,
    async login() {
      const isReady = new Promise<Client<true>>((resolve) => {
        client.once(Events.ClientReady, resolve);
      });
      try {
        await client.login(token);
      } catch (error) {
        throw end.reason() ?? loginError(error);
      }
      const outcome = await Promise.race([isReady, end.reached]);
      if (outcome instanceof ChatError) throw outcome;
      return outcome;
    },
    async destroy() {
      isEnding = true;
      sender.clearHashSweeper();
      sender.clearHandlerSweeper();
      await client.destroy();
    },
  };
}

/**
 * The client and its manager stay ready from the first time on; what becomes of a connection only
 * its shard knows (discord.js 14, WebSocketManager). One that waits for servers hears events.
 */
function isOpen({ status }: WebSocketShard): boolean {
  return status === Status.Ready || status === Status.WaitingForGuilds;
}

/** Without these listeners a single failure ends the process (Node.js, "Error events"). */
function logTrouble(client: Client, log: Log, isEnding: () => boolean): void {
  client.on(Events.Error, (error) => log.error({ err: error }, "discord.js reported an error"));
  client.on(Events.ShardError, (error, shardId) =>
    log.warn({ err: error, shardId }, "the gateway connection had an error"),
  );
  client.on(Events.ShardReconnecting, (shardId) => {
    if (!isEnding()) log.info({ shardId }, "the gateway connection was lost; connecting again");
  });
  client.on(Events.ShardResume, (shardId, replayed) =>
    log.info({ shardId, replayed }, "the gateway connection was resumed"),
  );
  client.rest.on(RESTEvents.RateLimited, ({ route, retryAfter, scope, global }) =>
    log.info({ route, retryAfterMs: retryAfter, scope, global }, "waiting for a rate limit"),
  );
  client.rest.on(RESTEvents.InvalidRequestWarning, (warning) =>
    warnOfInvalidRequests(log, warning),
  );
}

/** discord.js gives up after these close codes and only says so by this event. */
function endOf(client: Client): {
  readonly reached: Promise<ChatError>;
  reason(): ChatError | null;
} {
  let reason: ChatError | null = null;
  const reached = new Promise<ChatError>((resolve) => {
    client.on(Events.ShardDisconnect, (event: CloseEvent) => {
      reason ??= closeError(event.code);
      resolve(reason);
    });
  });
  return { reached, reason: () => reason };
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway */
function closeError(code: number): ChatError {
  return (
    CLOSE_ERRORS.get(code)?.() ??
    new ChatError("refused", `Discord ended the connection for good (code ${code}).`)
  );
}

const CLOSE_ERRORS: ReadonlyMap<number, () => ChatError> = new Map<number, () => ChatError>([
  [GatewayCloseCodes.AuthenticationFailed, () => wrongToken()],
  [
    GatewayCloseCodes.DisallowedIntents,
    () =>
      new ChatError(
        "forbidden",
        "Discord refuses the Message Content intent: in the developer portal, open the application's page Bot and switch on Message Content Intent.",
      ),
  ],
  [
    GatewayCloseCodes.ShardingRequired,
    () => new ChatError("refused", "The bot is in too many servers for a single connection."),
  ],
]);

function wrongToken(cause?: unknown): ChatError {
  return new ChatError(
    "logged-out",
    "Discord does not accept DISCORD_TOKEN: copy the token from the developer portal, page Bot, or make a new one there.",
    { cause },
  );
}

function loginError(error: unknown): ChatError {
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return wrongToken(error);
  }
  if (error instanceof Error && error.message.startsWith("Not enough sessions")) {
    return new ChatError(
      "unavailable",
      "Discord allows no further connections of this bot today, because it was started too often: try again tomorrow.",
      { cause: error },
    );
  }
  const problem = chatErrorOf(error, { hasEffect: false, needs: "access" });
  return problem.kind === "logged-out" ? wrongToken(error) : problem;
}
