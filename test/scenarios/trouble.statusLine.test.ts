import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RestFault } from "../../src/playground/faults.js";
import { briskClock } from "../support/briskClock.js";
import { carryOut, NO_ANSWER, unanswered } from "../support/late.js";
import { completion } from "../support/modelEndpoint.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeAll(async () => {
  theatre = await openTheatre({ clock: briskClock(50), settings: { hasStatusLine: true } });
  review = await furnish(theatre);
});
afterEach(async () => {
  await theatre.idle();
  theatre.loopback.faults.clear();
});
afterAll(() => theatre.close());

const FAULTS: readonly (readonly [string, RestFault])[] = [
  ["429", { kind: "rateLimit", retryAfterSeconds: 0.1 }],
  ["500", { kind: "status", status: 500, body: {} }],
  ["a page", { kind: "html", status: 502 }],
  ["no permission", { kind: "status", status: 403, body: { code: 50013, message: "Missing" } }],
  ["a reset before it was done", { kind: "resetBefore" }],
  ["a reset after it was done", { kind: "resetAfter" }],
  ["502 after it was done", { kind: "statusAfter", status: 502, body: {} }],
];
const SAY_ROUTE = "/channels/:id/messages";
const REQUESTS = [
  ["posted", { method: "POST", route: "/channels/:id/messages" }],
  ["changed", { method: "PATCH", route: "/channels/:id/messages/:message" }],
  ["taken away", { method: "DELETE", route: "/channels/:id/messages/:message" }],
] as const;

describe.each(REQUESTS)("a status line that is %s", (_, request) => {
  it.each(FAULTS)(
    "holds nothing up and is not left behind, although Discord answers with %s",
    async (_, fault) => {
      const before = theatre.lines(review).length;
      const speak = cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`);
      // Long enough for the line to be shown and changed.
      theatre.endpoint.respond((asked) => {
        const answer = speak(asked);
        return typeof answer === "string" ? { ...completion(answer), delayMs: 150 } : answer;
      });
      theatre.loopback.faults.inject({ ...request, fault });
      theatre.say(review, "Both?");
      await theatre.loopback.until(
        () => (theatre.lines(review).at(-1) === "Editor: Editor spoke." ? true : undefined),
        "both have spoken and the line is gone",
      );
      await theatre.idle();
      await theatre.loopback.until(
        () => (theatre.lines(review).length === before + 3 ? true : undefined),
        "the line is gone",
      );
      expect(theatre.lines(review).slice(before)).toEqual([
        "ada: Both?",
        "Researcher: Researcher spoke.",
        "Editor: Editor spoke.",
      ]);
      expect(theatre.loopback.requests.some((made) => made.fault === fault.kind)).toBe(true);
    },
  );
});

describe("a status line that Discord shows late", () => {
  it("when the round is over already, is taken away", async () => {
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, (name) => `${name} was here.`));
    const before = theatre.lines(review).length;
    const asked = theatre.loopback.requests.length;
    theatre.loopback.faults.inject({
      method: "POST",
      route: SAY_ROUTE,
      times: 9,
      fault: NO_ANSWER,
    });
    theatre.say(review, "Who is there?");
    await theatre.loopback.until(
      () => theatre.lines(review).length === before + 2 || undefined,
      "Editor has spoken",
    );
    await theatre.idle();
    theatre.loopback.faults.clear();
    const requests = theatre.loopback.requests.slice(asked);
    await carryOut(theatre.loopback, unanswered({ requests }, /^POST \/channels\/\d+\/messages$/));
    expect(theatre.lines(review)).toHaveLength(before + 3);
    await theatre.loopback.until(
      () => theatre.lines(review).length === before + 2 || undefined,
      "the late line is gone",
    );
    expect(theatre.lines(review).slice(before)).toEqual([
      "ada: Who is there?",
      "Editor: Editor was here.",
    ]);
  });
});
