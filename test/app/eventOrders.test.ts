/** Whatever order events come in: nothing is answered twice, nothing is forgotten, nothing breaks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asId, type ConversationId } from "../../src/domain/ids.js";
import type { RoundEvent } from "../../src/domain/round/round.js";
import type { ReceivedMessage } from "../../src/ports/chat.js";
import type { ModelReply, ModelRequest } from "../../src/ports/model.js";
import { ScriptedModel } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

/** Answers everything: the judge picks the Editor. */
class WillingModel extends ScriptedModel {
  override complete(request: ModelRequest): Promise<ModelReply> {
    const text =
      request.purpose === "judge" ? JSON.stringify({ researcher: 0, editor: 1 }) : "An answer.";
    this.requests.push(request);
    return Promise.resolve({ text, toolCalls: [], finish: "stop", usage: null, model: "test" });
  }
}

const MESSAGES = 4;
const message = fc.nat({ max: MESSAGES - 1 });
/** One thing that the gateway, or the reading of what was missed, may bring. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("arrives" as const), message }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("isEdited" as const), message }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("isDeleted" as const), message }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("isCaughtUp" as const),
      messages: fc.uniqueArray(message, { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: "stops" as const }) },
  { weight: 2, arbitrary: fc.constant({ does: "timePasses" as const }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function bring(stage: Stage, written: readonly ReceivedMessage[], event: Event): Promise<unknown> {
  const { router } = stage.app;
  const conversation = asId<ConversationId>(stage.place.channelId);
  const at = (index: number) => {
    const found = written[index];
    if (found === undefined) throw new Error("There is no such message.");
    return found;
  };
  switch (event.does) {
    case "arrives":
      return router.received(at(event.message));
    case "isEdited":
      return router.edited(at(event.message).id, "Edited", stage.services.clock.now());
    case "isDeleted":
      return router.deleted(conversation, [at(event.message).id]);
    case "isCaughtUp":
      return router.caughtUp(event.messages.toSorted((a, b) => a - b).map(at));
    case "stops":
      return router.received(stage.message("stop"));
    case "timePasses":
      return stage.services.clock.advance(100);
  }
}

/** Makes the message known, or takes it back. */
function isAbout(event: Event, index: number): boolean {
  if (event.does === "isCaughtUp") return event.messages.includes(index);
  return (event.does === "arrives" || event.does === "isDeleted") && event.message === index;
}

/** The rounds that the messages started, each with its journal. */
async function roundsOf(
  { services }: Stage,
  written: readonly ReceivedMessage[],
): Promise<ReadonlyMap<string, readonly RoundEvent[]>> {
  const rounds = new Map<string, readonly RoundEvent[]>();
  for (const { id } of written) {
    const round = await services.storage.rounds.ofMessage(id);
    if (round === null || rounds.has(round.id)) continue;
    const journal = await services.storage.rounds.journal(round.id);
    rounds.set(
      round.id,
      journal.map((entry) => entry.event),
    );
  }
  return rounds;
}

const triggersOf = (journal: readonly RoundEvent[]) => {
  const [opened] = journal;
  return opened?.type === "opened" ? opened.triggerIds : [];
};

describe("events in any order", () => {
  it("answer each message once, or not at all when it was deleted or stopped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, fc.boolean()), { maxLength: 20 }),
        async (events) => {
          const stage = await openStage({ overrides: { model: new WillingModel() } });
          const written = Array.from({ length: MESSAGES }, (_, index) =>
            stage.message(`Message ${index}`),
          );
          const going: Promise<unknown>[] = [];
          for (const [one, isAwaited] of events) {
            const work = bring(stage, written, one);
            going.push(work);
            if (isAwaited) await work;
          }
          await Promise.all(going);
          await stage.app.onIdle();

          const conversation = asId<ConversationId>(stage.place.channelId);
          const rounds = await roundsOf(stage, written);
          const triggers = [...rounds.values()].flatMap(triggersOf);
          expect(new Set(triggers).size).toBe(triggers.length);
          for (const journal of rounds.values()) {
            expect(journal.at(-1)?.type).toBe("closed");
            expect(journal.filter(({ type }) => type === "posted").length).toBeLessThanOrEqual(1);
          }
          expect(await stage.services.storage.messages.pending(conversation)).toEqual([]);
          const arrived = new Set(
            events.flatMap(([one]) =>
              one.does === "arrives"
                ? [one.message]
                : one.does === "isCaughtUp"
                  ? one.messages
                  : [],
            ),
          );
          const deleted = new Set(
            events.flatMap(([one]) => (one.does === "isDeleted" ? [one.message] : [])),
          );
          // Who deletes a message before it is known has taken it back in time.
          const takenBack = new Set(
            [...deleted].filter((index) => {
              const first = events.find(([one]) => isAbout(one, index));
              return first?.[0].does === "isDeleted";
            }),
          );
          for (const index of takenBack) expect(triggers).not.toContain(written[index]?.id);
          for (const [index, { id }] of written.entries()) {
            const stored = await stage.services.storage.messages.get(id);
            const isEdited = events.some(
              ([one]) => one.does === "isEdited" && one.message === index,
            );
            if (stored === null) continue;
            expect(stored.text).toBe(isEdited ? "Edited" : `Message ${index}`);
          }
          // Every stop is written after all of them: those that had begun no round by then begin none.
          const isSaid = stage.lines().some((line) => line.includes("Stopped by"));
          for (const index of arrived) {
            if (deleted.has(index) || isSaid) continue;
            expect(triggers).toContain(written[index]?.id);
          }
          expect(stage.services.log.messages("error")).toEqual([]);
          await stage.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});
