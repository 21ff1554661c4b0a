import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { briskClock } from "../support/briskClock.js";
import {
  completion,
  type EndpointAnswer,
  type EndpointRequest,
  failure,
  html,
  structured,
} from "../support/modelEndpoint.js";
import { furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;

beforeAll(async () => {
  theatre = await openTheatre({
    clock: briskClock(),
    settings: { turnTimeoutMs: 1_500, judgeTimeoutMs: 1_500 },
  });
  review = await furnish(theatre);
});
afterEach(() => theatre.idle());
afterAll(() => theatre.close());

const isJudge = ({ body }: EndpointRequest) => body.response_format !== undefined;
const EDITOR = structured({ researcher: 0, editor: 1 });
const raw = (text: string, contentType = "application/json"): EndpointAnswer => ({
  type: "raw",
  text,
  contentType,
});

/** A person writes; what follows in the channel, when nothing runs any more. */
async function round(text: string): Promise<readonly string[]> {
  const before = theatre.lines(review).length;
  const closed = () => theatre.log.messages("info").filter((line) => line === "round closed");
  const rounds = closed().length;
  theatre.say(review, text);
  await theatre.loopback.until(
    () => (closed().length > rounds ? true : undefined),
    "the end of the round",
  );
  await theatre.idle();
  return theatre.lines(review).slice(before + 1);
}

/** The turn gets these answers one after another, the last one again and again. */
function turnsGet(...answers: readonly EndpointAnswer[]) {
  const counted = { turns: 0 };
  theatre.endpoint.respond((request) => {
    if (isJudge(request)) return EDITOR;
    counted.turns += 1;
    return answers[Math.min(counted.turns, answers.length) - 1] ?? completion("Nothing.");
  });
  return counted;
}

const NOT_WORKING = /its model is not working just now/;
const TOO_LONG = /conversation is too long for its model/;
const DECLINED = /its model declined to answer this/;
const TOO_SLOW = /its model took too long/;
const SILENT = /its model .*twice/;
/** For those who run it: it needs their hand. */
const TO_OWNER = /its model/;

describe("a turn whose model", () => {
  it.each<[string, EndpointAnswer, RegExp, number]>([
    ["never answers", { type: "hang" }, TOO_SLOW, 1],
    ["answers without an end", { type: "endless", pauseMs: 20 }, TOO_SLOW, 1],
    [
      "is busy (429)",
      failure(429, { message: "Slow down" }, { "retry-after": "0.1" }),
      NOT_WORKING,
      2,
    ],
    [
      "is busy for longer than the turn may take",
      failure(429, { message: "Slow down" }, { "retry-after": "600" }),
      NOT_WORKING,
      1,
    ],
    ["refuses the key (401)", failure(401, { message: "Bad key" }), TO_OWNER, 1],
    ["is not there (404)", failure(404, { message: "model not found" }), TO_OWNER, 1],
    ["fails (500)", failure(500, { message: "Oops" }), NOT_WORKING, 1],
    ["resets the connection", { type: "reset" }, NOT_WORKING, 1],
    ["sends a page", html(502), NOT_WORKING, 1],
    ["sends a page as success", html(200), NOT_WORKING, 1],
    ["sends half an answer", { type: "truncated" }, NOT_WORKING, 1],
    ["sends broken JSON", raw('{"choices":['), NOT_WORKING, 1],
    ["gives no choices", raw('{"choices":[]}'), NOT_WORKING, 1],
    [
      "refuses",
      raw('{"choices":[{"message":{"content":null,"refusal":"I cannot."}}]}'),
      DECLINED,
      1,
    ],
    ["is stopped by a filter", completion("Half of", { finish: "content_filter" }), DECLINED, 1],
    ["says nothing", completion(""), SILENT, 2],
    ["says white space", completion(" \n\u200b "), SILENT, 2],
    [
      "finds it too long",
      failure(400, { message: "Too long", code: "context_length_exceeded" }),
      TOO_LONG,
      2,
    ],
    [
      "calls tools that it has not",
      completion(null, { toolCalls: [{ id: "1", name: "delete_all", arguments: "{}" }] }),
      SILENT,
      2,
    ],
  ])(
    "%s is said in one sentence, with the cause in the log",
    async (_, answer, sentence, calls) => {
      const counted = turnsGet(answer);
      const logged = theatre.log.entries.length;
      const said = await round("What do you think?");
      expect(said).toEqual([expect.stringMatching(/^Parley: -# Editor could not answer: .*\.$/)]);
      expect(said[0]).toMatch(sentence);
      expect(said[0]).not.toMatch(/\d{3}|JSON|HTTP|context_length|Slow down|Bad key|Oops/);
      expect(counted.turns).toBe(calls);
      const isLogged = sentence !== SILENT;
      const failures = theatre.log.entries
        .slice(logged)
        .filter(({ message }) => message === "model call failed");
      expect(failures.length > 0).toBe(isLogged);
    },
  );

  it("is busy for a moment is waited for", async () => {
    turnsGet(failure(429, { message: "Slow down" }, { "retry-after": "0.2" }), completion("Here."));
    expect(await round("What do you think?")).toEqual(["Editor: Here."]);
  });

  it("writes a hundred thousand characters posts their beginning, and the whole as a file", async () => {
    const text = `It begins. ${"word ".repeat(20_000)}It ends.`;
    turnsGet(completion(text));
    const [line] = await round("Tell me everything.");
    expect(line).toMatch(/^Editor: It begins\./);
    expect(line?.length).toBeLessThanOrEqual(2_000 + "Editor: ".length);
    const [file] = theatre.messages(review).at(-1)?.attachments ?? [];
    expect(file).toMatchObject({ filename: "editor.md", size: text.length });
  });

  it("writes beside calls of tools that it has not is heard", async () => {
    const toolCalls = [{ id: "1", name: "delete_all", arguments: "{}" }];
    turnsGet(completion("My answer.", { toolCalls }));
    expect(await round("What do you think?")).toEqual(["Editor: My answer."]);
  });
});

describe("a judge that", () => {
  it.each<[string, EndpointAnswer]>([
    ["never answers", { type: "hang" }],
    ["answers without an end", { type: "endless", pauseMs: 20 }],
    ["is busy (429)", failure(429, { message: "Slow down" }, { "retry-after": "600" })],
    ["refuses the key (401)", failure(401, { message: "Bad key" })],
    ["is not there (404)", failure(404, { message: "model not found" })],
    ["fails (503)", failure(503, { message: "Oops" })],
    ["resets the connection", { type: "reset" }],
    ["sends a page", html(502)],
    ["sends half an answer", { type: "truncated" }],
    ["sends broken JSON", raw('{"choices":[')],
    ["gives no choices", raw('{"choices":[]}')],
    ["refuses", raw('{"choices":[{"message":{"content":null,"refusal":"I cannot."}}]}')],
    ["says nothing", completion("")],
    ["scores who is no member", structured({ researcher: 0, stranger: 1 })],
    ["scores beyond the scale", structured({ researcher: 0, editor: 7 })],
    ["answers in prose", completion("I think the Editor should answer.")],
    ["finds it too long", failure(400, { message: "x", code: "context_length_exceeded" })],
  ])("%s leaves the word to the host", async (_, answer) => {
    theatre.endpoint.respond((request) =>
      isJudge(request) || request.prompt.includes("JSON") ? answer : completion("As the host."),
    );
    expect((await round("What do you think?")).at(-1)).toBe("Researcher: As the host.");
  });
});
