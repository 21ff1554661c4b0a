import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createIds, systemClock } from "../../src/adapters/system.js";

test("ids have 18 url-safe characters, never repeat and rise, whatever they are for", () => {
  const ids = createIds();
  const made = Array.from({ length: 3_000 }, () => [ids.agent(), ids.group(), ids.round()]).flat();
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
  for (const id of made) expect(id).toMatch(/^[0-9a-z]{18}$/);
});

test("ids rise in the same millisecond and when the clock goes back", () => {
  const times = [1_700_000_000_000, 1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_001];
  const ids = createIds(() => times.shift() ?? 0);
  const made = [ids.round(), ids.round(), ids.round(), ids.round()];
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(4);
});

test("ids of two processes made in the same millisecond differ but begin alike", () => {
  const [one, other] = [createIds(() => 1_700_000_000_000), createIds(() => 1_700_000_000_000)];
  const [a, b] = [one.agent(), other.agent()];
  expect(a).not.toBe(b);
  expect(a.slice(0, 9)).toBe(b.slice(0, 9));
});

test("the system clock wakes a sleeper", async () => {
  const before = systemClock.now();
  await systemClock.sleep(1);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

test("the system clock ends a sleep with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const sleeping = systemClock.sleep(3_600_000, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(systemClock.sleep(1, controller.signal)).rejects.toBe(reason);
});

test("a sleep longer than a timer can be does not end at once", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(30 * 24 * 3_600_000, controller.signal);
  const first = await Promise.race([
    sleeping.then(() => "woken"),
    systemClock.sleep(20).then(() => "still asleep"),
  ]);
  controller.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  expect(first).toBe("still asleep");
});

test("the system clock's time-out is aborted with a TimeoutError", async () => {
  const signal = systemClock.timeout(0.5);
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
    // The time-out's own timer does not keep the process alive.
    void systemClock.sleep(1_000).then(resolve);
  });
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("a time-out comes, and other signals with it, although the garbage is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const closing = new AbortController();
  const reasons = Array.from(
    { length: 50 },
    () =>
      new Promise((resolve) => {
        // Nobody holds the signal but who listens.
        const signal = systemClock.timeout(50, closing.signal);
        signal.addEventListener("abort", (event) => {
          resolve((event.target as AbortSignal).reason);
        });
      }),
  );
  await systemClock.sleep(1);
  collect();
  for (const reason of await Promise.all(reasons)) {
    expect(reason).toMatchObject({ name: "TimeoutError" });
  }
  const cutOff = systemClock.timeout(60_000, closing.signal);
  closing.abort("closing");
  expect(cutOff.reason).toBe("closing");
  expect(systemClock.timeout(60_000, closing.signal).reason).toBe("closing");
});
