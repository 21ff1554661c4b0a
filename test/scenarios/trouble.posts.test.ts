import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FaultRule, RestFault } from "../../src/playground/faults.js";
import { webhooksIn } from "../../src/playground/world/channels.js";
import { briskClock } from "../support/briskClock.js";
import { carryOut, NO_ANSWER, unanswered } from "../support/late.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;

beforeAll(async () => {
  theatre = await openTheatre({ clock: briskClock(), settings: { maxReplies: 1 } });
  review = await furnish(theatre);
});
afterEach(async () => {
  await theatre.idle();
  theatre.loopback.faults.clear();
});
afterAll(() => theatre.close());

/** What can happen to one request, and whether it was performed all the same. */
const FAULTS: readonly (readonly [string, RestFault])[] = [
  ["429 for its route", { kind: "rateLimit", retryAfterSeconds: 0.2 }],
  ["429 for everything", { kind: "rateLimit", retryAfterSeconds: 0.2, isGlobal: true }],
  ["500", { kind: "status", status: 500, body: { message: "500: Internal Server Error" } }],
  ["a page with status 502", { kind: "html", status: 502 }],
  ["a page with status 200", { kind: "html", status: 200 }],
  ["a page with status 403", { kind: "html", status: 403 }],
  ["a reset before it was done", { kind: "resetBefore" }],
  ["a reset after it was done", { kind: "resetAfter" }],
  ["502 after it was done", { kind: "statusAfter", status: 502, body: {} }],
];

const POST: Omit<FaultRule, "fault"> = { method: "POST", route: "/webhooks/:id/:token" };
const SAY: Omit<FaultRule, "fault"> = { method: "POST", route: "/channels/:id/messages" };
const MAKE: Omit<FaultRule, "fault"> = { method: "POST", route: "/channels/:id/webhooks" };

/** A person writes; what stands in the channel from there when nothing runs any more. */
async function round(text: string): Promise<readonly string[]> {
  const { id } = theatre.say(review, text);
  await theatre.loopback.until(
    () => (theatre.messages(review).at(-1)?.id === id ? undefined : true),
    "something is said",
  );
  await theatre.idle();
  return theatre
    .messages(review)
    .filter((message) => BigInt(message.id) > BigInt(id))
    .map((message) => `${message.author.username}: ${message.content}`);
}

const editorAlone = () =>
  theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, (name) => `${name} was here.`));

describe("a reply is posted once", () => {
  it.each(FAULTS)("although Discord answers with %s", async (_, fault) => {
    editorAlone();
    theatre.loopback.faults.inject({ ...POST, fault });
    expect(await round("Who is there?")).toEqual(["Editor: Editor was here."]);
  });

  it.each(FAULTS)("in each of its parts, although the second meets %s", async (_, fault) => {
    const parts = ["a", "b"].map((letter) => `${letter}: ${"word ".repeat(300)}`);
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => parts.join("\n\n")));
    theatre.loopback.faults.inject({ ...POST, nth: 2, fault });
    const lines = await round("Tell me everything.");
    expect(lines.map((line) => line.slice(0, 10))).toEqual(["Editor: a:", "Editor: b:"]);
  });

  it("although the search for the one that may be there fails too", async () => {
    editorAlone();
    theatre.loopback.faults.inject({ ...POST, fault: { kind: "resetAfter" } });
    theatre.loopback.faults.inject({
      method: "GET",
      route: SAY.route,
      times: 2,
      fault: { kind: "html", status: 503 },
    });
    expect(await round("Who is there?")).toEqual(["Editor: Editor was here."]);
  });
});

describe("a notice is said once", () => {
  it.each(FAULTS)("although Discord answers with %s", async (_, fault) => {
    theatre.endpoint.respond(cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`));
    theatre.loopback.faults.inject({ ...SAY, fault });
    expect(await round("Both of you?")).toEqual([
      "Researcher: Researcher spoke.",
      expect.stringMatching(/^Parley: -# Stopped after 1 reply\..* Editor\. Write again/),
    ]);
  });
});

describe("the webhook", () => {
  it.each(FAULTS)("is made once, although Discord answers with %s", async (_, fault) => {
    editorAlone();
    const { world } = theatre.loopback;
    for (const { id } of webhooksIn(world, review)) world.webhooks.delete(id);
    theatre.loopback.faults.inject({ ...MAKE, fault });
    expect(await round("Who is there?")).toEqual(["Editor: Editor was here."]);
    expect(webhooksIn(world, review)).toHaveLength(1);
  });

  it("that is taken away again and again is said, with where to look", async () => {
    editorAlone();
    theatre.loopback.faults.inject({
      ...POST,
      times: 9,
      fault: { kind: "status", status: 404, body: { code: 10015, message: "Unknown Webhook" } },
    });
    expect(await round("Who is there?")).toEqual([
      "Parley: -# Editor could not answer: Discord refused the reply. The webhook of this channel is taken away again and again: look at the channel's settings under Integrations.",
    ]);
  });

  it("that Discord refuses for one reply fails that turn with a line, and the others go on", async () => {
    theatre.endpoint.respond(cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`));
    const body = { code: 0, message: "401: Unauthorized" };
    theatre.loopback.faults.inject({
      ...POST,
      times: 2,
      fault: { kind: "status", status: 401, body },
    });
    expect(await round("Both of you?")).toEqual([
      expect.stringMatching(
        /^Parley: -# Researcher could not answer: Discord refused the reply\. /,
      ),
      "Editor: Editor spoke.",
    ]);
  });

  it("that somebody renamed is used as before", async () => {
    editorAlone();
    for (const webhook of webhooksIn(theatre.loopback.world, review)) webhook.name = "Spare";
    await theatre.stopBot();
    await theatre.startBot();
    expect(await round("Who is there?")).toEqual(["Editor: Editor was here."]);
    expect(webhooksIn(theatre.loopback.world, review)).toHaveLength(1);
  });
});

describe("a reply in parts", () => {
  it("of which a later one is refused is said to be unfinished, and the next agent goes on", async () => {
    const long = `${"One. ".repeat(500)}\n\nThe rest.`;
    theatre.endpoint.respond(
      cast({ researcher: 0.6, editor: 1 }, (name) => (name === "Researcher" ? long : "Short.")),
    );
    theatre.loopback.faults.inject({
      ...POST,
      nth: 2,
      fault: { kind: "status", status: 400, body: { code: 200000, message: "Blocked" } },
    });
    expect(await round("Both of you?")).toEqual([
      expect.stringMatching(/^Researcher: One\. /),
      "Parley: -# Researcher could not finish its reply: Discord's filters did not let the reply through.",
      "Editor: Short.",
    ]);
  });
});

describe("a reply that was given up", () => {
  it("is taken away when Discord carries it out later all the same", async () => {
    editorAlone();
    const { faults, requests } = theatre.loopback;
    const before = requests.length;
    faults.inject({ ...POST, fault: NO_ANSWER });
    faults.inject({
      ...POST,
      nth: 2,
      fault: { kind: "status", status: 400, body: { code: 200000, message: "Blocked" } },
    });
    const line =
      "Parley: -# Editor could not answer: Discord's filters did not let the reply through.";
    expect(await round("Who is there?")).toEqual([line]);
    faults.clear();
    await carryOut(
      theatre.loopback,
      unanswered({ requests: requests.slice(before) }, /^POST \/webhooks\//),
    );
    const shown = () =>
      theatre.messages(review).filter(({ content }) => content === "Editor was here.");
    const count = shown().length;
    await theatre.loopback.until(() => (shown().length < count ? true : undefined), "its end");
    expect(theatre.messages(review).at(-1)?.content).toBe(line.slice("Parley: ".length));
  });
});

describe("a pause of ten minutes", () => {
  it("ends the round with a sentence, and asks nobody else in vain", async () => {
    theatre.endpoint.respond(cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`));
    const asked = theatre.endpoint.requests.length;
    theatre.loopback.faults.inject({
      ...POST,
      fault: { kind: "rateLimit", retryAfterSeconds: 600 },
    });
    expect(await round("Both of you?")).toEqual([
      "Parley: -# Researcher could not answer: Discord asks for a longer pause; write again later to go on.",
    ]);
    expect(theatre.endpoint.requests).toHaveLength(asked + 2);
  });
});
