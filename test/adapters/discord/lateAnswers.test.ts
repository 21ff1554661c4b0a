import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { slash } from "../../../commands/slash.js";
import type { Operation } from "../../../src/app/operations/operation.js";
import type { RestFault } from "../../../src/playground/faults.js";
import { anOperation, connectInteracting, type Interacting } from "./interacting.js";

let connected: Interacting;
let runs: number;
beforeEach(async () => {
  connected = await connectInteracting();
  runs = 0;
});
afterEach(() => connected.close());

const CALLBACK = { method: "POST", route: "/interactions/:id/:token/callback" };
const refused = (status: number, code: number): RestFault => ({
  kind: "status",
  status,
  body: { message: "Refused", code },
});

/** A command that is answered at once, or, for managers, deferred first. */
function probe(permission: Operation["permission"]) {
  const run = async () => {
    runs += 1;
    return { text: "Done." };
  };
  return connected.start({ commands: [slash(anOperation({ permission, run }))] });
}

const FAULTS: readonly (readonly [string, RestFault])[] = [
  ["a reset before it was done", { kind: "resetBefore" }],
  ["a reset after it was done", { kind: "resetAfter" }],
  ["500", { kind: "status", status: 500, body: {} }],
  ["a page", { kind: "html", status: 502 }],
  ["502 after it was done", { kind: "statusAfter", status: 502, body: {} }],
  ["a short 429", { kind: "rateLimit", retryAfterSeconds: 0.1 }],
  ["a page that forbids", { kind: "html", status: 403 }],
  ["an unknown address", refused(404, 0)],
  ["a refusal", refused(403, 50001)],
];

describe.each(["anyone", "manager"] as const)("the first answer to a command for %s", (who) => {
  it.each(FAULTS)(
    "gets through, and the command runs once, although it meets %s",
    async (_, fault) => {
      await probe(who);
      connected.loopback.faults.inject({ ...CALLBACK, fault });
      const outcome = await connected.use("probe").answered;
      expect(outcome).toMatchObject({ content: "Done.", isEphemeral: true });
      expect(runs).toBe(1);
      expect(connected.log.messages("error")).toEqual([]);
    },
  );

  it.each(FAULTS)("gets through after a deferral although its text meets %s", async (_, fault) => {
    await probe("manager");
    connected.loopback.faults.inject({ method: "PATCH", route: "/webhooks/*", fault });
    const run = connected.use("probe");
    await connected.loopback.until(
      () => (run.outcome().content === "Done." ? true : undefined),
      "the answer",
    );
    expect(runs).toBe(1);
    expect(connected.log.messages("error")).toEqual([]);
  });

  it.each([
    ["is void (10062)", 404, 10062],
    ["was answered by somebody else (40060)", 400, 40060],
    ["is too old (50027)", 401, 50027],
  ])(
    "whose interaction %s is given up with a line in the log, and the next works",
    async (_, status, code) => {
      await probe(who);
      const free = connected.loopback.faults.inject({
        method: "*",
        route: "/interactions/*",
        times: 99,
        fault: refused(status, code),
      });
      const freeEdits = connected.loopback.faults.inject({
        method: "PATCH",
        route: "/webhooks/*",
        times: 99,
        fault: refused(status, code),
      });
      connected.use("probe");
      await connected.loopback.until(
        () => (connected.log.messages("warn").length > 0 ? true : undefined),
        "the line",
      );
      free();
      freeEdits();
      expect((await connected.use("probe").answered).state).toMatch(/answered|deferred/);
      expect(connected.log.messages("error")).toEqual([]);
    },
  );
});

it("a text that meets a pause for everything arrives after it", async () => {
  await probe("manager");
  connected.loopback.faults.inject({
    method: "PATCH",
    route: "/webhooks/*",
    fault: { kind: "rateLimit", retryAfterSeconds: 12, isGlobal: true },
  });
  const run = connected.use("probe");
  await connected.loopback.until(
    () => (run.outcome().content === "Done." ? true : undefined),
    "the answer",
  );
});

describe("the second message of a long answer", () => {
  const FOLLOW_UP = { method: "POST", route: "/webhooks/:id/:token" };
  const text = `${"word ".repeat(700)}\n\nThe end.`;

  async function ask(fault: RestFault) {
    const input = z.object({ about: z.string().meta({ description: "A text" }) });
    await connected.start({
      commands: [slash(anOperation({ input, run: async () => ({ text }) }))],
    });
    connected.loopback.faults.inject({ ...FOLLOW_UP, fault });
    const run = connected.use("probe", { about: "x" });
    await run.answered;
    return run;
  }

  it.each(FAULTS.filter(([, { kind }]) => kind === "rateLimit"))(
    "comes after %s",
    async (_, fault) => {
      const run = await ask(fault);
      await connected.loopback.until(
        () => (run.outcome().followUps.length > 0 ? true : undefined),
        "the second message",
      );
      expect(run.outcome().message?.attachments).toEqual([]);
    },
  );

  it.each(FAULTS.filter(([, { kind }]) => kind !== "rateLimit"))(
    "is never sent twice: after %s the first carries the whole as a file",
    async (_, fault) => {
      const run = await ask(fault);
      const attached = () => run.outcome().message?.attachments ?? [];
      await connected.loopback.until(() => (attached().length > 0 ? true : undefined), "the file");
      expect(run.outcome().followUps.length).toBeLessThanOrEqual(1);
      expect(connected.asked(/^POST \/webhooks\//)).toHaveLength(1);
      expect(attached()).toMatchObject([{ size: Buffer.byteLength(text) }]);
      expect(run.outcome().content).toContain("The whole reply is in the attached file.");
      expect(connected.log.messages("error")).toEqual([]);
    },
  );
});
