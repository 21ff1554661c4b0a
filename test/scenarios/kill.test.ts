/**
 * The process is killed around every write to its database and every visible effect, and started
 * again: the channel must not differ from that of an uninterrupted run. A sample of the points runs
 * always, as many as KILL_POINTS says, or all of them with KILL_POINTS=all.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KillableBot, type KillPoint } from "../support/killing.js";
import {
  completion,
  type EndpointHandler,
  type EndpointRequest,
  failure,
  structured,
} from "../support/modelEndpoint.js";

const wanted = process.env["KILL_POINTS"] ?? "14";
const isWhole = wanted === "all";

interface Scene {
  readonly bot: KillableBot;
  readonly channelId: string;
  /** The message that began it. */
  readonly triggerId: string;
  /** True once for each name in each run. */
  readonly once: (name: string) => boolean;
}

interface Story {
  readonly name: string;
  /** The channel where it begins: the open group's, unless told. The host of the panel is the researcher. */
  readonly at?: "review" | "panel" | "researcher";
  /** Other channels in which something of it stands; threads under all of them are looked at too. */
  readonly also?: readonly string[];
  readonly scores: Readonly<Record<string, number>>;
  /** What an agent says; `said` is how many messages of agents stand there since the trigger. */
  readonly say: (
    speaker: string,
    said: number,
    scene: Scene,
    request: EndpointRequest,
  ) => ReturnType<EndpointHandler>;
}

const paragraph = (letter: string) => `${letter.repeat(40)} `.repeat(40).trim();

const STORIES: readonly Story[] = [
  {
    name: "handoffs",
    scores: { researcher: 0.6, editor: 0.7, planner: 0 },
    say: (speaker, said) =>
      `${speaker} ${said}${["", " @Planner", ""][said] ?? ""}${said === 0 ? " @Planner" : ""}`,
  },
  {
    name: "a long reply in parts",
    scores: { researcher: 0, editor: 0.9, planner: 0 },
    say: () => [paragraph("a"), paragraph("b"), paragraph("c")].join("\n\n"),
  },
  {
    name: "the cap",
    scores: { researcher: 0, editor: 0.9, planner: 0 },
    say: (speaker, said) => `${said} ${speaker === "Editor" ? "@Researcher" : "@Editor"}`,
  },
  {
    name: "a failing turn",
    scores: { researcher: 0.6, editor: 0.9, planner: 0 },
    say: (speaker) => (speaker === "Researcher" ? failure(500, { message: "broken" }) : "I can."),
  },
  {
    name: "a message that waits",
    scores: { researcher: 0, editor: 0.9, planner: 0 },
    say: (_, said, { bot, channelId, once }) => {
      if (once("waiting")) bot.loopback.people.post(bot.loopback.owner.id, channelId, "And this?");
      return `Answer ${said}`;
    },
  },
  {
    name: "a stop",
    scores: { researcher: 0.6, editor: 0.9, planner: 0 },
    say: async (speaker, said, { bot, channelId, once }) => {
      if (speaker === "Researcher") return `Before the stop ${said}`;
      const request = bot.endpoint.requests.at(-1);
      if (once("stop")) bot.loopback.people.post(bot.loopback.owner.id, channelId, "stop");
      await request?.left;
      return "Never posted";
    },
  },
  {
    name: "a hosted round",
    at: "panel",
    scores: {},
    say: (speaker) => {
      if (speaker === "Editor") return failure(500, { message: "broken" });
      return speaker === "Researcher" ? [paragraph("a"), paragraph("b")].join("\n\n") : "Private.";
    },
  },
  {
    name: "an agent that writes to another one",
    at: "researcher",
    also: ["editor"],
    scores: {},
    say(speaker, _, __, { body }) {
      if (speaker === "Editor") return [paragraph("a"), paragraph("b")].join("\n\n");
      const last = body.messages.at(-1);
      if (last?.role === "tool") return "I have asked Editor.";
      if (String(last?.content).includes(paragraph("b"))) return "Editor has answered.";
      const given = JSON.stringify({ to: "Editor", text: "What do you think?" });
      return completion(null, {
        toolCalls: [{ id: "call_1", name: "message_agent", arguments: given }],
      });
    },
  },
];

const EFFECTS = [
  { method: "POST", route: "/webhooks/*" },
  { method: "POST", route: "/channels/:id/messages" },
  { method: "PATCH", route: "/channels/:id/messages/:id" },
  { method: "DELETE", route: "/channels/:id/messages/:id" },
] as const;

let bot: KillableBot;

beforeAll(async () => {
  bot = await KillableBot.open();
  await bot.start();
  const { people, owner, channelId } = bot.loopback;
  const command = (path: string, values: Readonly<Record<string, string>>) =>
    people.command(owner.id, channelId, path, values).answered;
  for (const display_name of ["Researcher", "Editor", "Planner"]) {
    await command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
  await command("group_create", { display_name: "Review", members: "Researcher, Editor, Planner" });
  await command("group_create", {
    display_name: "Panel",
    members: "Researcher, Editor, Planner",
    kind: "hosted",
  });
  await bot.untilDeadOrIdle();
});
afterAll(() => bot.close());

function channelCalled(wanted: string): string {
  const found = [...bot.loopback.world.channels.values()].find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no channel ${wanted}.`);
  return found.id;
}

function channelOf({ at = "review" }: Story): string {
  return channelCalled(at);
}

/** What stands since the trigger in every channel of the story, and in the threads under them. */
function linesOf(story: Story, triggerId: string): readonly string[] {
  const channelIds = [channelOf(story), ...(story.also ?? []).map(channelCalled)];
  const threads = bot.loopback.world
    .threadsOf(bot.loopback.guild.id)
    .filter(({ parentId }) => channelIds.includes(parentId));
  return [...channelIds, ...threads.map(({ id }) => id)].flatMap((id) =>
    bot.linesSince(id, triggerId),
  );
}

/** Sets the story's model up and writes the trigger. */
function begin(story: Story): Scene {
  const done = new Set<string>();
  const scene: { -readonly [K in keyof Scene]: Scene[K] } = {
    bot,
    channelId: channelOf(story),
    triggerId: "0",
    once: (name) => !done.has(name) && done.add(name).size > 0,
  };
  bot.endpoint.respond((request) => {
    if (request.body.response_format !== undefined) return structured(story.scores);
    const speaker = /^You are (.+)\.$/mu.exec(request.system)?.[1] ?? "nobody";
    const said = bot
      .linesSince(channelOf(story), scene.triggerId)
      .filter((line) => /^(Researcher|Editor|Planner): /.test(line)).length;
    return story.say(speaker, said, scene, request);
  });
  const { people, owner } = bot.loopback;
  scene.triggerId = people.post(owner.id, channelOf(story), `Begin: ${story.name}`).id;
  return scene;
}

/** Runs a story to its end without a kill; gives its trigger. */
async function whole(story: Story): Promise<string> {
  const asked = bot.endpoint.requests.length;
  const { triggerId } = begin(story);
  await bot.loopback.until(
    () => bot.endpoint.requests.length > asked || undefined,
    "the model is asked",
  );
  await bot.untilDeadOrIdle();
  return triggerId;
}

/** The channel after a story without a kill, and the points there were. */
async function reference(
  story: Story,
): Promise<{ lines: readonly string[]; points: readonly KillPoint[] }> {
  // What is made only once, such as a webhook or a thread, is there afterwards.
  await whole(story);
  await bot.arm({ nth: 0, when: "before" });
  const before = bot.loopback.requests.length;
  const triggerId = await whole(story);
  const lines = linesOf(story, triggerId);
  const writes = await bot.writes();
  const requests = bot.loopback.requests.slice(before);
  const points: KillPoint[] = [];
  for (const when of ["before", "after"] as const) {
    for (let nth = 1; nth <= writes; nth += 1) points.push({ at: "write", nth, when });
    for (const effect of EFFECTS) {
      const pattern = new RegExp(`^${effect.route.replace("*", ".+").replaceAll(":id", "\\d+")}$`);
      const count = requests.filter(
        ({ method, path }) => method === effect.method && pattern.test(path),
      ).length;
      for (let nth = 1; nth <= count; nth += 1)
        points.push({ at: "request", ...effect, nth, when });
    }
  }
  return { lines, points };
}

/** Runs a story, dies at the point, recovers (dying once more on the way when told so). */
async function interrupted(
  story: Story,
  point: KillPoint,
  again: { readonly nth: number; readonly when: "before" | "after" } | null,
  expected: readonly string[],
): Promise<readonly string[]> {
  // Also takes away what the process may still be armed with.
  await bot.arm(point.at === "write" ? point : { nth: 0, when: "before" });
  if (point.at === "request") {
    const { method, route, nth, when } = point;
    const kind = when === "before" ? "resetBefore" : "resetAfter";
    bot.loopback.faults.inject({ method, route, nth, fault: { kind, onMet: () => bot.kill() } });
  }
  const asked = bot.endpoint.requests.length;
  const { triggerId } = begin(story);
  await bot.loopback.until(
    () => !bot.isAlive || bot.endpoint.requests.length > asked || undefined,
    "the model is asked, or the process dies",
  );
  await bot.untilDeadOrIdle();
  bot.loopback.faults.clear();
  if (!bot.isAlive) await bot.start(again);
  const isRight = () => JSON.stringify(linesOf(story, triggerId)) === JSON.stringify(expected);
  // The recovery may die too, at any moment of it: the one after that is left in peace.
  await untilRightOrDead();
  if (!bot.isAlive) {
    await bot.start();
    await untilRightOrDead();
  }
  await bot.untilDeadOrIdle();
  return linesOf(story, triggerId);

  async function untilRightOrDead(): Promise<void> {
    await bot.loopback
      .until(() => isRight() || !bot.isAlive || undefined, "the channel is as it should be")
      .catch(() => undefined);
  }
}

describe("a process that is killed", () => {
  it("leaves the channel as an uninterrupted run does, wherever it dies", async () => {
    const all: { story: Story; point: KillPoint; lines: readonly string[] }[] = [];
    for (const story of STORIES) {
      const { lines, points } = await reference(story);
      for (const point of points) all.push({ story, point, lines });
    }
    expect(all.length).toBeGreaterThanOrEqual(300);
    const step = isWhole ? 1 : Math.max(1, Math.floor(all.length / Number(wanted)));
    const chosen = all.filter((_, index) => index % step === 0);
    const wrong: unknown[] = [];
    for (const [index, { story, point, lines }] of chosen.entries()) {
      const when = index % 2 === 0 ? "before" : "after";
      const again = index % 3 === 2 ? ({ nth: 1 + (index % 7), when } as const) : null;
      const found = await interrupted(story, point, again, lines).catch((error) => [String(error)]);
      if (JSON.stringify(found) !== JSON.stringify(lines)) {
        wrong.push({ story: story.name, point, again, found, expected: lines });
        // What is left of this one must not disturb the next.
        await bot.untilDeadOrIdle();
      }
    }
    process.stdout.write(`killed at ${chosen.length} of ${all.length} points\n`);
    expect(wrong).toEqual([]);
  }, 3_600_000);
});
