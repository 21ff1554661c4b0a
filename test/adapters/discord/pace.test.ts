import { expect, it } from "vitest";
import { Pace } from "../../../src/adapters/discord/pace.js";
import { ChatError } from "../../../src/ports/chat.js";

const request = { signal: undefined, isPatient: false, isRepeated: false };

it("a long hold refuses until it is over, and then everything goes on", async () => {
  let nowMs = 0;
  const pace = new Pace({ perSecond: 45, now: () => nowMs });
  pace.hold(600_000);
  nowMs = 589_000;
  const refused: unknown = await pace.turn(request).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ChatError);
  expect(refused).toMatchObject({ retryAfterMs: 11_000, holdsAll: true });
  nowMs = 600_000;
  await pace.turn(request);
  expect(pace.heldForMs).toBe(0);
});

it.each([
  [3_600_000, 3_600_000],
  [3_600_001, 600_000],
  [Number.POSITIVE_INFINITY, 600_000],
  [Number.NaN, 1_000],
  [-5, 1_000],
])("a hold of %d ms is taken as one of %d ms", (askedMs, holdMs) => {
  const pace = new Pace({ perSecond: 45, now: () => 0 });
  pace.hold(askedMs);
  expect(pace.heldForMs).toBe(holdMs);
});

it("who waits for a hold stops waiting when the signal is aborted", async () => {
  const pace = new Pace({ perSecond: 45, now: () => 0 });
  const stop = new AbortController();
  pace.hold(10);
  const waiting = pace.turn({ ...request, signal: stop.signal });
  stop.abort(new Error("Enough."));
  await expect(waiting).rejects.toThrow("Enough.");
});
