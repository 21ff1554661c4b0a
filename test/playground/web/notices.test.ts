import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentId, asId, type RoundId } from "../../../src/domain/ids.js";
import { noticeText } from "../../../src/domain/notices.js";
import type { RoundState } from "../../../src/domain/round/nextStep.js";
import type { Notice, Step } from "../../../src/domain/round/round.js";
import { statusText } from "../../../src/domain/status.js";
import { parseMarkdown } from "../../../src/playground/web/page/markdown.js";

const a = asId<AgentId>("a");
const floorId = asId<RoundId>("r");
const at = { guildId: asId("1"), channelId: asId("2"), threadId: null } as Extract<
  Notice,
  { type: "unanswered" }
>["at"];
const untilMs = 86_400_000;

/** Every notice in every form that shows a name; `name` is that of whoever is named in it. */
const NOTICES = {
  cap: () => [{ type: "cap", unheard: [a] }],
  turnFailed: () => [
    { type: "turnFailed", agentId: a, failure: "timeout" },
    { type: "turnFailed", agentId: a, failure: "foreign-post" },
    { type: "turnFailed", agentId: a, failure: "empty-post" },
  ],
  judgeFailed: () => [{ type: "judgeFailed", failure: "error", instead: a }],
  mutedNamed: () => [{ type: "mutedNamed", agentIds: [a] }],
  allMuted: () => [{ type: "allMuted" }],
  noParticipants: () => [{ type: "noParticipants" }],
  unreached: () => [{ type: "unreached", agentIds: [a] }],
  silent: () => [{ type: "silent", misses: [{ agentId: a, failure: "empty" }] }],
  late: () => [{ type: "late", agentIds: [a] }],
  debateCut: () => [{ type: "debateCut", pass: 1, passes: 2 }],
  leftOut: () => [
    { type: "leftOut", agentId: a, files: [{ name: "a.png", reason: "no-images" }] },
    { type: "leftOut", agentId: null, files: [{ name: "a.zip", reason: "type" }] },
  ],
  stopped: (name) => [
    { type: "stopped", by: name },
    { type: "stopped", by: name, why: "archived" },
    { type: "stopped", by: name, why: "archived", agentName: name },
    { type: "stopped", by: null, why: "archived", agentName: name },
    { type: "stopped", by: name, why: "budget", budget: { scope: "person", untilMs } },
    { type: "stopped", by: null, why: "left" },
  ],
  stale: () => [{ type: "stale" }],
  floorOpened: (name) => [{ type: "floorOpened", by: name, topic: "Tea" }],
  turnsGranted: (name) =>
    (["round_robin", "selective", "batch"] as const).map((order) => ({
      type: "turnsGranted" as const,
      by: name,
      order,
      agentIds: [a, a],
      rounds: 1,
      instruction: null,
    })),
  voteCalled: (name) => [
    {
      type: "voteCalled",
      by: name,
      ballot: {
        question: name,
        options: [name, "no"],
        voters: [a],
        isSecret: false,
        quorum: null,
      },
    },
  ],
  voteResult: (name) => [
    {
      type: "voteResult",
      result: {
        question: name,
        isSecret: false,
        quorum: null,
        counts: [{ option: "yes", count: 1 }],
        abstained: 0,
        votes: [{ agentId: a, choice: "yes", reason: name }],
      },
    },
  ],
  moderating: (name) => [{ type: "moderating", by: name, hostId: a, goal: "Tea" }],
  moderatorEnded: () => [{ type: "moderatorEnded" }],
  floorClosed: (name) => [
    { type: "floorClosed", by: name, floorId },
    { type: "floorClosed", by: name, floorId, why: "calls" },
    {
      type: "floorClosed",
      by: name,
      floorId,
      why: "ended",
      end: { because: "stopped", by: name },
    },
  ],
  floorPointless: () => [{ type: "floorPointless", why: "nobody" }],
  floorUndone: (name) =>
    (["open", "turns", "vote", "moderate", "close"] as const).map((task) => ({
      type: "floorUndone" as const,
      why: "away" as const,
      by: name,
      task,
    })),
  floorStale: () => [{ type: "floorStale" }],
  stepsUsed: () => [{ type: "stepsUsed", agentId: a }],
  noTools: () => [{ type: "noTools", agentId: a }],
  changed: () => [{ type: "changed", agentId: a, changes: ["**B** is made."] }],
  chainOver: () => [{ type: "chainOver" }],
  unanswered: (name) => [
    { type: "unanswered", agentId: a, at },
    { type: "unanswered", agentId: a, at, because: { type: "stopped", by: name } },
    {
      type: "unanswered",
      agentId: a,
      at,
      answer: "Yes.",
      because: { type: "unsent", name, reason: "It is gone." },
    },
    {
      type: "unanswered",
      agentId: a,
      at,
      because: { type: "stopped", by: name, why: "budget", budget: { scope: "person", untilMs } },
    },
  ],
  noThread: (name) => [{ type: "noThread", name, reason: "It is full." }],
  unsent: (name) => [
    { type: "unsent", name, reason: "It is gone." },
    { type: "unsent", name, reason: "It is gone.", isHeard: true },
  ],
} satisfies { [T in Notice["type"]]: (name: string) => readonly Extract<Notice, { type: T }>[] };

const everyNotice = (name: string): readonly Notice[] =>
  Object.values(NOTICES).flatMap((notices) => [...notices(name)] as readonly Notice[]);

/** What somebody might call themselves to change a line of the bot. */
const hostile = fc
  .oneof(
    fc.constantFrom(
      "[free nitro](https://x.yz)",
      "https://x.yz",
      "discord.gg/abc",
      "**Parley**",
      "_x_ ||y|| ~~z~~",
      "`code`",
      "<@1> <#2> <t:3:f>",
      "@everyone",
      "a\\",
      "a\n# b",
    ),
    fc
      .array(
        fc.constantFrom(
          ..."*_~|`\\[]()<>@#:/.-! \n".split(""),
          "x",
          "1",
          "https://x.yz/",
          "x.yz/",
          "@here",
        ),
        { minLength: 1, maxLength: 12 },
      )
      .map((parts) => parts.join("")),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 32 }),
  )
  .map((name) => name.trim())
  .filter((name) => name !== "" && name.length <= 60);

const TAME = "Somebody";

/** The lines that stand while a round runs and name somebody. */
function statusLines(displayName: string): readonly (string | null)[] {
  const members = [{ agentId: a, name: "a", displayName, isMuted: false }];
  const open = { kind: "open", members, waiting: [a] } as unknown as RoundState;
  const floor = {
    kind: "moderated",
    members,
    hostId: a,
    waiting: [{ agentId: a }],
    turns: 0,
    poll: { ballot: { voters: [a], isSecret: false } },
    moderation: null,
  } as unknown as RoundState;
  const call = { id: "1", name: "agent_list", argumentsJson: "{}" };
  const asking = {
    kind: "hosted",
    phase: "collecting",
    members,
    asked: [a],
    pass: 1,
    passes: 1,
    isDebate: false,
    answers: [{ agentId: a, pass: 1, text: "Yes." }],
  } as unknown as RoundState;
  return [
    statusText({ do: "compose", agentId: a, turn: 0 }, open),
    statusText({ do: "tool", agentId: a, call }, open),
    statusText({ do: "compose", agentId: a, turn: 0 }, floor),
    statusText({ do: "vote", agentId: a, index: 0 }, floor),
    statusText({ do: "moderate", mustClose: false }, floor),
    statusText({ do: "ask" } as Step, asking),
  ];
}

describe("the status line", () => {
  it("shows the same with any name as with a tame one, but for the name", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const shown = (one: string) => statusLines(one).map((line) => parseMarkdown(line ?? ""));
        expect(shown(name)).toEqual(withName(shown(TAME), name.replace(/\s+/gu, " ")));
      }),
    );
  });
});

describe("the bot's notices", () => {
  it("show the same with any name as with a tame one, but for the name", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const shown = (one: string) =>
          everyNotice(one).map((notice) =>
            parseMarkdown(noticeText(notice, { nameOf: () => one, cap: 8 })),
          );
        expect(shown(name)).toEqual(withName(shown(TAME), name.replace(/\s+/gu, " ")));
      }),
    );
  });
});

/** With the name in every text in which the tame one stands. */
function withName(value: unknown, name: string): unknown {
  if (typeof value === "string") return value.replaceAll(TAME, () => name);
  if (Array.isArray(value)) return value.map((one) => withName(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withName(one, name)]));
}
