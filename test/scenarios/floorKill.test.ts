/**
 * The process is killed around visible effects of a floor, and started again: the channel must not
 * differ from that of an uninterrupted run. A sample runs always, every point with KILL_POINTS=all.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { KillableBot } from "../support/killing.js";
import { completion, structured } from "../support/modelAnswers.js";
import type { EndpointRequest } from "../support/modelEndpoint.js";

const isWhole = process.env["KILL_POINTS"] === "all";
const SAMPLE = 6;
const MEMBERS = ["Researcher", "Editor"];
const EFFECTS = [
  { method: "POST", route: "/webhooks/*", pattern: /^\/webhooks\// },
  { method: "POST", route: "/channels/:id/messages", pattern: /^\/channels\/\d+\/messages$/ },
] as const;

type Values = Readonly<Record<string, string | number | boolean>>;
const STORIES: readonly (readonly [string, Values])[] = [
  ["floor_turns", { order: "round_robin", rounds: 2, instruction: "Speak." }],
  ["floor_vote", { question: "Tea?", options: "Yes, No" }],
  ["floor_moderate", { goal: "Find a drink." }],
];

let bot: KillableBot;
let forum: string;

beforeAll(async () => {
  bot = await KillableBot.open();
  await bot.start();
  const { people, owner, channelId } = bot.loopback;
  const command = (path: string, values: Values) =>
    people.command(owner.id, channelId, path, values).answered;
  for (const display_name of MEMBERS) {
    await command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
  await command("group_create", {
    display_name: "Forum",
    members: MEMBERS.join(", "),
    kind: "moderated",
  });
  const channel = [...bot.loopback.world.channels.values()].find(({ name }) => name === "forum");
  if (channel === undefined) throw new Error("The group has no channel.");
  forum = channel.id;
  await bot.untilDeadOrIdle();
  bot.endpoint.respond(answer);
});
afterAll(() => bot.close());

/** The same request gets the same answer, however often it comes. */
function answer(request: EndpointRequest) {
  const name = /^You are (.+)\.$/mu.exec(request.system)?.[1] ?? "nobody";
  if (request.prompt.includes("privately for your vote")) {
    return structured({ choice: name === "Editor" ? "No" : "Yes", reason: "So." });
  }
  if (request.body.tools === undefined) return `${name} speaks.`;
  const acts: readonly (readonly [string, object])[] = [
    ["grant_turn", { agent: "editor" }],
    ["hold_vote", { question: "Tea?", options: ["Yes", "No"] }],
    ["grant_turn", { agent: "editor" }],
    ["close", { summary: "We drink tea." }],
  ];
  const done = request.body.messages.filter(({ role }) => role === "tool").length;
  const [tool, given] = acts[done] ?? ["close", {}];
  return completion(null, {
    toolCalls: [{ id: `c${done}`, name: tool, arguments: JSON.stringify(given) }],
  });
}

/** Gives the command; the id of a message right before it. */
function begin([path, values]: readonly [string, Values]): string {
  const { people, owner } = bot.loopback;
  const marker = people.post(owner.id, forum, `Begin: ${path}`);
  people.command(owner.id, forum, path, values).answered.catch(() => undefined);
  return marker.id;
}

async function begun(): Promise<() => boolean> {
  const asked = bot.endpoint.requests.length;
  return () => !bot.isAlive || bot.endpoint.requests.length > asked;
}

it("leaves the channel as an uninterrupted run does, wherever it is killed", async () => {
  const points: {
    story: (typeof STORIES)[number];
    effect: (typeof EFFECTS)[number];
    nth: number;
    when: "resetBefore" | "resetAfter";
    lines: readonly string[];
  }[] = [];
  for (const story of STORIES) {
    const before = bot.loopback.requests.length;
    const isBegun = await begun();
    const marker = begin(story);
    await bot.loopback.until(() => isBegun() || undefined, "the model is asked");
    await bot.untilDeadOrIdle();
    const lines = bot.linesSince(forum, marker);
    const requests = bot.loopback.requests.slice(before);
    for (const effect of EFFECTS) {
      const count = requests.filter(
        ({ method, path }) => method === effect.method && effect.pattern.test(path),
      ).length;
      for (let nth = 1; nth <= count; nth += 1) {
        for (const when of ["resetBefore", "resetAfter"] as const) {
          points.push({ story, effect, nth, when, lines });
        }
      }
    }
  }
  expect(points.length).toBeGreaterThan(30);
  const step = isWhole ? 1 : Math.floor(points.length / SAMPLE);
  const wrong: unknown[] = [];
  for (const { story, effect, nth, when, lines } of points.filter((_, i) => i % step === 0)) {
    const { method, route } = effect;
    const isBegun = await begun();
    const onMet = () => bot.kill();
    bot.loopback.faults.inject({ method, route, nth, fault: { kind: when, onMet } });
    const marker = begin(story);
    await bot.loopback.until(() => isBegun() || undefined, "the model is asked, or the bot dies");
    await bot.untilDeadOrIdle();
    bot.loopback.faults.clear();
    if (!bot.isAlive) await bot.start();
    const isRight = () =>
      JSON.stringify(bot.linesSince(forum, marker)) === JSON.stringify(lines) || undefined;
    await bot.loopback.until(isRight, "the channel is as it should be").catch(() => undefined);
    await bot.untilDeadOrIdle();
    const found = bot.linesSince(forum, marker);
    if (JSON.stringify(found) !== JSON.stringify(lines)) {
      wrong.push({ story: story[0], effect, nth, when, found, lines });
    }
  }
  expect(wrong).toEqual([]);
}, 3_600_000);
