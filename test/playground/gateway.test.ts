import {
  type Client,
  Events,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type Message,
  Options,
} from "discord.js";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { manualClock } from "../../src/playground/clock.js";
import { addMember, removeMember, setUnavailable } from "../../src/playground/world/guilds.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { createClient, login } from "./client.js";

let loopback: TestLoopback;
let clients: Client[] = [];

async function start(options: Parameters<typeof startTestLoopback>[0] = {}): Promise<void> {
  loopback = await startTestLoopback(options);
  clients = [];
}

async function connect(options: Parameters<typeof login>[1] = {}): Promise<Client<true>> {
  const client = await login(loopback, options);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients) await client.destroy();
  await loopback.close();
});

function heard(client: Client): string[] {
  const texts: string[] = [];
  client.on(Events.MessageCreate, (message: Message) => texts.push(message.content));
  return texts;
}

const say = (text: string) => loopback.people.post(loopback.owner.id, loopback.channelId, text);
const hears = (texts: readonly string[], count: number) =>
  loopback.until(() => (texts.length >= count ? texts : undefined), `${count} messages`);

test("a wrong token is refused over REST and by the gateway", async () => {
  await start();
  const client = createClient(loopback);
  await expect(client.login("wrong.token.here")).rejects.toThrow("An invalid token was provided.");
  expect(await closeCodeOf({ op: 2, d: { token: "wrong", intents: 1, properties: {} } })).toBe(
    4004,
  );
});

test("an intent that is not switched on closes the connection with 4014", async () => {
  await start({ privilegedIntents: 0 });
  await expect(login(loopback)).rejects.toThrow("Used disallowed intents");
  expect(await closeCodeOf(identify(GatewayIntentBits.MessageContent))).toBe(4014);
  expect(await closeCodeOf(identify(2 ** 30))).toBe(4013);
});

test("what comes before identify, twice, or unreadable closes with Discord's codes", async () => {
  await start();
  expect(await closeCodeOf({ op: 3, d: {} })).toBe(4003);
  expect(await closeCodeOf({ op: 99, d: {} })).toBe(4001);
  expect(await closeCodeOf("no json")).toBe(4002);
  expect(await closeCodeOf(identify(1), identify(1))).toBe(4005);
});

test("without the content intent texts are empty but for messages that mention the bot", async () => {
  await start();
  const client = await connect({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages],
  });
  const texts = heard(client);
  say("secret");
  say(`open <@${client.user.id}>`);
  expect(await hears(texts, 2)).toEqual(["", `open <@${client.user.id}>`]);
});

test("without the messages intent nothing of messages arrives", async () => {
  await start();
  const silent = await connect({ intents: [GatewayIntentBits.Guilds] });
  const other = await connect();
  const [nothing, texts] = [heard(silent), heard(other)];
  say("one");
  await hears(texts, 1);
  expect(nothing).toEqual([]);
});

test("two sessions with the same token both get every event", async () => {
  await start();
  const [first, second] = [heard(await connect()), heard(await connect())];
  say("one");
  await hears(first, 1);
  expect(await hears(second, 1)).toEqual(["one"]);
});

test("after a dropped connection the session resumes and gets what it missed, once and in order", async () => {
  await start();
  const client = await connect();
  const texts = heard(client);
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, (_id, n) => resolve(n)));
  say("before");
  await hears(texts, 1);
  loopback.interference.drop({ isResumable: true });
  say("during one");
  say("during two");
  expect(await resumed).toBeGreaterThanOrEqual(2);
  say("after");
  expect(await hears(texts, 4)).toEqual(["before", "during one", "during two", "after"]);
  expect(loopback.gateway.identifies).toBe(1);
  expect(loopback.gateway.resumes).toBe(1);
});

test("a forgotten session starts anew and what was said meanwhile is not replayed", async () => {
  await start();
  const client = await connect();
  const texts = heard(client);
  const again = new Promise((resolve) => client.once(Events.ShardReady, resolve));
  loopback.interference.drop({ isResumable: false });
  say("lost");
  await again;
  say("after");
  expect(await hears(texts, 1)).toEqual(["after"]);
  expect(loopback.gateway.identifies).toBe(2);
});

test("op 7 makes the client reconnect and resume", async () => {
  await start();
  const client = await connect();
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  loopback.interference.askToReconnect();
  await resumed;
  expect(loopback.gateway.identifies).toBe(1);
});

test("an invalid session is resumed when it may be, and identified anew when not", async () => {
  await start();
  const client = await connect();
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  loopback.interference.invalidateSession(true);
  await resumed;
  const again = new Promise((resolve) => client.once(Events.ShardReady, resolve));
  loopback.interference.invalidateSession(false);
  await again;
  expect(loopback.gateway.identifies).toBe(2);
});

test("a client without acknowledged heartbeats reconnects", async () => {
  await start({ heartbeatIntervalMs: 60 });
  const client = await connect();
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  loopback.interference.isIgnoringHeartbeats = true;
  await loopback.until(() => (loopback.gateway.resumes > 0 ? true : undefined), "a resume");
  loopback.interference.isIgnoringHeartbeats = false;
  await resumed;
});

test("an event can come twice, and a held one after later ones", async () => {
  await start();
  const client = await connect({ makeCache: Options.cacheWithLimits({ MessageManager: 0 }) });
  const texts = heard(client);
  loopback.interference.sendTwice(({ t }) => t === GatewayDispatchEvents.MessageCreate);
  say("twice");
  await hears(texts, 2);
  const release = loopback.interference.holdBack(
    (event) => event.t === GatewayDispatchEvents.MessageCreate && event.d.content === "late",
  );
  say("late");
  say("early");
  await hears(texts, 3);
  release();
  expect(await hears(texts, 4)).toEqual(["twice", "twice", "early", "late"]);
});

test("an outage of the server is told as unavailable and its end as available", async () => {
  await start();
  const client = await connect();
  const gone = new Promise((resolve) => client.once(Events.GuildUnavailable, resolve));
  const back = new Promise((resolve) => client.once(Events.GuildAvailable, resolve));
  setUnavailable(loopback.world, loopback.guild, true);
  await gone;
  setUnavailable(loopback.world, loopback.guild, false);
  await back;
});

test("while connections are refused the client keeps trying and then resumes", async () => {
  await start();
  const client = await connect();
  const texts = heard(client);
  loopback.interference.isRefusing = true;
  loopback.interference.drop({ isResumable: true });
  say("during");
  await loopback.until(() => (loopback.gateway.refusals > 0 ? true : undefined), "a refusal");
  loopback.interference.isRefusing = false;
  expect(await hears(texts, 1)).toEqual(["during"]);
});

test("removed from a server and invited again, the bot gets both told", async () => {
  await start();
  const client = await connect();
  const { world, guild, botRole } = loopback;
  const botId = world.application.botUserId;
  const left = new Promise((resolve) => client.once(Events.GuildDelete, resolve));
  const joined = new Promise((resolve) => client.once(Events.GuildCreate, resolve));
  removeMember(world, guild, botId);
  await left;
  addMember(world, guild, botId, [botRole.id]);
  await joined;
  expect(client.guilds.cache.get(guild.id)?.channels.cache.size).toBe(1);
});

test("a session is resumed for some minutes, with a number that it has reached, and not later", async () => {
  const clock = manualClock();
  await start({ clock });
  const { id, seq } = await abandonedSession();
  const resume = (sequence: number) => ({
    op: 6,
    d: { token: loopback.token, session_id: id, seq: sequence },
  });
  expect(await closeCodeOf(resume(seq + 10))).toBe(4007);
  say("missed");
  clock.advance(4 * 60_000);
  expect(await answersTo(resume(seq), 2)).toMatchObject([
    { t: "MESSAGE_CREATE", s: seq + 1, d: { content: "missed" } },
    { t: "RESUMED" },
  ]);
  clock.advance(6 * 60_000);
  expect(await answersTo(resume(seq), 1)).toMatchObject([{ op: 9, d: false }]);
});

test("a browser's page cannot open a session", async () => {
  await start();
  const socket = new WebSocket(`${loopback.url.replace("http", "ws")}/gateway`, {
    origin: "https://example.org",
  });
  const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
  expect(error.message).toContain("403");
});

function identify(intents: number) {
  return { op: 2, d: { token: loopback.token, intents, properties: {} } };
}

/** Sends the payloads after HELLO and gives the code that the server closes with. */
function closeCodeOf(...payloads: readonly unknown[]): Promise<number> {
  const socket = new WebSocket(`${loopback.url.replace("http", "ws")}/gateway?v=10&encoding=json`);
  socket.once("message", () => {
    for (const payload of payloads) {
      socket.send(typeof payload === "string" ? payload : JSON.stringify(payload));
    }
  });
  return new Promise((resolve) => socket.once("close", resolve));
}

/** The first payloads after HELLO in answer to one. The connection is then broken. */
async function answersTo(payload: object, count: number): Promise<GatewayPayload[]> {
  const socket = new WebSocket(`${loopback.url.replace("http", "ws")}/gateway?v=10&encoding=json`);
  const answers: GatewayPayload[] = [];
  const complete = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      const answer = JSON.parse(String(data)) as GatewayPayload;
      if (answer.op === 10) {
        socket.send(JSON.stringify(payload));
        return;
      }
      answers.push(answer);
      if (answers.length < count) return;
      // Closing with 1000 would end the session.
      socket.terminate();
      resolve();
    });
  });
  await complete;
  await loopback.until(() => (loopback.gateway.connections === 0 ? true : undefined), "the end");
  return answers;
}

interface GatewayPayload {
  readonly op: number;
  readonly s: number | null;
  readonly d: { readonly session_id?: string };
}

/** A session whose connection broke after READY and its server. */
async function abandonedSession(): Promise<{ readonly id: string; readonly seq: number }> {
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  const answers = await answersTo(identify(Guilds | GuildMessages | MessageContent), 2);
  return { id: answers[0]?.d.session_id ?? "", seq: answers[1]?.s ?? 0 };
}
