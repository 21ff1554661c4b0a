import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FloorTask } from "../../../src/domain/floor.js";
import { type AgentId, asId, type MessageId, type RoundId } from "../../../src/domain/ids.js";
import {
  MAX_GRANTED_TURNS,
  MAX_IDLE_REPLIES,
  MAX_MODERATOR_CALLS,
  MAX_MODERATOR_POSTS,
  MAX_MODERATOR_VOTES,
} from "../../../src/domain/limits.js";
import { entering, type FloorFound } from "../../../src/domain/round/entering.js";
import type { ModeratedRound } from "../../../src/domain/round/moderated.js";
import { applyEvent, nextStep } from "../../../src/domain/round/nextStep.js";
import type { RoundEvent, Step } from "../../../src/domain/round/round.js";

const agent = (name: string) => asId<AgentId>(name);
const NAMES = ["a", "b", "c"];

function opened(task: FloorTask, muted = ""): RoundEvent {
  return {
    type: "opened",
    members: NAMES.map((name) => ({
      agentId: agent(name),
      name,
      displayName: name.toUpperCase(),
      isMuted: muted.includes(name),
    })),
    hostId: agent("a"),
    named: [],
    triggerIds: [],
    startedBy: [],
    cap: 8,
    isAsk: false,
    floor: { floorId: asId<RoundId>("f1"), topic: "Tea", by: "Ana", task },
  };
}

const YES_NO = { question: "Q", options: ["Yes", "No"] };
const turns = (order: string): FloorTask => ({
  do: "turns",
  order: "selective",
  turns: order.split("").map(agent),
  rounds: 1,
  instruction: "Be brief.",
});
const vote = (change: object = {}): FloorTask => ({
  do: "vote",
  ballot: {
    question: "Tea?",
    options: ["Yes", "No"],
    voters: NAMES.map(agent),
    isSecret: false,
    quorum: null,
    ...change,
  },
});
const composed = (name: string, parts = 1): RoundEvent => ({
  type: "composed",
  agentId: agent(name),
  displayName: name.toUpperCase(),
  parts: Array.from({ length: parts }, (_, part) => ({
    content: `${name}${part}`,
    share: `${name}${part}`,
    file: null,
  })),
  handoffs: [agent("c")],
  seenThroughId: asId<MessageId>("1"),
});
const posted = (part = 0): RoundEvent => ({
  type: "posted",
  part,
  messageId: asId<MessageId>("2"),
});
const failed = (name: string): RoundEvent => ({
  type: "turnFailed",
  agentId: agent(name),
  failure: "timeout",
});
const voted = (name: string, choice: string | null): RoundEvent => ({
  type: "voted",
  agentId: agent(name),
  choice,
  reason: null,
  failure: null,
  isSecret: false,
});
const moderated = (...calls: readonly (readonly [string, unknown])[]): RoundEvent => ({
  type: "moderated",
  text: "",
  calls: calls.map(([name, given], index) => ({
    id: `call-${index}`,
    name,
    argumentsJson: typeof given === "string" ? given : JSON.stringify(given),
  })),
  failure: null,
});

/** The floor is open, and everybody is there as when the command was given. */
function entered(
  { floor, members, hostId }: ModeratedRound,
  change: Partial<FloorFound> = {},
): RoundEvent {
  const open = { floorId: asId<RoundId>("f1"), topic: floor.task.do === "open" ? null : "Tea" };
  return entering(asId("r1"), floor, { open, members, hostId, ...change });
}

function fold(events: readonly RoundEvent[]): ModeratedRound {
  let state: ModeratedRound | null = null;
  for (const event of events) state = foldOne(state, event);
  if (state === null) throw new Error("no events");
  return state;
}

function foldOne(before: ModeratedRound | null, event: RoundEvent): ModeratedRound {
  const state = applyEvent("moderated", before, event);
  if (state.kind !== "moderated") throw new Error("no moderated round");
  return state;
}

/** It comes to its turn, and everything that is said is said, until something else is next. */
function listen(events: readonly RoundEvent[]): readonly RoundEvent[] {
  const state = fold(events);
  const step = nextStep(state);
  if (step?.do === "enter") return listen([...events, entered(state)]);
  if (step?.do !== "announce") return events;
  return listen([...events, { type: "announced", notice: step.notice, messageId: null }]);
}

/** The notices that were said, and the step after them. */
function next(...events: readonly RoundEvent[]): readonly string[] {
  let soFar: readonly RoundEvent[] = [];
  for (const event of events) soFar = listen([...soFar, event]);
  return saidIn(soFar);
}

function saidIn(soFar: readonly RoundEvent[]): readonly string[] {
  const said = soFar.flatMap((event) => (event.type === "announced" ? [event.notice.type] : []));
  return [...said, brief(nextStep(fold(soFar)))];
}

function brief(step: Step | null): string {
  if (step === null) return "nothing";
  const { do: what, ...rest } = step;
  return [what, ...Object.values(rest)].join(" ");
}

/** What the moderating host was told, by the end of these events. */
function told(...events: readonly RoundEvent[]): readonly string[] {
  let soFar: readonly RoundEvent[] = [];
  for (const event of events) soFar = listen([...soFar, event]);
  return fold(soFar).moderation?.exchanges.flatMap(({ answers }) => answers) ?? [];
}

describe("turns", () => {
  const start = opened(turns("ab"));

  it.each<[string, readonly RoundEvent[], readonly string[]]>([
    ["begin with the first of the plan", [], ["turnsGranted", "compose a 0"]],
    ["are posted before the next one begins", [composed("a")], ["turnsGranted", "post a 0 0"]],
    [
      "follow each other, whomever a reply names",
      [composed("a"), posted()],
      ["turnsGranted", "compose b 1"],
    ],
    [
      "end with the last of the plan",
      [composed("a"), posted(), composed("b"), posted()],
      ["turnsGranted", "close done"],
    ],
    ["go on after one that failed", [failed("a")], ["turnsGranted", "turnFailed", "compose b 1"]],
    [
      "go on after one that could not be posted",
      [composed("a"), failed("a")],
      ["turnsGranted", "turnFailed", "compose b 1"],
    ],
    [
      "have failed when all did",
      [failed("a"), failed("b")],
      ["turnsGranted", "turnFailed", "turnFailed", "close failed"],
    ],
    [
      "stop at once",
      [composed("a"), { type: "stopped", by: "Ben", userId: null }],
      ["turnsGranted", "stopped", "close stopped"],
    ],
    [
      "are too old after a long absence",
      [{ type: "expired" }],
      ["turnsGranted", "floorUndone", "close stale"],
    ],
  ])("%s", (_what, events, expected) => {
    expect(next(start, ...events)).toEqual(expected);
  });

  it("in order are given in each round also to a member that failed in the one before", () => {
    const task = { ...turns("abab"), order: "round_robin", rounds: 2 } as const;
    const one = [opened(task), failed("a"), composed("b"), posted()];
    expect(next(...one).at(-1)).toBe("compose a 2");
    expect(next(...one, failed("a")).at(-1)).toBe("compose b 3");
    const gone: RoundEvent = { type: "turnFailed", agentId: agent("a"), failure: "gone" };
    expect(next(opened(task), gone, composed("b"), posted()).at(-1)).toBe("compose b 2");
  });

  it("of a selection skip all further ones of a member that failed", () => {
    expect(next(opened(turns("abab")), failed("a"), composed("b"), posted())).toEqual([
      "turnsGranted",
      "turnFailed",
      "compose b 2",
    ]);
  });

  it("hold a reply until all its messages stand", () => {
    const start = [opened(turns("ab")), composed("a", 2)];
    expect(next(...start, posted()).at(-1)).toBe("post a 0 1");
    expect(next(...start, posted(), posted(1)).at(-1)).toBe("compose b 1");
  });
});

describe("opening and closing", () => {
  it.each<[string, FloorTask, readonly RoundEvent[], readonly string[]]>([
    ["the opening is said, and that is all", { do: "open" }, [], ["floorOpened", "close done"]],
    ["the closing too", { do: "close", hasSummary: false }, [], ["floorClosed", "close done"]],
    ["a summary is the host's", { do: "close", hasSummary: true }, [], ["compose a 0"]],
    [
      "the closing follows the summary",
      { do: "close", hasSummary: true },
      [composed("a"), posted()],
      ["floorClosed", "close done"],
    ],
    [
      "and a summary that failed",
      { do: "close", hasSummary: true },
      [failed("a")],
      ["turnFailed", "floorClosed", "close done"],
    ],
  ])("%s", (_what, task, events, expected) => {
    expect(next(opened(task), ...events)).toEqual(expected);
  });
});

describe("coming to its turn", () => {
  const open = { floorId: asId<RoundId>("f0"), topic: "Coffee" };
  const members = (names: string, muted = "") =>
    names.split("").map((name) => ({
      agentId: agent(name),
      name,
      displayName: name.toUpperCase(),
      isMuted: muted.includes(name),
    }));
  const moderate: FloorTask = { do: "moderate", goal: "Decide." };
  const close: FloorTask = { do: "close", hasSummary: false };
  const after = (task: FloorTask, found: Partial<FloorFound>) => {
    const start = opened(task);
    return [start, entered(fold([start]), found)];
  };

  it.each<[string, FloorTask, Partial<FloorFound>, readonly string[]]>([
    ["opens no second floor", { do: "open" }, { open }, ["floorPointless", "close done"]],
    [
      "gives a floor without a topic one",
      { do: "open" },
      { open: { ...open, topic: null } },
      ["floorOpened", "close done"],
    ],
    [
      "opens the floor that an older version has opened with it",
      { do: "open" },
      { open: { ...open, floorId: asId("r1") } },
      ["floorOpened", "close done"],
    ],
    ["closes no floor that is closed", close, { open: null }, ["floorPointless", "close done"]],
    [
      "passes over who is no member any more, or muted",
      turns("abcb"),
      { members: members("bc", "c") },
      ["turnsGranted", "compose b 0"],
    ],
    [
      "gives no turn when nobody is left",
      turns("ab"),
      { members: members("bc", "b") },
      ["floorPointless", "close done"],
    ],
    ["has nobody vote who has left", vote(), { members: members("c") }, ["voteCalled", "vote c 0"]],
    [
      "holds no vote when nobody is left",
      vote({ voters: [agent("a")] }),
      { members: members("bc") },
      ["floorPointless", "close done"],
    ],
    [
      "holds no secret vote of a single voter",
      vote({ isSecret: true }),
      { members: members("abc", "ab") },
      ["floorPointless", "close done"],
    ],
    [
      "does not have a muted host moderate",
      moderate,
      { members: members("abc", "a") },
      ["floorPointless", "close done"],
    ],
  ])("%s", (_what, task, found, expected) => {
    expect(saidIn(listen(after(task, found)))).toEqual(expected);
  });

  it("belongs to the floor that is open by then, and opens one only where none is", () => {
    const events = after(turns("ab"), { open });
    expect(events[1]).toMatchObject({ ...open, opensFor: null });
    expect(fold(events).floor).toMatchObject(open);
    const fresh = after(turns("ab"), { open: null });
    expect(fresh[1]).toMatchObject({ floorId: "r1", opensFor: "Ana" });
    const [closing] = fold(after(close, { open })).notices;
    expect(closing).toMatchObject({ type: "floorClosed", floorId: "f0" });
  });

  it("is moderated by the host of now", () => {
    const events = after(moderate, { hostId: agent("b") });
    expect(fold(events).hostId).toBe("b");
  });

  it("has happened in journals of old, which do not tell of it", () => {
    const start = opened(turns("ab"));
    const said: RoundEvent = {
      type: "announced",
      notice: {
        type: "turnsGranted",
        by: "Ana",
        order: "selective",
        agentIds: [agent("a"), agent("b")],
        rounds: 1,
        instruction: "Be brief.",
      },
      messageId: null,
    };
    expect(brief(nextStep(fold([start, said])))).toBe("compose a 0");
    const stopped: RoundEvent = { type: "stopped", by: "Ben", userId: null };
    expect(saidIn(listen([start, stopped]))).toEqual(["stopped", "close stopped"]);
  });
});

describe("a vote", () => {
  it("asks one after another and says the result when the last one has answered", () => {
    const start = [opened(vote()), voted("a", "Yes")];
    expect(next(...start)).toEqual(["voteCalled", "vote b 1"]);
    const events = [...start, voted("b", null), voted("c", "Yes")];
    expect(next(...events)).toEqual(["voteCalled", "voteResult", "close done"]);
    const [result] = fold(listen(events)).results;
    expect(result?.result.counts.map(({ count }) => count)).toEqual([2, 0]);
    expect(result?.result.abstained).toBe(1);
  });

  it("keeps what a recount needs of a secret one, and shows counts only", () => {
    const events = [opened(vote({ isSecret: true })), ...NAMES.map((name) => voted(name, "No"))];
    const state = fold(events);
    expect(state.results[0]?.votes).toHaveLength(3);
    expect(JSON.stringify(state.notices)).not.toContain('"votes":[');
  });
});

describe("a moderating host", () => {
  const start = opened({ do: "moderate", goal: "Decide." });

  it.each<[string, readonly RoundEvent[], readonly string[]]>([
    ["is asked what to do", [], ["moderating", "moderate false"]],
    [
      "gives a turn",
      [moderated(["grant_turn", { agent: "b" }])],
      ["moderating", "turnsGranted", "compose b 0"],
    ],
    [
      "is asked again when the turn is over",
      [moderated(["grant_turn", { agent: "B" }]), composed("b"), posted()],
      ["moderating", "turnsGranted", "moderate false"],
    ],
    [
      "is asked again when the turn failed",
      [moderated(["grant_turn", { agent: "b" }]), failed("b")],
      ["moderating", "turnsGranted", "turnFailed", "moderate false"],
    ],
    [
      "holds a vote",
      [moderated(["hold_vote", { question: "Tea?", options: ["Yes", "No"] }])],
      ["moderating", "voteCalled", "vote a 0"],
    ],
    ["reads", [moderated(["read_history", { limit: "99" }])], ["moderating", "readHistory 50"]],
    ["posts", [moderated(["post", { text: "Well." }])], ["moderating", "say a Well."]],
    [
      "does one thing after the other",
      [
        moderated(["grant_turn", { agent: "b" }], ["grant_turn", { agent: "c" }]),
        composed("b"),
        posted(),
      ],
      ["moderating", "turnsGranted", "turnsGranted", "compose c 1"],
    ],
    ["closes", [moderated(["close", {}])], ["moderating", "floorClosed", "close done"]],
    [
      "says its summary before the closing",
      [moderated(["close", { summary: "Tea." }]), composed("a"), posted()],
      ["moderating", "floorClosed", "close done"],
    ],
    [
      "does nothing after closing",
      [moderated(["close", {}], ["grant_turn", { agent: "b" }])],
      ["moderating", "floorClosed", "close done"],
    ],
    [
      "is asked once more when its model failed",
      [{ type: "moderated", text: "", calls: [], failure: "timeout" }],
      ["moderating", "moderate false"],
    ],
    [
      "ends when its model failed twice, and the floor is closed",
      [
        { type: "moderated", text: "", calls: [], failure: "timeout" },
        { type: "moderated", text: "", calls: [], failure: "error" },
      ],
      ["moderating", "floorClosed", "close failed"],
    ],
    [
      "may go wrong a few times in a row",
      [
        moderated(),
        moderated(["fly", {}]),
        moderated(["grant_turn", { agent: "zoe" }]),
        moderated(),
      ],
      ["moderating", "moderate false"],
    ],
    [
      "stops at once",
      [moderated(["grant_turn", { agent: "b" }]), { type: "stopped", by: "Ben", userId: null }],
      ["moderating", "turnsGranted", "stopped", "floorClosed", "close stopped"],
    ],
    [
      "is too old after a long absence",
      [{ type: "expired" }],
      ["moderating", "floorUndone", "floorClosed", "close stale"],
    ],
    [
      "ends when nobody can post here",
      [
        moderated(["grant_turn", { agent: "b" }]),
        composed("b"),
        { type: "turnFailed", agentId: agent("b"), failure: "forbidden", isForAll: true },
      ],
      ["moderating", "turnsGranted", "turnFailed", "floorClosed", "close failed"],
    ],
  ])("%s", (_what, events, expected) => {
    expect(next(start, ...events)).toEqual(expected);
  });

  const stop: RoundEvent = { type: "stopped", by: "Ben", userId: null };
  it.each<[string, readonly RoundEvent[], readonly string[]]>([
    ["before it has begun", [start, stop], ["stopped"]],
    [
      "between its summary and the closing",
      [
        ...listen([start]),
        moderated(["close", { summary: "Tea." }]),
        composed("a"),
        posted(),
        stop,
      ],
      ["moderating", "stopped", "floorClosed"],
    ],
    [
      "when its floor is closed",
      [...listen(listen([start]).concat(moderated(["close", {}]))), stop],
      ["moderating", "floorClosed", "stopped"],
    ],
  ])("that is stopped %s closes its floor once at most", (_when, events, said) => {
    expect(saidIn(listen(events))).toEqual([...said, "close stopped"]);
  });

  it.each<[string, readonly RoundEvent[], string]>([
    ["silent", Array.from({ length: MAX_IDLE_REPLIES }, () => moderated()), "silent"],
    ["wrong", Array.from({ length: MAX_IDLE_REPLIES }, () => moderated(["fly", {}])), "wrong"],
    [
      "one and the other",
      [moderated(), ...Array.from({ length: MAX_IDLE_REPLIES - 1 }, () => moderated(["fly", {}]))],
      "idle",
    ],
    [
      "without a further message to post",
      Array.from({ length: MAX_MODERATOR_POSTS + MAX_IDLE_REPLIES }, (_, index) =>
        index < MAX_MODERATOR_POSTS
          ? [moderated(["post", { text: "Well." }]), composed("a"), posted()]
          : [moderated(["post", { text: "Well." }])],
      ).flat(),
      "posts",
    ],
    [
      "without a further vote to hold",
      Array.from({ length: MAX_MODERATOR_VOTES + MAX_IDLE_REPLIES }, (_, index) => {
        const asking = moderated(["hold_vote", { ...YES_NO, agents: ["b"] }]);
        return index < MAX_MODERATOR_VOTES ? [asking, voted("b", "Yes")] : [asking];
      }).flat(),
      "votes",
    ],
    [
      "only reading",
      Array.from({ length: MAX_MODERATOR_CALLS }, (): RoundEvent[] => [
        moderated(["read_history", {}]),
        { type: "historyRead", text: "…" },
      ])
        .flat()
        .slice(0, -1),
      "calls",
    ],
    [
      "without its model",
      [
        { type: "moderated", text: "", calls: [], failure: "timeout" },
        { type: "moderated", text: "", calls: [], failure: "error" },
      ],
      "error",
    ],
  ])("that is %s too often is ended for that reason", (_what, events, why) => {
    let soFar = listen([start]);
    for (const event of events) soFar = listen([...soFar, event]);
    expect(nextStep(fold(soFar.slice(0, -1)))).toMatchObject({
      do: "announce",
      notice: { type: "floorClosed", by: "A", why },
    });
    expect(nextStep(fold(soFar))).toMatchObject({ do: "close" });
  });

  it("is told of every call of a reply, also of those that are too many", () => {
    const calls = Array.from({ length: 40 }, () => ["grant_turn", { agent: "zoe" }] as const);
    const answers = told(start, moderated(...calls));
    expect(answers).toHaveLength(40);
    expect(answers[15]).toContain("must be a member");
    expect(answers[16]).toContain("at most 16 calls of one reply are carried out");
  });

  it("closes by no call that is not carried out", () => {
    const calls = [
      ...Array.from({ length: 16 }, () => ["fly", {}] as const),
      ["close", {}] as const,
    ];
    expect(next(start, moderated(...calls)).at(-1)).toBe("moderate false");
  });

  it("had its end told apart from the closing in journals of old", () => {
    const failure: RoundEvent = { type: "moderated", text: "", calls: [], failure: "error" };
    const ended: RoundEvent = {
      type: "announced",
      notice: { type: "moderatorEnded" },
      messageId: null,
    };
    const old = [...listen([start]), failure, failure, ended];
    expect(saidIn(listen(old)).slice(-2)).toEqual(["floorClosed", "close failed"]);
    const closed: RoundEvent = { type: "closed", outcome: "failed" };
    expect(nextStep(fold([...old, closed]))).toBeNull();
  });

  it.each<[string, readonly [string, unknown], string]>([
    ["an unknown tool", ["fly", {}], 'There is no tool "fly"'],
    ["a stranger", ["grant_turn", { agent: "zoe" }], "must be a member: a, b"],
    ["a muted member", ["grant_turn", { agent: "c" }], "C is muted"],
    ["no member at all", ["grant_turn", {}], "must be a member"],
    ["arguments that are no JSON", ["grant_turn", "{"], "not valid JSON"],
    ["arguments that are no object", ["grant_turn", "[]"], "must be a JSON object"],
    [
      "an instruction that is no text",
      ["grant_turn", { agent: "b", instruction: 1 }],
      "must be a text",
    ],
    ["one option", ["hold_vote", { question: "Q", options: ["Yes"] }], "2 to 10 options"],
    [
      "options that are no list",
      ["hold_vote", { question: "Q", options: "Yes, No" }],
      "list of texts",
    ],
    [
      "an empty question",
      ["hold_vote", { question: " ", options: ["Y", "N"] }],
      "must not be empty",
    ],
    ["an empty post", ["post", { text: "" }], "must not be empty"],
    [
      "an argument that is not known",
      ["grant_turn", { agent: "b", rounds: 2 }],
      "grant_turn has no argument `rounds`. There are: `agent`, `instruction`.",
    ],
    ["a voter that is muted", ["hold_vote", { ...YES_NO, agents: ["b", "c"] }], "C is muted"],
    ["a voter twice", ["hold_vote", { ...YES_NO, agents: ["b", "B"] }], "in the list twice"],
    ["a quorum too high", ["hold_vote", { ...YES_NO, quorum: 3 }], "from 1 to 2"],
    ["a secret that is a text", ["hold_vote", { ...YES_NO, secret: "yes" }], "true or false"],
    ["a limit that is none", ["read_history", { limit: "many" }], "number from 1 to 50"],
  ])("is told why not: %s", (_what, call, sentence) => {
    const [answer] = told(opened({ do: "moderate", goal: "Decide." }, "c"), moderated(call));
    expect(answer).toContain(sentence);
  });

  it("holds a vote of those it names, secret and with a quorum", () => {
    const call: readonly [string, unknown] = [
      "hold_vote",
      { ...YES_NO, agents: ["c", "b"], secret: true, quorum: 2 },
    ];
    const events = [start, moderated(call), voted("c", "Yes"), voted("b", "Yes")];
    const [result] = told(...events);
    expect(result).toContain('"Yes": 2');
    expect(result).not.toContain("voted");
    const few = told(start, moderated(call), voted("c", "Yes"), voted("b", null));
    expect(few[0]).toContain("the quorum is 2, and 1 vote was cast");
  });

  it("is told what a member said, and what came out of a vote", () => {
    const events = [
      start,
      moderated(
        ["grant_turn", { agent: "b" }],
        ["hold_vote", { question: "Tea?", options: ["Yes", "No"] }],
      ),
      composed("b"),
      posted(),
      ...NAMES.map((name) => voted(name, "Yes")),
    ];
    const [said, result] = told(...events);
    expect(said).toBe("B said: b0");
    expect(result).toContain('"Yes": 3');
  });

  it("gives 24 turns, may only close then, and is closed when it does not", () => {
    const turn = [moderated(["grant_turn", { agent: "b" }]), composed("b"), posted()];
    const all = Array.from({ length: MAX_GRANTED_TURNS }, () => turn).flat();
    expect(next(start, ...all).at(-1)).toBe("moderate true");
    expect(next(start, ...all, moderated(["close", {}])).at(-1)).toBe("close done");
    const end = next(start, ...all, moderated(["grant_turn", { agent: "b" }]));
    expect(end.slice(-2)).toEqual(["floorClosed", "close done"]);
  });
});

describe("any moderated round", () => {
  const call = fc.oneof(
    fc.record({
      name: fc.constant("grant_turn"),
      given: fc.record({ agent: fc.constantFrom("a", "b", "zoe") }),
    }),
    fc.record({
      name: fc.constant("hold_vote"),
      given: fc.constant({ question: "Q", options: ["Y", "N"] }),
    }),
    fc.record({ name: fc.constant("post"), given: fc.constant({ text: "Well." }) }),
    fc.record({ name: fc.constantFrom("read_history", "fly"), given: fc.constant({}) }),
  );
  const behaviour = fc.record({ calls: fc.array(call, { maxLength: 4 }), isFailing: fc.boolean() });

  it("ends, and gives at most 24 turns whatever the host's model wants", () => {
    fc.assert(
      fc.property(fc.infiniteStream(behaviour), (stream) => {
        const events = [opened({ do: "moderate", goal: "Decide." })];
        let state = fold(events);
        for (let step = nextStep(state); step !== null; step = nextStep(state)) {
          if (events.length > 3_000) throw new Error("The round does not end.");
          const event = answer(step, state, stream.next().value);
          events.push(event);
          state = foldOne(state, event);
        }
        const granted = events.filter(
          (one) => one.type === "announced" && one.notice.type === "turnsGranted",
        );
        expect(granted.length).toBeLessThanOrEqual(MAX_GRANTED_TURNS);
        const asked = events.filter((one) => one.type === "moderated" && one.failure === null);
        expect(asked.length).toBeLessThanOrEqual(MAX_MODERATOR_CALLS);
      }),
      { numRuns: 20 },
    );
  });

  function answer(
    step: Step,
    state: ModeratedRound,
    given: { calls: readonly { name: string; given: object }[]; isFailing: boolean } | undefined,
  ): RoundEvent {
    switch (step.do) {
      case "enter":
        return entered(state);
      case "announce":
        return { type: "announced", notice: step.notice, messageId: null };
      case "compose":
        return given?.isFailing === true ? failed(step.agentId) : composed(step.agentId);
      case "say":
        return composed(step.agentId);
      case "post":
        return posted(step.part);
      case "vote":
        return voted(step.agentId, given?.isFailing === true ? null : "Y");
      case "readHistory":
        return { type: "historyRead", text: "…" };
      case "moderate":
        return moderated(...(given?.calls ?? []).map((one) => [one.name, one.given] as const));
      case "close":
        return { type: "closed", outcome: step.outcome };
      default:
        throw new Error(`A moderated round does not ${step.do}.`);
    }
  }
});
