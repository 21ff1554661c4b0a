/**
 * Much at once: two hundred groups that are busy, one that is slow, fifty people in one channel, a
 * transcript of ten thousand messages, a thousand groups in which nothing happens. The bot is a
 * process of its own, so that what it holds can be weighed.
 */
import { afterEach, expect, it } from "vitest";
import { openStorage } from "../../src/adapters/storage/open.js";
import { asId, type ConversationId } from "../../src/domain/ids.js";
import { addMember, createPerson } from "../../src/playground/world/guilds.js";
import { deferred } from "../support/callPlans.js";
import { type Crowd, openCrowd } from "../support/crowd.js";
import { type EndpointRequest, structured } from "../support/modelEndpoint.js";

let crowd: Crowd;
afterEach(() => crowd.close());

/** discord.js holds itself to Discord's fifty requests a second, and each round makes about ten. */
const LONG_MS = 300_000;
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
