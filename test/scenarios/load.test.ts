/**
 * Much at once: two hundred groups that are busy, one that is slow, fifty people in one channel, a
 * transcript of ten thousand messages, a thousand groups in which nothing happens. The bot is a
 * process of its own, so that what it holds can be weighed.
 */
import { afterEach, expect, it } from "vitest";
import { openStorage } from "../../src/adapters/storage/open.js";
import { type AgentId, asId, type ConversationId } from "../../src/domain/ids.js";
import { addMember, createPerson } from "../../src/playground/world/guilds.js";
import { deferred } from "../support/callPlans.js";
import { type Crowd, openCrowd, personsMessage } from "../support/crowd.js";
import { type EndpointRequest, structured } from "../support/modelEndpoint.js";

let crowd: Crowd;
afterEach(() => crowd.close());

/** discord.js holds itself to Discord's fifty requests a second, and each round makes about ten. */
const LONG_MS = 300_000;
const MEGABYTE = 1024 * 1024;
const SCORES = { researcher: 0.6, editor: 0.9, planner: 0 };

const speakerOf = ({ system }: EndpointRequest) => /^You are (.+)\.$/mu.exec(system)?.[1] ?? "";
/** The group that a call is for, as its prompt names it. */
const groupOf = ({ prompt }: EndpointRequest) =>
  /Question of (group-\d+)\b/.exec(prompt)?.[1] ?? "";

it("answers in two hundred groups at once, and no group waits for a slow one", {
  timeout: 2 * LONG_MS,
}, async () => {
  crowd = await openCrowd(200);
  const { bot, channelIds, writerIn } = crowd;
  const slow = deferred<void>();
  bot.endpoint.respond(async (request) => {
    if (request.body.response_format !== undefined) return structured(SCORES);
    if (groupOf(request) === "group-0" && speakerOf(request) === "Researcher") await slow.promise;
    return `${speakerOf(request)} on ${groupOf(request)}`;
  });

  const triggers = channelIds.map((channelId, index) =>
    bot.loopback.people.post(writerIn(channelId), channelId, `Question of group-${index}`),
  );
  const answersIn = (index: number) =>
    bot
      .linesSince(channelIds[index] ?? "", triggers[index]?.id ?? "")
      .filter((line) => /^(Researcher|Editor): /.test(line));
  const others = channelIds.map((_, index) => index).slice(1);
  // Three calls for each of them, and two for the slow one; looking at every channel takes longer.
  await bot.loopback.until(
    () => bot.endpoint.requests.length === 3 * others.length + 2 || undefined,
    "everybody but the slow one is asked",
    LONG_MS,
  );
  await bot.loopback.until(
    () => others.every((index) => answersIn(index).length >= 2) || undefined,
    "all groups but the slow one are answered",
  );
  expect(answersIn(0)).toEqual([]);

  slow.resolve();
  await bot.untilDeadOrIdle();
  for (const [index] of channelIds.entries()) {
    expect(answersIn(index)).toEqual([
      `Researcher: Researcher on group-${index}`,
      `Editor: Editor on group-${index}`,
    ]);
  }
});

it("hears fifty people who write at once in one channel, each of them once", async () => {
  crowd = await openCrowd(1);
  const { bot } = crowd;
  const { world, people, guild } = bot.loopback;
  const [channelId = ""] = crowd.channelIds;
  const writers = Array.from({ length: 50 }, (_, index) => {
    const person = createPerson(world, `Person ${index}`);
    addMember(world, guild, person.id);
    return person;
  });
  let composing = 0;
  let atOnce = 0;
  bot.endpoint.respond(async (request) => {
    if (request.body.response_format !== undefined) return structured(SCORES);
    composing += 1;
    atOnce = Math.max(atOnce, composing);
    await new Promise((resolve) => setImmediate(resolve));
    composing -= 1;
    return "Noted.";
  });

  const written = [0, 1, 2].flatMap((round) =>
    writers.map(({ id }, index) => people.post(id, channelId, `${round}: message of ${index}`)),
  );
  await bot.loopback.until(
    () => bot.linesSince(channelId, "0").length > written.length || undefined,
    "somebody answers",
  );
  await bot.untilDeadOrIdle();
  await bot.stop();

  const storage = await openStorage(bot.databaseUrl);
  const conversationId = asId<ConversationId>(channelId);
  const [oldest] = written;
  const rounds = await storage.rounds.since(conversationId, asId(oldest?.id ?? ""));
  const answered = rounds.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "opened" ? event.triggerIds : [])),
  );
  await storage.close();
  expect(answered).toEqual(written.map(({ id }) => id));
  expect(atOnce).toBe(1);
  const replies = bot.linesSince(channelId, "0").filter((line) => line.endsWith(": Noted."));
  expect(replies).toHaveLength(2 * rounds.length);
});

it("keeps a turn small in a transcript of ten thousand messages", async () => {
  const line = "We have been through this before, and nobody has written it down. ".repeat(3);
  crowd = await openCrowd(1, {
    async furnish({ messages }, [place]) {
      if (place === undefined) throw new Error("There is no group.");
      const startMs = Date.now() - 24 * 3_600_000;
      for (let index = 0; index < 10_000; index += 1) {
        const createdAtMs = startMs + index * 1_000;
        const isAgent = index % 3 === 2;
        const message = personsMessage({ place, text: `${index}: ${line}`, createdAtMs });
        const author = {
          kind: "agent",
          agentId: asId<AgentId>("editor-0"),
          name: "Editor",
        } as const;
        await messages.record(isAgent ? { ...message, author } : message, { isPending: false });
      }
    },
  });
  const { bot, channelIds } = crowd;
  const [channelId = ""] = channelIds;
  bot.endpoint.respond((request) =>
    request.body.response_format === undefined ? "Written down." : structured(SCORES),
  );
  const { id } = bot.loopback.people.post(bot.loopback.owner.id, channelId, "What did we say?");
  await bot.loopback.until(
    () => bot.linesSince(channelId, id).filter((line) => line.includes("Written down"))[1],
    "both answer",
  );
  const [judge, first, second] = bot.endpoint.requests;
  // Twelve messages of at most 1,500 characters for the judge; 24,000 tokens for a speaker.
  expect(judge?.prompt.length).toBeLessThan(12 * 1_500);
  for (const turn of [first, second]) {
    expect(turn?.prompt).toContain("What did we say?");
    expect(turn?.prompt).toMatch(/\d+ earlier messages are left out/);
    expect(turn?.prompt.length).toBeLessThan(24_000 * 4);
  }
});

it("starts with a thousand idle groups without reading one of them", {
  timeout: LONG_MS,
}, async () => {
  crowd = await openCrowd(1_000, {
    async furnish({ messages }, places, { loopback: { world } }) {
      const startMs = Date.now() - 3_600_000;
      for (const [index, place] of places.entries()) {
        const createdAtMs = startMs + index;
        const message = personsMessage({ place, text: "That was long ago.", createdAtMs });
        await messages.record(message, { isPending: false });
        world.channel(place.channelId).lastMessageId = message.id;
      }
    },
  });
  const { bot, channelIds, writerIn } = crowd;
  const read = () =>
    bot.loopback.requests.filter(
      ({ method, path }) => method === "GET" && /\/channels\/\d+\/messages/.test(path),
    );
  expect(read().filter(({ path }) => channelIds.some((id) => path.includes(id)))).toEqual([]);

  // Nothing that a group has for itself alone may weigh much: a thousand of them fit anywhere.
  expect(await bot.heapBytes()).toBeLessThan(100 * MEGABYTE);

  bot.endpoint.respond((request) =>
    request.body.response_format === undefined ? "Still here." : structured(SCORES),
  );
  const last = channelIds.at(-1) ?? "";
  const { id } = bot.loopback.people.post(writerIn(last), last, "Is anybody here?");
  await bot.loopback.until(
    () => bot.linesSince(last, id).find((line) => line.endsWith(": Still here.")),
    "the last of them is answered",
  );
});

it("holds no more after many rounds than after few", { timeout: 2 * LONG_MS }, async () => {
  crowd = await openCrowd(8);
  const { bot, channelIds } = crowd;
  bot.endpoint.respond((request) =>
    request.body.response_format === undefined
      ? `${speakerOf(request)} has considered it at some length. `.repeat(20)
      : structured(SCORES),
  );
  let rounds = 0;
  const converse = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const calls = bot.endpoint.requests.length;
      for (const channelId of channelIds) {
        bot.loopback.people.post(bot.loopback.owner.id, channelId, `Question ${rounds}`);
        rounds += 1;
      }
      await bot.loopback.until(
        () => bot.endpoint.requests.length === calls + 3 * channelIds.length || undefined,
        "every group is asked",
      );
      await bot.untilDeadOrIdle();
    }
    return bot.heapBytes();
  };
  // Caches that have a size are full by then.
  const few = await converse(12);
  const many = await converse(36);
  expect(many - few).toBeLessThan(3 * MEGABYTE);
});
