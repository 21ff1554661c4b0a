import { describe, expect, it } from "vitest";
import type { Chain } from "../../../src/domain/chain.js";
import {
  type AgentId,
  asId,
  type ChannelId,
  type GuildId,
  type MessageId,
  type RoundId,
  type ThreadId,
  type UserId,
} from "../../../src/domain/ids.js";
import { MAX_TOOL_STEPS } from "../../../src/domain/limits.js";
import type { Place } from "../../../src/domain/message.js";
import { type DirectRound, stepsLeft } from "../../../src/domain/round/direct.js";
import { applyEvent, nextStep, type RoundState } from "../../../src/domain/round/nextStep.js";
import type { RoundEvent } from "../../../src/domain/round/round.js";
import type { OutgoingPost } from "../../../src/domain/round/toolUse.js";

const agent = (name: string) => asId<AgentId>(name);
const message = (id: number) => asId<MessageId>(String(100_000_000_000_000_000n + BigInt(id)));
const place = (channel: string): Place => ({
  guildId: asId<GuildId>("1"),
  channelId: asId<ChannelId>(channel),
  threadId: null,
});
const THREAD = asId<ThreadId>("77");

const REQUEST: Chain = {
  role: "request",
  id: asId<RoundId>("r0"),
  startedBy: { userId: asId<UserId>("9"), name: "Ana" },
  depth: 1,
  fromId: agent("b"),
  fromName: "B",
  about: "When?",
  back: place("bb"),
  threadId: THREAD,
};

const opened = (chain?: Chain): RoundEvent => ({
  type: "opened",
  members: [{ agentId: agent("a"), name: "a", displayName: "A", isMuted: false }],
  hostId: agent("a"),
  named: [],
  triggerIds: [message(1)],
  startedBy: [asId<UserId>("9")],
  cap: 1,
  isAsk: false,
  ...(chain === undefined ? {} : { chain }),
});

const called = (...names: readonly string[]): RoundEvent => ({
  type: "toolsCalled",
  agentId: agent("a"),
  text: "",
  calls: names.map((name) => ({ id: `c-${name}`, name, argumentsJson: "{}" })),
});
const ran = (isChainOver = false): RoundEvent => ({
  type: "toolRan",
  outcome: isChainOver ? "refused" : "done",
  result: "Said.",
  ...(isChainOver ? { isChainOver } : {}),
});
const post = (change: Partial<OutgoingPost> = {}): OutgoingPost => ({
  place: place("bb"),
  content: "Hi",
  share: "Hi",
  file: null,
  heardAt: null,
  chain: null,
  ...change,
});
const sending = (...posts: readonly OutgoingPost[]): RoundEvent => ({
  type: "sending",
  outgoing: {
    role: "request",
    toId: agent("b"),
    toName: "B",
    displayName: "A",
    result: "Sent to B.",
    posts,
  },
});
const sent = (id = 2): RoundEvent => ({ type: "sent", messageId: message(id) });
const unsent = { type: "unsent", reason: "It is gone." } as const satisfies RoundEvent;
const composed = (parts = 1): RoundEvent => ({
  type: "composed",
  agentId: agent("a"),
  displayName: "A",
  parts: Array.from({ length: parts }, (_, index) => ({
    content: `p${index}`,
    share: `p${index}`,
    file: null,
  })),
  handoffs: [],
  seenThroughId: message(1),
});
const posted = (part = 0): RoundEvent => ({ type: "posted", part, messageId: message(10 + part) });
const failed: RoundEvent = { type: "turnFailed", agentId: agent("a"), failure: "timeout" };
const stopped: RoundEvent = { type: "stopped", by: "Ana", userId: null };
const announced = (round: DirectRound): RoundEvent => {
  const [notice] = round.notices;
  if (notice === undefined) throw new Error("Nothing is to be said.");
  return { type: "announced", notice, messageId: null };
};

function fold(...events: readonly RoundEvent[]): DirectRound {
  let state: RoundState | null = null;
  for (const event of events) state = applyEvent("direct", state, event);
  if (state?.kind !== "direct") throw new Error("There is no round.");
  return state;
}

/** The next step in short. */
function next(...events: readonly RoundEvent[]): string {
  const step = nextStep(fold(...events));
  if (step === null) return "nothing";
  switch (step.do) {
    case "tool":
      return `tool ${step.call.name}`;
    case "send":
    case "post":
      return `${step.do} ${step.part}`;
    case "announce":
      return `announce ${step.notice.type}`;
    case "close":
      return `close ${step.outcome}`;
    default:
      return step.do;
  }
}

/** A notice of this kind was said; only a `changed` one is looked into. */
const said = (type: "turnFailed" | "stopped" | "stale"): RoundEvent => ({
  type: "announced",
  notice:
    type === "turnFailed"
      ? { type, agentId: agent("a"), failure: "timeout" }
      : type === "stopped"
        ? { type, by: "Ana" }
        : { type },
  messageId: null,
});
const CHANGED = [
  opened(),
  called("x"),
  { type: "toolRan", outcome: "done", result: "Made.", change: "Made." },
] as const satisfies readonly RoundEvent[];
const CHANGE_SAID: RoundEvent = {
  type: "announced",
  notice: { type: "changed", agentId: agent("a"), changes: ["Made."] },
  messageId: null,
};

const ANSWERED = [opened(REQUEST), composed(2), posted(0), posted(1)] as const;

describe("the next step of an agent alone", () => {
  it.each<[string, readonly RoundEvent[], string]>([
    ["its model is asked", [opened()], "compose"],
    ["the first call runs", [opened(), called("x", "y")], "tool x"],
    ["then the second", [opened(), called("x", "y"), ran()], "tool y"],
    ["then its model is asked again", [opened(), called("x"), ran()], "compose"],
    ["calls of a later answer", [opened(), called("x"), ran(), called("z")], "tool z"],
    ["its words are posted", [opened(), composed()], "post 0"],
    ["in all their parts", [opened(), composed(2), posted(0)], "post 1"],
    ["then it is done", [opened(), composed(), posted()], "close done"],
    ["a failed turn is said", [opened(), failed], "announce turnFailed"],
    ["a message is sent before anything else", [opened(), called("m"), sending(post())], "send 0"],
    ["in all its parts", [opened(), called("m"), sending(post(), post()), sent()], "send 1"],
    ["then the call has its result", [opened(), called("m"), sending(post()), sent()], "compose"],
    ["the next call waits for it", [opened(), called("m", "y"), sending(post()), sent()], "tool y"],
    ["the end of a chain is said", [opened(), called("m"), ran(true)], "announce chainOver"],
    ["the answer goes back to who asked", ANSWERED, "send 0"],
    ["in all its parts", [...ANSWERED, sent(20)], "send 1"],
    ["then it is done", [...ANSWERED, sent(20), sent(21)], "close done"],
    [
      "an answer that does not get there is told who asked",
      [...ANSWERED, unsent],
      "announce unanswered",
    ],
    [
      "unless that one is archived",
      [...ANSWERED, { ...unsent, toNobody: true }],
      "announce unsent",
    ],
    [
      "what was changed is said after the reply",
      [...CHANGED, composed(), posted()],
      "announce changed",
    ],
    [
      "and when the turn failed, after that",
      [...CHANGED, failed, said("turnFailed")],
      "announce changed",
    ],
    ["and when it was stopped", [...CHANGED, stopped, said("stopped")], "announce changed"],
    [
      "and when it is too old",
      [...CHANGED, { type: "expired" }, said("stale")],
      "announce changed",
    ],
    [
      "but once",
      [...CHANGED, composed(), posted(), CHANGE_SAID, stopped, said("stopped")],
      "close stopped",
    ],
    ["a stop is said", [opened(), called("x"), stopped], "announce stopped"],
    ["a closed round has none", [opened(), { type: "closed", outcome: "done" }], "nothing"],
  ])("%s", (_name, events, expected) => {
    expect(next(...events)).toBe(expected);
  });
});

describe("the calls of a turn", () => {
  it("are counted one by one", () => {
    const used = fold(opened(), called("x", "y"), ran(), ran(), called("z"));
    expect(stepsLeft(used)).toBe(MAX_TOOL_STEPS - 3);
  });

  it("have the result that was written down, in their order", () => {
    const { exchanges } = fold(opened(), called("x", "m"), ran(), sending(post()), sent());
    expect(exchanges[0]?.calls.map(({ name, result, outcome }) => [name, result, outcome])).toEqual(
      [
        ["x", "Said.", "done"],
        ["m", "Sent to B.", "done"],
      ],
    );
  });

  it("say that a message did not get there, unless the part that counts did", () => {
    const heard = post({ heardAt: place("bb"), chain: REQUEST });
    const lost = fold(opened(), called("m"), sending(heard, post()), unsent);
    expect(lost.exchanges[0]?.calls[0]).toMatchObject({ result: "It is gone.", outcome: "failed" });
    expect(lost.notices).toEqual([]);
    const unseen = fold(opened(), called("m"), sending(heard, post()), sent(), unsent);
    expect(unseen.exchanges[0]?.calls[0]).toMatchObject({ result: "Sent to B.", outcome: "done" });
    expect(unseen.notices).toEqual([
      { type: "unsent", name: "B", reason: "It is gone.", isHeard: true },
    ]);
  });

  it("tell the end of a chain at every place that has not been told", () => {
    const at = [place("aa"), place("bb")];
    const over: RoundEvent = {
      type: "toolRan",
      outcome: "refused",
      result: "Said.",
      chainEnd: { count: 8, at },
    };
    const { notices } = fold(opened(), called("m", "m"), over, {
      ...over,
      chainEnd: { count: 8, at: [] },
    });
    expect(notices).toEqual(at.map((there) => ({ type: "chainOver", count: 8, at: there })));
  });

  it("tell the end of a chain once in a journal of old", () => {
    const round = fold(opened(), called("m", "m"), ran(true), ran(true));
    expect(round.notices).toEqual([{ type: "chainOver" }]);
  });
});

describe("what another agent asked", () => {
  it("is answered in its thread, and heard in its channel, once", () => {
    const { outgoing } = fold(...ANSWERED);
    expect(outgoing?.posts.map(({ place: at, heardAt, chain }) => [at, heardAt, chain])).toEqual([
      [{ ...place("bb"), threadId: THREAD }, null, null],
      [
        { ...place("bb"), threadId: THREAD },
        place("bb"),
        {
          role: "answer",
          id: "r0",
          startedBy: REQUEST.startedBy,
          depth: 2,
          about: "When?",
          fromId: "a",
          fromName: "A",
        },
      ],
    ]);
  });

  it("is answered as one message, however many show it", () => {
    const { outgoing } = fold(...ANSWERED);
    expect(outgoing?.posts.map(({ content, share }) => [content, share])).toEqual([
      ["p0", "p0"],
      ["p1", "p0p1"],
    ]);
  });

  it.each<[string, RoundEvent]>([
    ["failed", failed],
    ["was stopped", stopped],
    ["is too old", { type: "expired" }],
  ])("is said to have no answer where it was asked when the turn %s", (_name, event) => {
    const round = fold(opened(REQUEST), event);
    expect(round.notices).toHaveLength(2);
    expect(round.notices[0]).toEqual({
      type: "unanswered",
      agentId: agent("a"),
      at: { ...place("bb"), threadId: THREAD },
      because: round.notices[1],
    });
    expect(fold(opened(REQUEST), event, announced(round)).notices).toHaveLength(1);
  });

  it("is not said to have none when it was answered before a stop", () => {
    expect(fold(...ANSWERED, sent(20), sent(21), stopped).notices).toHaveLength(1);
  });

  it("that is an answer or a task is not answered back", () => {
    const { back: _b, threadId: _t, ...rest } = REQUEST;
    for (const role of ["answer", "task"] as const) {
      const events = [opened({ ...rest, role }), composed(), posted()];
      expect(next(...events)).toBe("close done");
    }
  });
});

describe("rounds of groups", () => {
  it.each(["open", "hosted"] as const)("have no tools: %s", (kind) => {
    const state = applyEvent(kind, null, opened());
    expect(() => applyEvent(kind, state, called("x"))).toThrow("No tools are called");
  });
});
