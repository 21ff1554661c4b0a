import { afterEach, beforeEach, expect, test } from "vitest";
import { createSender } from "../../../src/adapters/discord/rest.js";
import { spareSessions } from "../../../src/adapters/discord/sessionBudget.js";
import { TestClock } from "../../support/clock.js";
import { startTestLoopback, type TestLoopback } from "../../support/loopback.js";
import { RecordingLog } from "../../support/services.js";

let loopback: TestLoopback;
beforeEach(async () => {
  loopback = await startTestLoopback();
});
afterEach(() => loopback.close());

const HOUR_MS = 3_600_000;

/** What remains of the day's connections, as Discord tells it. */
function leave(remaining: number) {
  loopback.faults.inject({
    method: "GET",
    route: "/gateway/bot",
    fault: {
      kind: "status",
      status: 200,
      body: { session_start_limit: { total: 1_000, remaining, reset_after: 20 * HOUR_MS } },
    },
  });
}

/** The pause before the next connection. */
async function pauseMs(signal = new AbortController().signal): Promise<number> {
  const clock = new TestClock();
  const startMs = clock.now();
  const log = new RecordingLog();
  const { token, apiUrl } = loopback;
  const rest = createSender({ token, apiUrl, log });
  let endMs: number | null = null;
  const connect = async () => {
    await spareSessions({ rest, clock, log, signal });
    endMs = clock.now();
  };
  const spared = connect();
  await loopback.until(() => (endMs !== null || clock.waiting > 0 ? true : undefined), "a pause");
  await clock.advance(24 * HOUR_MS);
  await spared;
  return (endMs ?? Number.NaN) - startMs;
}

test("a bot that was rarely started today connects at once", async () => {
  leave(200);
  expect(await pauseMs()).toBe(0);
});

test("when few connections are left, each waits for its share of the day", async () => {
  leave(100);
  expect(await pauseMs()).toBe((20 * HOUR_MS) / 100);
  leave(1);
  expect(await pauseMs()).toBe(20 * HOUR_MS);
});

test("when the limit cannot be read, the login decides", async () => {
  loopback.faults.inject({
    method: "GET",
    route: "/gateway/bot",
    fault: { kind: "html", status: 502 },
  });
  expect(await pauseMs()).toBe(0);
});
