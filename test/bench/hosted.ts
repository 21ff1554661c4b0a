/**
 * How long a hosted round takes against what it cannot do without: the slowest participant and the
 * host, one after the other. A ratio of 1 would be a bot that takes no time of its own.
 */
import { expect, it } from "vitest";
import { systemClock } from "../../src/adapters/system.js";
import { createApp } from "../../src/app/app.js";
import { asId, type MessageId } from "../../src/domain/ids.js";
import type { Model, ModelReply, ModelRequest } from "../../src/ports/model.js";
import { addAgent, addGroup, aPerson, placeOf } from "../support/builders.js";
import { createTestServices } from "../support/services.js";

const HOST_MS = 200;
const SLOWEST_MS = 300;
const ROUNDS = 5;

it.each([1, 4, 16])("a hosted round with %i participants", async (count) => {
  const services = await createTestServices();
  const members = [await addAgent(services, { displayName: "Host" })];
  for (let index = 1; index <= count; index += 1) {
    members.push(await addAgent(services, { displayName: `Agent${index}` }));
  }
  const group = await addGroup(services, { displayName: "Panel", kind: "hosted", members });
  const model = slowModel(count);
  const app = createApp({ ...services, clock: systemClock, model });
  const place = placeOf(group);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAtMs = performance.now();
    await app.router.received({
      id: asId<MessageId>(services.chat.nextId()),
      place,
      author: aPerson(),
      text: "How was training?",
      attachments: [],
      replyToId: null,
      createdAtMs: systemClock.now(),
      editedAtMs: null,
    });
    await app.onIdle();
    times.push(performance.now() - startedAtMs);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const least = SLOWEST_MS + HOST_MS;
  process.stdout.write(
    `hosted round, ${count} participants: ${median.toFixed(0)} ms (median of ${ROUNDS}), ` +
      `${(median / least).toFixed(2)} times the slowest participant and the host (${least} ms), ` +
      `${model.calls() / ROUNDS} calls\n`,
  );
  expect(services.chat.lines(place)).toHaveLength(ROUNDS);
  expect(model.calls()).toBe(ROUNDS * (count + 1));
  await services.storage.close();
});

/** Answers each participant after another time, the slowest and the host after those above. */
function slowModel(count: number): Model & { readonly calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    async complete(request: ModelRequest): Promise<ModelReply> {
      calls += 1;
      const share = (calls % count) / count;
      const isHost = request.purpose === "turn";
      await systemClock.sleep(isHost ? HOST_MS : SLOWEST_MS * (1 - share), request.signal);
      const { model } = request;
      return { text: "It went well.", toolCalls: [], finish: "stop", usage: null, model };
    },
  };
}
