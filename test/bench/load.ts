/**
 * What a long history and a long life cost: a round where ten thousand messages stand against one
 * where ten do, and what the process holds after many rounds against what it held after few.
 */
import { expect, it } from "vitest";
import { systemClock } from "../../src/adapters/system.js";
import { createApp } from "../../src/app/app.js";
import { asId, type MessageId } from "../../src/domain/ids.js";
import type { Model } from "../../src/ports/model.js";
import { addAgent, addGroup, aPerson, placeOf } from "../support/builders.js";
import { type Crowd, openCrowd, personsMessage } from "../support/crowd.js";
import { structured } from "../support/modelEndpoint.js";
import { createTestServices } from "../support/services.js";

const ROUNDS = 15;
const MEGABYTE = 1024 * 1024;

it("a round in a long transcript", async () => {
  const short = await medianRoundMs(10);
  const long = await medianRoundMs(10_000);
  process.stdout.write(
    `a round after 10,000 messages: ${long.toFixed(1)} ms (median of ${ROUNDS}), ` +
      `${(long / short).toFixed(1)} times one after 10 messages (${short.toFixed(1)} ms); the model takes no time\n`,
  );
});

async function medianRoundMs(history: number): Promise<number> {
  const services = await createTestServices();
  const members = [
    await addAgent(services, { displayName: "Researcher" }),
    await addAgent(services, { displayName: "Editor" }),
  ];
  const group = await addGroup(services, { displayName: "Review", members });
  const place = placeOf(group);
  const startMs = systemClock.now() - history * 1_000 - 60_000;
  for (let index = 0; index < history; index += 1) {
    const text = `${index}: We have been through this before, and nobody has written it down.`;
    const createdAtMs = startMs + index * 1_000;
    await services.storage.messages.record(personsMessage({ place, text, createdAtMs }), {
      isPending: false,
    });
  }
  const app = createApp({ ...services, clock: systemClock, model: instantModel });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAtMs = performance.now();
    await app.router.received({
      id: asId<MessageId>(services.chat.nextId()),
      place,
      author: aPerson(),
      text: "@all What did we say?",
      attachments: [],
      replyToId: null,
      createdAtMs: systemClock.now(),
      editedAtMs: null,
    });
    await app.onIdle();
    times.push(performance.now() - startedAtMs);
  }
  expect(services.chat.lines(place)).toHaveLength(2 * ROUNDS);
  await services.storage.close();
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

const instantModel: Model = {
  complete: ({ model }) =>
    Promise.resolve({ text: "Written down.", toolCalls: [], finish: "stop", usage: null, model }),
};

it("what a process holds after many rounds", { timeout: 900_000 }, async () => {
  const crowd = await openCrowd(20);
  const { bot } = crowd;
  bot.endpoint.respond((request) =>
    request.body.response_format === undefined
      ? "That is how I see it, at some length. ".repeat(20)
      : structured({ researcher: 0.6, editor: 0.9, planner: 0 }),
  );
  const few = await heapAfter(crowd, 10);
  const many = await heapAfter(crowd, 90);
  process.stdout.write(
    `the process holds ${(many / MEGABYTE).toFixed(1)} MB after 2,000 rounds, ` +
      `${(many / few).toFixed(2)} times what it held after 200\n`,
  );
  await crowd.close();
});

/** After this many rounds more in every group. */
async function heapAfter({ bot, channelIds }: Crowd, times: number): Promise<number> {
  for (let time = 0; time < times; time += 1) {
    const calls = bot.endpoint.requests.length;
    for (const channelId of channelIds) {
      bot.loopback.people.post(bot.loopback.owner.id, channelId, `Question ${time}`);
    }
    await bot.loopback.until(
      () => bot.endpoint.requests.length === calls + 3 * channelIds.length || undefined,
      "every group is asked",
      300_000,
    );
    await bot.untilDeadOrIdle();
  }
  return bot.heapBytes();
}
