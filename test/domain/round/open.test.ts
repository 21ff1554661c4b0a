import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentId, asId, type MessageId } from "../../../src/domain/ids.js";
import { MAX_REPLIES } from "../../../src/domain/limits.js";
import { applyEvent, nextStep, type RoundState } from "../../../src/domain/round/nextStep.js";
import type { OpenRound } from "../../../src/domain/round/open.js";
import type { Naming, RoundEvent, RoundMember, Step } from "../../../src/domain/round/round.js";

const agent = (name: string) => asId<AgentId>(name);
const message = (id: number) => asId<MessageId>(String(100_000_000_000_000_000n + BigInt(id)));

type Opened = Extract<RoundEvent, { type: "opened" }>;

function members(names: string, muted = ""): readonly RoundMember[] {
  return names.split("").map((name) => ({
    agentId: agent(name),
    name,
    displayName: name.toUpperCase(),
    isMuted: muted.includes(name),
  }));
}

function opened(
  options: {
    members?: string;
    muted?: string;
    host?: string;
    named?: string;
    cap?: number;
    isAsk?: boolean;
    told?: string;
  } = {},
): Opened {
  const named = (options.named ?? "")
    .split("")
    .map((name): Naming => ({ agentId: agent(name), by: "text", messageId: message(1) }));
  return {
    type: "opened",
    members: members(options.members ?? "abc", options.muted),
    hostId: agent(options.host ?? "a"),
    named,
    triggerIds: [message(1)],
    startedBy: [],
    cap: options.cap ?? MAX_REPLIES,
    isAsk: options.isAsk ?? false,
    toldMuted: (options.told ?? "").split("").map(agent),
  };
}

function judged(scores: Readonly<Record<string, number>> | null): RoundEvent {
  return scores === null
    ? { type: "judged", scores: null, failure: "timeout" }
    : {
        type: "judged",
        scores: Object.entries(scores).map(([name, score]) => ({ agentId: agent(name), score })),
        failure: null,
      };
}

function composed(name: string, handoffs = "", parts = 1): RoundEvent {
  return {
    type: "composed",
    agentId: agent(name),
    displayName: name.toUpperCase(),
    parts: Array.from({ length: parts }, (_, part) => ({
      content: `${name}${part}`,
      share: `${name}${part}`,
      file: null,
    })),
    handoffs: handoffs.split("").map(agent),
    seenThroughId: message(1),
  };
}

const posted = (part = 0): RoundEvent => ({ type: "posted", part, messageId: message(2) });
const failedTurn = (name: string): RoundEvent => ({
  type: "turnFailed",
  agentId: agent(name),
  failure: "timeout",
});
const said = (name: string, handoffs = ""): readonly RoundEvent[] => [
  composed(name, handoffs),
  posted(),
];

function fold(events: readonly RoundEvent[]): OpenRound {
  let state: RoundState | null = null;
  for (const event of events) state = applyEvent("open", state, event);
  if (state?.kind !== "open") throw new Error("no events of an open round");
  return state;
}

/** The next step in short: `compose b`, `announce cap`, `close done`. */
function next(...events: readonly RoundEvent[]): string {
  return brief(nextStep(fold(events)));
}

function brief(step: Step | null): string {
  switch (step?.do) {
    case undefined:
      return "nothing";
    case "judge":
      return `judge ${step.agentIds.join("")}`;
    case "compose":
      return `compose ${step.agentId}`;
    case "post":
      return `post ${step.agentId} ${step.part}`;
    case "tool":
    case "send":
      return step.do;
    case "announce":
      return `announce ${step.notice.type}`;
    case "close":
      return `close ${step.outcome}`;
    case "ask":
    case "endAsking":
    case "vote":
    case "moderate":
    case "enter":
    case "readHistory":
    case "say":
      throw new Error("An open round asks no participants.");
  }
}

describe("who answers", () => {
  it("asks the judge about every member, named ones included", () => {
    expect(next(opened({ named: "b" }))).toBe("judge abc");
  });

  it("does not ask the judge when every member is named", () => {
    expect(next(opened({ named: "cba" }))).toBe("compose a");
  });

  it.each([
    ["a score of exactly 0.5 is enough", { a: 0.5, b: 0.49, c: 0 }, "", "a"],
    ["the most relevant speaks last", { a: 0.9, b: 0.6, c: 0.7 }, "", "bca"],
    ["equal scores keep the member order", { a: 0.7, b: 0.7, c: 0.7 }, "", "abc"],
    ["a named member with a low score speaks first", { a: 0.9, b: 0.6, c: 0.1 }, "c", "cba"],
    ["a named member without a score counts as 0", { a: 0.9, b: 0 }, "c", "ca"],
    ["nobody fits: the host", { a: 0.1, b: 0.2, c: 0.3 }, "", "b"],
    ["no score: the named members in member order", null, "ca", "ac"],
    ["no score and nobody named: the host alone", null, "", "b"],
  ] as const)("%s", (_, scores, named, order) => {
    expect(fold([opened({ named, host: "b" }), judged(scores)]).waiting.join("")).toBe(order);
  });

  it("asks nobody else when one member is asked", () => {
    const start = opened({ named: "b", isAsk: true });
    expect(next(start)).toBe("compose b");
    expect(next(start, ...said("b"))).toBe("close done");
  });

  it("follows no handoff of a member that was asked alone", () => {
    const start = opened({ named: "b", isAsk: true });
    expect(next(start, ...said("b", "ac"))).toBe("close done");
  });

  it("says that a member that was asked is gone, and lets nobody speak in its place", () => {
    const start = opened({ members: "abc", named: "d", isAsk: true });
    expect(next(start)).toBe("announce turnFailed");
    const notice = { type: "turnFailed", agentId: agent("d"), failure: "gone" } as const;
    expect(next(start, { type: "announced", notice, messageId: null })).toBe("close failed");
  });

  it("leaves muted members out of the judging and the speaking", () => {
    expect(next(opened({ muted: "b" }))).toBe("judge ac");
    expect(next(opened({ muted: "a" }), judged({ b: 0, c: 0 }))).toBe("compose b");
  });

  it("says that a named member is muted, then goes on", () => {
    const start = opened({ muted: "b", named: "b" });
    expect(next(start)).toBe("announce mutedNamed");
    const notice = { type: "mutedNamed", agentIds: [agent("b")] } as const;
    expect(next(start, { type: "announced", notice, messageId: null })).toBe("judge ac");
  });

  it("does not say again that a named member is muted", () => {
    expect(next(opened({ muted: "b", named: "b", told: "b" }))).toBe("judge ac");
    expect(next(opened({ muted: "bc", named: "bc", told: "b" }))).toBe("announce mutedNamed");
  });

  it("says it again when nobody else was asked", () => {
    const start = opened({ muted: "b", named: "b", told: "b", isAsk: true });
    expect(next(start)).toBe("announce mutedNamed");
    const notice = { type: "mutedNamed", agentIds: [agent("b")] } as const;
    expect(next(start, { type: "announced", notice, messageId: null })).toBe("close done");
  });

  it("says that all are muted instead of keeping silent", () => {
    const start = opened({ muted: "abc" });
    expect(next(start)).toBe("announce allMuted");
    const notice = { type: "allMuted" } as const;
    expect(next(start, { type: "announced", notice, messageId: null })).toBe("close done");
  });
});

describe("turns", () => {
  const start = [opened(), judged({ a: 0.5, b: 0.6, c: 0.7 })];

  it("posts every part in order before the next member composes", () => {
    const first = composed("a", "", 2);
    expect(next(...start, first)).toBe("post a 0");
    expect(next(...start, first, posted(0))).toBe("post a 1");
    expect(next(...start, first, posted(0), posted(1))).toBe("compose b");
  });

  it.each([
    ["moves a waiting member to the front", "c", "cb"],
    ["takes the order named", "cb", "cb"],
    ["never hands to the speaker itself", "a", "bc"],
    ["puts a stranger nowhere", "x", "bc"],
  ])("a handoff %s", (_, handoffs, order) => {
    expect(fold([...start, ...said("a", handoffs)]).waiting.join("")).toBe(order);
  });

  it("gives a member that has spoken before the word again", () => {
    expect(fold([...start, ...said("a"), ...said("b", "a")]).waiting.join("")).toBe("ac");
  });

  it("does not hand to a muted member", () => {
    const muted = [opened({ muted: "c" }), judged({ a: 0.5, b: 0.6 })];
    expect(fold([...muted, ...said("a", "c")]).waiting.join("")).toBe("b");
  });

  it("closes when nobody waits", () => {
    expect(next(...start, ...said("a"), ...said("b"), ...said("c"))).toBe("close done");
  });
});

describe("failed turns", () => {
  const start = [opened(), judged({ a: 0.5, b: 0.6 })];
  const notice = { type: "turnFailed", agentId: agent("a"), failure: "timeout" } as const;
  const told: RoundEvent = { type: "announced", notice, messageId: null };

  it("are said at once, and the others go on", () => {
    expect(next(...start, failedTurn("a"))).toBe("announce turnFailed");
    expect(next(...start, failedTurn("a"), told)).toBe("compose b");
  });

  it("are not tried again, not even by a handoff", () => {
    expect(next(...start, failedTurn("a"), told, ...said("b", "a"))).toBe("close done");
  });

  it("do not count as replies", () => {
    expect(fold([...start, failedTurn("a"), told]).replies).toBe(0);
  });

  it("close the round as failed when every turn failed", () => {
    const alone = [opened(), judged({ a: 0.5 }), failedTurn("a"), told];
    expect(next(...alone)).toBe("close failed");
  });

  it("end a reply that could only be posted in part", () => {
    const half = [...start, composed("a", "c", 2), posted(0), failedTurn("a"), told];
    expect(fold(half).waiting.join("")).toBe("b");
  });
});

describe("the cap", () => {
  const pingPong = (replies: number) => {
    const events: RoundEvent[] = [opened({ named: "ab", members: "ab" })];
    for (let i = 0; i < replies; i += 1) {
      events.push(...(i % 2 === 0 ? said("a", "b") : said("b", "a")));
    }
    return events;
  };

  it("lets eight replies through and no more, however they hand over", () => {
    expect(next(...pingPong(7))).toBe("compose b");
    expect(next(...pingPong(8))).toBe("announce cap");
  });

  it("names who was not heard, then closes", () => {
    const step = nextStep(fold(pingPong(8)));
    if (step?.do !== "announce") throw new Error("no notice");
    expect(step.notice).toEqual({ type: "cap", unheard: [agent("a")] });
    const after: RoundEvent = { type: "announced", notice: step.notice, messageId: null };
    expect(next(...pingPong(8), after)).toBe("close cap");
  });

  it("is silent when nobody was waiting after the last reply", () => {
    expect(next(...pingPong(7), ...said("b"))).toBe("close done");
  });

  it("can be lowered", () => {
    const start = [opened({ named: "abc", cap: 1 })];
    expect(next(...start, ...said("a"))).toBe("announce cap");
  });
});

describe("the end", () => {
  const start = [opened(), judged({ a: 0.5, b: 0.6 })];
  const stopped: RoundEvent = { type: "stopped", by: "Ana", userId: null };

  it("a stop leaves nothing to do but say so", () => {
    expect(next(...start, composed("a", "", 3), posted(0), stopped)).toBe("announce stopped");
    const notice = { type: "stopped", by: "Ana" } as const;
    const told: RoundEvent = { type: "announced", notice, messageId: null };
    expect(next(...start, stopped, told)).toBe("close stopped");
  });

  it("a round that is too old says so and closes", () => {
    expect(next(...start, { type: "expired" })).toBe("announce stale");
  });

  it("nothing follows the closing", () => {
    expect(next(...start, { type: "closed", outcome: "unreachable" })).toBe("nothing");
  });
});

describe("any round", () => {
  const names = fc.constantFrom("a", "b", "c", "d");
  const handoffs = fc.array(names, { maxLength: 4 }).map((list) => list.join(""));

  it("ends, with at most eight replies and a step for every state on the way", () => {
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.double({ min: 0, max: 1, noNaN: true })),
        fc.infiniteStream(
          fc.record({ handoffs, isFailing: fc.boolean(), parts: fc.integer({ min: 1, max: 3 }) }),
        ),
        fc.array(names, { maxLength: 3 }),
        (scores, behaviour, named) => {
          const events: RoundEvent[] = [opened({ members: "abcd", named: named.join("") })];
          let step = nextStep(fold(events));
          for (let steps = 0; step !== null; steps += 1) {
            if (steps > 200) throw new Error("The round does not end.");
            events.push(answer(step, scores, behaviour.next().value));
            step = nextStep(fold(events));
          }
          const end = fold(events);
          expect(end.replies).toBeLessThanOrEqual(MAX_REPLIES);
          expect(events.filter((event) => event.type === "closed")).toHaveLength(1);
          const speakers = events.filter((event) => event.type === "turnFailed");
          expect(new Set(speakers.map((event) => event.agentId)).size).toBe(speakers.length);
        },
      ),
    );
  });

  function answer(
    step: Step,
    scores: Readonly<Record<string, number>>,
    behaviour: { handoffs: string; isFailing: boolean; parts: number } | undefined,
  ): RoundEvent {
    switch (step.do) {
      case "judge":
        return judged(scores);
      case "compose":
        return behaviour?.isFailing === true
          ? failedTurn(step.agentId)
          : composed(step.agentId, behaviour?.handoffs, behaviour?.parts);
      case "post":
        return posted(step.part);
      case "announce":
        return { type: "announced", notice: step.notice, messageId: null };
      case "close":
        return { type: "closed", outcome: step.outcome };
      case "tool":
      case "send":
      case "ask":
      case "endAsking":
      case "vote":
      case "moderate":
      case "enter":
      case "readHistory":
      case "say":
        throw new Error("An open round asks no participants.");
    }
  }
});
