import { describe, expect, it } from "vitest";
import { Mailboxes } from "../../src/app/mailbox.js";

/** A promise that the test settles. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

const noErrors = (error: unknown) => {
  throw error;
};

describe("mailboxes", () => {
  it("run the jobs of one key one after another, in their order", async () => {
    const boxes = new Mailboxes<string>(noErrors);
    const first = gate();
    const log: string[] = [];
    boxes.run("a", async () => {
      log.push("first begins");
      await first.passed;
      log.push("first ends");
    });
    boxes.run("a", async () => {
      log.push("second");
    });
    boxes.run("b", async () => {
      log.push("other key");
      first.open();
    });
    await boxes.onIdle();
    expect(log).toEqual(["first begins", "other key", "first ends", "second"]);
  });

  it("abort reaches the job that runs and not the one behind it", async () => {
    const boxes = new Mailboxes<string>(noErrors);
    const seen: unknown[] = [];
    boxes.run("a", async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      seen.push(signal.reason);
    });
    boxes.run("a", async (signal) => {
      seen.push(signal.aborted);
    });
    expect(boxes.abort("a", "enough")).toBe(true);
    await boxes.onIdle();
    expect(seen).toEqual(["enough", false]);
    expect(boxes.abort("a", "nobody there")).toBe(false);
  });

  it("go on after a job that fails, and say what failed", async () => {
    const failures: unknown[] = [];
    const boxes = new Mailboxes<string>((error, key) => failures.push([key, String(error)]));
    let hasRun = false;
    boxes.run("a", () => Promise.reject(new Error("broken")));
    boxes.run("a", async () => {
      hasRun = true;
    });
    await boxes.onIdle();
    expect(failures).toEqual([["a", "Error: broken"]]);
    expect(hasRun).toBe(true);
  });

  it("are idle at once when nothing was asked of them", async () => {
    await new Mailboxes<string>(noErrors).onIdle();
  });

  it("abort every running job at the end", async () => {
    const boxes = new Mailboxes<string>(noErrors);
    const ended: string[] = [];
    for (const key of ["a", "b"]) {
      boxes.run(key, async (signal) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        ended.push(key);
      });
    }
    boxes.abortAll(new Error("the end"));
    await boxes.onIdle();
    expect(ended).toEqual(["a", "b"]);
  });
});
