/** A reader of events beside a bot that answers, and over its restart. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { EventReader, until } from "../adapters/http/eventReader.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

const TOKEN = "correct-horse";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre({ http: { host: "127.0.0.1", port: 0, eventsToken: TOKEN } });
});
afterEach(() => theatre.close());

const url = () => {
  const { httpUrl } = theatre.bot();
  if (httpUrl === null) throw new Error("The bot does not listen.");
  return httpUrl;
};
const read = (lastEventId: string) =>
  EventReader.open(`${url()}/events?group=review`, TOKEN, lastEventId);
const brief = (reader: EventReader) =>
  reader.events.map(({ event, data }) => {
    const { message, event: what } = data as {
      message?: { text: string };
      event?: { type: string };
    };
    return event === "message" ? message?.text : what?.type;
  });

it("tells of messages and rounds as they happen, and misses nothing over a restart", async () => {
  const review = await furnish(theatre);
  theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => "Yes."));
  const first = await read("0");
  theatre.say(review, "One?");
  await until(() => brief(first).includes("closed"));
  const round = ["opened", "judged", "composed", "posted", "Yes.", "closed"];
  expect(brief(first)).toEqual(["One?", ...round]);
  expect(await (await fetch(`${url()}/healthz`)).json()).toMatchObject({ status: "ok" });
  const metrics = await (await fetch(`${url()}/metrics`)).text();
  expect(metrics).toContain('parley_rounds_total{outcome="done"} 1');
  expect(metrics).toContain('parley_model_calls_total{purpose="judge",outcome="ok"} 1');
  const last = first.events.at(-1)?.id ?? "";
  first.close();

  theatre.say(review, "Two?");
  await theatre.lineCount(review, 4);
  await theatre.idle();
  await theatre.stopBot();
  await theatre.startBot();
  const second = await read(last);
  theatre.say(review, "Three?");
  await until(() => brief(second).filter((what) => what === "closed").length === 2);
  expect(brief(second)).toEqual(["Two?", ...round, "Three?", ...round]);
  second.close();
});
