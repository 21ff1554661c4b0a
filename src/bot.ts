/** Puts the adapters and the application together and starts them. */
import { buttons } from "../commands/buttons.js";
import { commands } from "../commands/index.js";
import { menus } from "../commands/menus.js";
import { createDiscordChat } from "./adapters/discord/chat.js";
import { createFiles } from "./adapters/discord/files.js";
import { createGateway } from "./adapters/discord/gateway.js";
import { createHistory } from "./adapters/discord/history.js";
import { startInteractions } from "./adapters/discord/interactions/start.js";
import { attach } from "./adapters/discord/listener.js";
import { spareSessions } from "./adapters/discord/sessionBudget.js";
import { createPainter } from "./adapters/painter.js";
import { createIds, systemClock } from "./adapters/system.js";
import { createApp } from "./app/app.js";
import { channelGone, mendChannels } from "./app/archiving.js";
import { CatchUp } from "./app/catchUp.js";
import { leaveServer } from "./app/departure.js";
import { Departures } from "./app/departures.js";
import { EarlyChanges } from "./app/earlyChanges.js";
import { Exclusive } from "./app/exclusive.js";
import { Forgotten } from "./app/forgotten.js";
import { warnOfMissingHistory } from "./app/historyRights.js";
import { createMailboxes } from "./app/mailbox.js";
import { marksOf } from "./app/marks.js";
import { settleNewChannels } from "./app/newChannels.js";
import { Outage } from "./app/outage.js";
import { patientStorage } from "./app/patientStorage.js";
import { Reception } from "./app/reception.js";
import { Recheck } from "./app/recheck.js";
import type { Services, Settings } from "./app/services.js";
import { Sight } from "./app/sight.js";
import { removeStrayStatusLine } from "./app/statusLine.js";
import { toolbox } from "./app/tools/toolbox.js";
import { createTopics } from "./app/topics.js";
import { claimedChat, claimedStorage } from "./claimed.js";
import { asId, type GuildId } from "./domain/ids.js";
import { type HttpSettings, openHttp, watch } from "./http.js";
import type { ChatError } from "./ports/chat.js";
import type { Model } from "./ports/model.js";
import type { Claim, Storage, StorageError } from "./ports/storage.js";
import type { Clock, Log } from "./ports/system.js";

export interface Bot {
  readonly services: Services;
  /** Where it listens for HTTP; null: nowhere. */
  readonly httpUrl: string | null;
  /** Servers that the bot is in, also those that are away at the moment. */
  readonly servers: readonly GuildId[];
  /** Resolves when the connection to Discord has ended for good, or the claim on the database. */
  readonly fatal: Promise<ChatError | StorageError>;
  /** Nothing runs, waits or is to be written. */
  onIdle(): Promise<void>;
  /** No new rounds; what is being said may be finished; then a clean end. */
  stop(): Promise<void>;
}

/**
 * Logs in, takes up what was going on, and listens. Rejects with `ChatError` when it cannot, or
 * with the signal's reason when that is aborted before the login.
 */
export async function startBot(options: {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly storage: Storage;
  /** On the storage; given back at the end. Absent: nobody else can have it. */
  readonly claim?: Claim;
  readonly signal?: AbortSignal;
  readonly model: Model;
  readonly settings: Settings;
  readonly log: Log;
  /** Absent: the time of the machine. */
  readonly clock?: Clock;
  /** Absent: there is no HTTP. */
  readonly http?: HttpSettings;
  /** Called once for each server, as soon as it is there. */
  readonly prepareServer?: (services: Services, guildId: GuildId) => Promise<void>;
}): Promise<Bot> {
  const { token, apiUrl, claim, model, settings, log } = options;
  const signal = options.signal ?? new AbortController().signal;
  const clock = options.clock ?? systemClock;
  const gateway = createGateway({ token, apiUrl, clock, log });
  const { sender } = gateway;
  await spareSessions({ rest: sender, clock, log, signal });
  const client = await gateway.login();
  const closing = new AbortController();
  const watched = watch(
    claim === undefined ? options.storage : claimedStorage(options.storage, claim),
  );
  const { webhooks } = watched.storage;
  const discord = createDiscordChat({ client, sender, webhooks, clock, log });
  const outage = new Outage({ chat: discord, clock, log }, closing.signal);
  const storage = patientStorage(watched.storage, outage);
  const chat =
    claim === undefined
      ? discord
      : claimedChat(discord, { check: () => outage.through(null, () => claim.check()) });
  const history = createHistory(client);
  const services: Services = {
    storage,
    patientStorage: storage,
    chat,
    model,
    files: createFiles({ apiUrl, clock }),
    painter: createPainter(),
    clock,
    ids: createIds(),
    log,
    topics: createTopics({ storage, chat, clock, log }),
    recheck: new Recheck(history, { storage, clock, log }),
    earlyChanges: new EarlyChanges(clock),
    forgotten: new Forgotten(history, { storage, chat, clock, log }),
    sight: new Sight(),
    mailboxes: createMailboxes(log),
    exclusive: new Exclusive(),
    departures: new Departures(),
    tools: toolbox,
    settings,
  };
  const app = createApp(services);
  const catchUp = new CatchUp(services, { history, router: app.router }, closing.signal);
  let isStopping = false;
  const http =
    options.http === undefined
      ? null
      : await openHttp(options.http, watched, {
          clock,
          log,
          servers: () => history.servers(),
          isConnected: () => gateway.isConnected(),
          heldForMs: () => gateway.heldForMs(),
          isStopping: () => isStopping,
        });
  // Before anything is made or goes on: what is planned from now on is not left over.
  let planned = await storage.newChannels.list(null);
  const settlePlans = async (guildId: GuildId) => {
    const here = planned.filter(({ wanted }) => wanted.guildId === guildId);
    planned = planned.filter((one) => !here.includes(one));
    await settleNewChannels(services, here);
  };
  for (const guildId of history.servers()) await settlePlans(guildId);
  const marks = new Map<GuildId, Awaited<ReturnType<typeof marksOf>>>();
  for (const guildId of history.servers()) {
    marks.set(guildId, await marksOf(services, history, guildId));
  }
  await services.forgotten.find([...marks.values()].flatMap((known) => [...known.values()]));
  // What was written where a round goes on comes first: it may be a stop.
  const missed = await catchUp.missedInRounds(storage, [...marks.values()]);
  await app.resume();
  await app.router.caughtUp(missed);
  const reception = new Reception(services, closing.signal);
  for (const guildId of history.servers()) await reception.begin(guildId);
  const prepared = new Set<GuildId>();
  attach(
    { client, tells: gateway.tells },
    {
      ...app.router,
      async channelDeleted(guildId, channelId) {
        log.info({ guildId, channelId }, "a channel was deleted");
        await channelGone(services, channelId);
      },
      async serverReady(guildId) {
        services.recheck.forget(guildId);
        await settlePlans(guildId);
        const known = marks.get(guildId) ?? (await marksOf(services, history, guildId));
        marks.delete(guildId);
        await reception.begin(guildId);
        await mendChannels(services, guildId);
        await reception.mend(guildId);
        await warnOfMissingHistory(services, history, guildId);
        const isPrepared = prepared.has(guildId);
        prepared.add(guildId);
        // What is declared does not wait for a conversation that can hardly be read.
        await Promise.all([
          catchUp.read(known),
          isPrepared ? undefined : options.prepareServer?.(services, guildId),
        ]);
      },
      ownShown: (message) => removeStrayStatusLine(services, message),
      rightsChanged: (guildId) => reception.rightsChanged(guildId),
      serverLeft(guildId) {
        reception.left(guildId);
        return leaveServer(services, guildId);
      },
    },
    log,
  );
  await startInteractions({
    client,
    sender,
    // A person who gave a command is told at once.
    services: { ...services, storage: storage.atOnce },
    handlers: { commands, buttons, menus },
    closing: closing.signal,
  });
  log.info({ servers: client.guilds.cache.size }, "ready");
  return {
    services,
    httpUrl: http?.url ?? null,
    servers: client.guilds.cache.map((guild) => asId<GuildId>(guild.id)),
    fatal: claim === undefined ? gateway.fatal : Promise.race([gateway.fatal, claim.lost]),
    onIdle: () => app.onIdle(),
    async stop() {
      isStopping = true;
      closing.abort();
      await app.stop();
      await http?.close();
      await gateway.destroy();
      await options.storage.close();
      await claim?.release();
    },
  };
}
