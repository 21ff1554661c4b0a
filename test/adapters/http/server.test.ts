import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HttpOptions, type HttpServer, startHttp } from "../../../src/adapters/http/server.js";
import { systemClock } from "../../../src/adapters/system.js";
import type { Group } from "../../../src/domain/group.js";
import { asId, type MessageId, type RoundId } from "../../../src/domain/ids.js";
import type { Message } from "../../../src/domain/message.js";
import { openHttp, type Watched, watch } from "../../../src/http.js";
import { addAgent, addGroup, GUILD, OTHER_GUILD, placeOf } from "../../support/builders.js";
import { createTestServices, RecordingLog, type TestServices } from "../../support/services.js";
import { EventReader, until } from "./eventReader.js";

const TOKEN = "correct-horse";

let services: TestServices;
let watched: Watched;
let group: Group;
let log: RecordingLog;
let server: HttpServer;
let ids = 1;

const listen = (change: Partial<HttpOptions> = {}) =>
  startHttp({
    host: "127.0.0.1",
    port: 0,
    eventsToken: TOKEN,
    storage: watched.storage,
    feed: watched.storage.feed,
    bell: watched.bell,
    metrics: watched.metrics,
    clock: systemClock,
    log,
    servers: () => [GUILD, OTHER_GUILD],
    isConnected: () => true,
    heldForMs: () => 0,
    isStopping: () => false,
    ...change,
  });

beforeEach(async () => {
  services = await createTestServices();
  watched = watch(services.storage);
  log = new RecordingLog();
  group = await groupIn(GUILD);
  server = await listen();
});
afterEach(async () => {
  await server.close();
  await services.storage.close();
});

async function groupIn(guildId: Group["guildId"]): Promise<Group> {
  const members = [
    await addAgent(services, { displayName: "Researcher", guildId }),
    await addAgent(services, { displayName: "Editor", guildId }),
  ];
  return addGroup(services, { displayName: "Review", members, guildId });
}

async function write(text: string, where: Group = group): Promise<Message> {
  ids += 1;
  const message: Message = {
    id: asId<MessageId>(String(ids)),
    place: placeOf(where),
    author: { kind: "person", userId: asId("7"), name: "Ana" },
    text,
    attachments: [],
    replyToId: null,
    askedId: null,
    createdAtMs: 1_000,
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
  await watched.storage.messages.record(message, { isPending: false });
  return message;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers });
const bearer = { authorization: `Bearer ${TOKEN}` };
const read = (query = "?group=review", lastEventId?: string) =>
  EventReader.open(`${server.url}/events${query}`, TOKEN, lastEventId);
const texts = (reader: EventReader) =>
  reader.events.map(({ data }) => (data as { message: { text: string } }).message.text);

describe("/healthz", () => {
  it("is well while database, Discord and the process are", async () => {
    const response = await get("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: "ok",
      database: true,
      discord: true,
      running: true,
    });
  });

  it.each<[string, Partial<HttpOptions>, object]>([
    ["Discord is not connected", { isConnected: () => false }, { discord: false }],
    [
      "Discord holds the bot up",
      { heldForMs: () => 599_500 },
      { discord: false, heldUpSeconds: 600 },
    ],
    ["the bot is stopping", { isStopping: () => true }, { running: false }],
  ])("is unwell while %s", async (_what, change, expected) => {
    await server.close();
    server = await listen(change);
    const response = await get("/healthz");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: "unwell", ...expected });
  });

  it("is unwell when the database cannot be reached", async () => {
    await server.close();
    const settings = { ...services.storage.settings, get: () => Promise.reject(new Error("away")) };
    server = await listen({ storage: { ...watched.storage, settings } });
    const response = await get("/healthz");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ database: false });
  });
});

describe("/metrics", () => {
  it("counts what is stored, in the format of Prometheus", async () => {
    await write("Hello");
    await watched.storage.usage.add({
      atMs: 1,
      guildId: GUILD,
      groupId: null,
      roundId: null,
      agentId: null,
      userId: null,
      purpose: "turn",
      model: "m",
      tokens: { inputTokens: 100, outputTokens: 10, cachedTokens: 0 },
      durationMs: 1_500,
      outcome: "ok",
    });
    const response = await get("/metrics");
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const lines = (await response.text()).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "# TYPE parley_model_calls_total counter",
        'parley_model_calls_total{purpose="turn",outcome="ok"} 1',
        'parley_model_seconds_total{purpose="turn"} 1.5',
        'parley_model_tokens_total{purpose="turn",direction="input"} 100',
        "parley_messages_total 1",
        "parley_gateway_connected 1",
        "parley_rounds_running 0",
        "parley_event_readers 0",
      ]),
    );
    for (const line of lines) {
      expect(line).toMatch(
        /^(?:|# (?:HELP|TYPE) .+|[a-z_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? [\d.e+-]+)$/,
      );
    }
  });
});

it("counts the calls of a secret vote when the vote is over", async () => {
  const { storage } = watched;
  const roundId = asId<RoundId>("r1");
  const round = {
    id: roundId,
    groupId: group.id,
    kind: "moderated" as const,
    place: placeOf(group),
    triggerId: asId<MessageId>("900"),
    openedAtMs: 5,
    closedAtMs: null,
  };
  const opened = {
    type: "opened" as const,
    members: [],
    hostId: group.hostId,
    named: [],
    triggerIds: [],
    startedBy: [],
    cap: 8,
    isAsk: false,
  };
  await storage.rounds.open(round, opened);
  const row = { atMs: 1, guildId: GUILD, groupId: group.id, roundId, userId: null, model: "m" };
  const call = { ...row, tokens: null, durationMs: 1, outcome: "timeout" };
  await storage.usage.add({ ...call, agentId: null, purpose: "vote" });
  await storage.usage.add({ ...call, agentId: group.hostId, purpose: "vote", outcome: "ok" });
  const counted = async () => (await get("/metrics")).text();
  expect(await counted()).not.toContain("timeout");
  expect(await counted()).toContain('parley_model_calls_total{purpose="vote",outcome="ok"} 1');
  await storage.rounds.append(roundId, 1, [{ type: "closed", outcome: "stopped" }], { atMs: 6 });
  expect(await counted()).toContain('parley_model_calls_total{purpose="vote",outcome="timeout"} 1');
});

describe("/events", () => {
  it.each<[string, Record<string, string>, number]>([
    ["no token", {}, 401],
    ["another token", { authorization: "Bearer wrong" }, 401],
    ["another scheme", { authorization: `Basic ${TOKEN}` }, 401],
    ["a group that there is not", { ...bearer, "x-group": "none" }, 404],
    ["a place to go on from that is none", { ...bearer, "last-event-id": "x" }, 400],
  ])("is refused with %s", async (_what, { "x-group": name = "review", ...headers }, status) => {
    const response = await get(`/events?group=${name}`, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("error");
  });

  it("is not there without a token in the settings", async () => {
    await server.close();
    server = await listen({ eventsToken: null });
    expect((await get("/events", bearer)).status).toBe(403);
  });

  it("asks which server is meant when two have a group of this name", async () => {
    const other = await groupIn(OTHER_GUILD);
    expect((await get("/events?group=review", bearer)).status).toBe(400);
    const reader = await read(`?group=review&guild=${OTHER_GUILD}`);
    await write("here");
    await write("there", other);
    await until(() => reader.events.length > 0);
    expect(texts(reader)).toEqual(["there"]);
    reader.close();
  });

  it("sends what is stored in one server, and knows none that the bot is not in", async () => {
    const other = await groupIn(OTHER_GUILD);
    const reader = await read(`?guild=${OTHER_GUILD}`);
    await write("here");
    await write("there", other);
    await write("here again");
    await write("there again", other);
    await until(() => reader.events.length > 1);
    expect(texts(reader)).toEqual(["there", "there again"]);
    reader.close();
    expect((await get("/events?guild=1", bearer)).status).toBe(404);
    expect((await get("/events?guild=1&group=review", bearer)).status).toBe(404);
  });

  it("ends when the server does, and is not cut off", async () => {
    const response = await get("/events", bearer);
    const chunks = response.body?.getReader();
    await chunks?.read();
    await server.close();
    expect(await chunks?.read()).toMatchObject({ done: true });
    server = await listen();
  });

  it("sends what is stored from now on, of one group", async () => {
    const other = await addGroup(services, {
      displayName: "Other",
      members: [
        await addAgent(services, { displayName: "A" }),
        await addAgent(services, { displayName: "B" }),
      ],
    });
    await write("before");
    const reader = await read();
    await write("elsewhere", other);
    await write("one");
    await write("two\nlines");
    await until(() => reader.events.length >= 2);
    expect(texts(reader)).toEqual(["one", "two\nlines"]);
    expect(reader.events[0]).toMatchObject({
      event: "message",
      data: {
        channelId: group.channelId,
        threadId: null,
        message: { author: { kind: "person", name: "Ana" } },
      },
    });
    reader.close();
  });

  it("goes on without a gap and without a repetition after a disconnection and a restart", async () => {
    const seen: string[] = [];
    let last: string | undefined = "0";
    const writing = (async () => {
      for (let index = 0; index < 200; index += 1) await write(`m${index}`);
    })();
    for (let turn = 0; seen.length < 200; turn += 1) {
      const reader: EventReader = await read("?group=review", last);
      const wanted = Math.min(200 - seen.length, 37);
      await until(() => reader.events.length >= wanted);
      reader.close();
      seen.push(...texts(reader));
      last = reader.events.at(-1)?.id;
      if (turn !== 2) continue;
      await server.close();
      server = await listen();
    }
    await writing;
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => `m${index}`));
  });

  it("begins anew for a reader that comes from a database that is gone", async () => {
    await write("one");
    const reader = await read("?group=review", "500");
    await until(() => reader.events.length > 0);
    expect(texts(reader)).toEqual(["one"]);
    reader.close();
  });

  it("has the events of rounds, and does not show who voted what or could not vote in a secret vote", async () => {
    const trigger = await write("Tea?");
    const reader = await read("?group=review", "0");
    const round = {
      id: asId<RoundId>("r1"),
      groupId: group.id,
      kind: "moderated" as const,
      place: placeOf(group),
      triggerId: trigger.id,
      openedAtMs: 5,
      closedAtMs: null,
    };
    await watched.storage.rounds.open(round, {
      type: "opened",
      members: [],
      hostId: group.hostId,
      named: [],
      triggerIds: [],
      startedBy: [],
      cap: 8,
      isAsk: false,
    });
    const missed = [{ agentId: group.hostId, failure: "invalid" as const }];
    const announced = (isSecret: boolean) => ({
      type: "announced" as const,
      notice: {
        type: "voteResult" as const,
        result: { question: "?", counts: [], abstained: 1, quorum: null, isSecret, votes: null },
        missed,
      },
      messageId: null,
    });
    const vote = {
      type: "voted",
      agentId: group.hostId,
      choice: "Yes",
      reason: "Warm.",
      failure: null,
    } as const;
    await watched.storage.rounds.append(
      round.id,
      1,
      [
        { ...vote, isSecret: true },
        { ...vote, isSecret: false },
        { ...vote, choice: null, reason: null, failure: "invalid", isSecret: true },
        announced(true),
        announced(false),
      ],
      { atMs: 6 },
    );
    await until(() => reader.events.length >= 7);
    const events = reader.events.slice(1).map(({ data }) => data as { seq: number; event: object });
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(events[1]?.event).toMatchObject({ type: "voted", choice: null, reason: null });
    expect(events[2]?.event).toMatchObject({ type: "voted", choice: "Yes", reason: "Warm." });
    expect(events[3]?.event).toEqual({ ...events[1]?.event });
    expect(JSON.stringify(events[4])).not.toContain("missed");
    expect(events[5]?.event).toMatchObject({ notice: { missed: [{ failure: "invalid" }] } });
    reader.close();
  });

  it("says of a deleted message only that it is deleted", async () => {
    const message = await write("secret");
    await watched.storage.messages.markDeleted([message.id], 9);
    const reader = await read("?group=review", "0");
    await until(() => reader.events.length > 0);
    expect(reader.events[0]?.data).toMatchObject({ message: { id: message.id, isDeleted: true } });
    expect(JSON.stringify(reader.events)).not.toContain("secret");
    reader.close();
  });

  it("drops a reader that takes nothing, and keeps nothing for it", async () => {
    await server.close();
    server = await listen({ patienceMs: 100 });
    for (let index = 0; index < 400; index += 1) await write(`${index} ${"x".repeat(60_000)}`);
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.write(
      `GET /events?group=review HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\nlast-event-id: 0\r\n\r\n`,
    );
    socket.pause();
    await until(() => log.messages("warn").length > 0);
    expect(log.messages("warn")).toEqual(["a reader of events takes nothing and was dropped"]);
    socket.resume();
    await gone;
    expect(await (await get("/metrics")).text()).toContain("parley_event_readers 0");
    expect((await get("/healthz")).status).toBe(200);
  });
});

it.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuses %s on its pages", async (method) => {
  for (const path of ["/healthz", "/metrics", "/events"]) {
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  }
  expect((await fetch(`${server.url}/nowhere`, { method })).status).toBe(404);
  expect((await fetch(`${server.url}/healthz`, { method: "HEAD" })).status).toBe(200);
});

it("has no other page", async () => {
  const response = await get("/");
  expect(response.status).toBe(404);
});

it("says which address is in use already", async () => {
  const port = Number(new URL(server.url).port);
  const settings = { host: "127.0.0.1", port, eventsToken: null };
  const rest = {
    clock: systemClock,
    log,
    servers: () => [],
    isConnected: () => true,
    heldForMs: () => 0,
    isStopping: () => false,
  };
  await expect(openHttp(settings, watched, rest)).rejects.toThrow(
    `HTTP_PORT: 127.0.0.1:${port} is already in use (EADDRINUSE); choose another port`,
  );
});
