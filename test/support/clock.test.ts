import { expect, test } from "vitest";
import { TestClock } from "./clock.js";

test("time stands still until it is advanced", async () => {
  const clock = new TestClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance(250);
  expect(clock.now()).toBe(1_250);
});

test("sleepers wake in the order of their time, each seeing its own moment", async () => {
  const clock = new TestClock(0);
  const woken: string[] = [];
  const sleep = async (name: string, delayMs: number) => {
    await clock.sleep(delayMs);
    woken.push(`${name} at ${clock.now()}`);
  };
  const all = Promise.all([sleep("late", 300), sleep("early", 100), sleep("also early", 100)]);
  await clock.advance(299);
  expect(woken).toEqual(["early at 100", "also early at 100"]);
  await clock.advance(1);
  await all;
  expect(woken.at(-1)).toBe("late at 300");
});

test("a sleep begun by a sleeper that wakes is part of the same advance", async () => {
  const clock = new TestClock(0);
  const ticks: number[] = [];
  const ticking = (async () => {
    for (let tick = 0; tick < 3; tick++) {
      await clock.sleep(10);
      ticks.push(clock.now());
    }
  })();
  await clock.advance(100);
  await ticking;
  expect(ticks).toEqual([10, 20, 30]);
  expect(clock.now()).toBe(100);
});

test("a sleep without delay waits for an advance as well", async () => {
  const clock = new TestClock();
  let isOver = false;
  const sleeping = (async () => {
    await clock.sleep(0);
    isOver = true;
  })();
  await Promise.resolve();
  expect(isOver).toBe(false);
  await clock.advance(0);
  await sleeping;
  expect(isOver).toBe(true);
});

test("a sleep ends with the signal's reason and leaves nothing behind", async () => {
  const clock = new TestClock();
  const controller = new AbortController();
  const reason = new Error("stopped");
  const sleeping = clock.sleep(50, controller.signal);
  expect(clock.waiting).toBe(1);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(clock.sleep(50, controller.signal)).rejects.toBe(reason);
  expect(clock.waiting).toBe(0);
});

test("a time-out is aborted at its time with a TimeoutError", async () => {
  const clock = new TestClock();
  const signal = clock.timeout(20);
  await clock.advance(19);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});
