/** Journals of rounds in few letters: members are called by one letter each. */
import { type AgentId, asId, type MessageId } from "../../src/domain/ids.js";
import type { Naming, RoundEvent, TurnFailure } from "../../src/domain/round/round.js";
import type { WhyInput, WhyTrigger } from "../../src/domain/why.js";
import type { WhyCall } from "../../src/domain/whyCalls.js";

export const NAMES: Readonly<Record<string, string>> = {
  r: "Researcher",
  e: "Editor",
  c: "Devil's advocate of all",
};
export const agent = (letter: string) => asId<AgentId>(letter);
export const message = (n: number) => asId<MessageId>(String(100_000_000_000_000_000n + BigInt(n)));

export function opened(
  change: Partial<Extract<RoundEvent, { type: "opened" }>> & { readonly muted?: string } = {},
): RoundEvent {
  const { muted = "", ...rest } = change;
  return {
    type: "opened",
    members: ["r", "e", "c"].map((letter) => ({
      agentId: agent(letter),
      name: letter,
      displayName: NAMES[letter] ?? letter,
      isMuted: muted.includes(letter),
    })),
    hostId: agent("r"),
    named: [],
    triggerIds: [message(1)],
    startedBy: [],
    cap: 8,
    isAsk: false,
    ...rest,
  };
}

export function naming(letter: string, by: Naming["by"] = "text", ofMessage = 1): Naming {
  return { agentId: agent(letter), by, messageId: message(ofMessage) };
}

export function judged(scores: Readonly<Record<string, number>>): RoundEvent {
  return {
    type: "judged",
    scores: Object.entries(scores).map(([letter, score]) => ({ agentId: agent(letter), score })),
    failure: null,
  };
}

export function composed(letter: string, handoffs = "", parts = 1): RoundEvent {
  return {
    type: "composed",
    agentId: agent(letter),
    displayName: NAMES[letter] ?? letter,
    parts: Array.from({ length: parts }, () => ({ content: "Yes.", share: "Yes.", file: null })),
    handoffs: handoffs.split("").map(agent),
    seenThroughId: message(1),
  };
}

export const posted = (n: number, part = 0): RoundEvent => ({
  type: "posted",
  part,
  messageId: message(n),
});

/** A whole turn. */
export function said(letter: string, n: number, handoffs = ""): readonly RoundEvent[] {
  return [composed(letter, handoffs), posted(n)];
}

export function failed(letter: string, failure: TurnFailure = "timeout"): readonly RoundEvent[] {
  return [
    { type: "turnFailed", agentId: agent(letter), failure },
    {
      type: "announced",
      notice: { type: "turnFailed", agentId: agent(letter), failure },
      messageId: null,
    },
  ];
}

export const closed: RoundEvent = { type: "closed", outcome: "done" };

export function trigger(change: Partial<WhyTrigger> = {}): WhyTrigger {
  return {
    messageId: message(1),
    author: "Ana",
    text: "When was that?",
    link: "https://x/1",
    ...change,
  };
}

export function call(purpose: string, change: Partial<WhyCall> = {}): WhyCall {
  return {
    purpose,
    agentId: null,
    model: "test-model",
    tokens: { inputTokens: 1200, outputTokens: 34 },
    durationMs: 1_234,
    outcome: "ok",
    ...change,
  };
}

export function input(journal: readonly RoundEvent[], change: Partial<WhyInput> = {}): WhyInput {
  return {
    kind: "open",
    journal,
    triggers: [trigger()],
    calls: [],
    present: new Map(),
    about: null,
    durationMs: null,
    ...change,
  };
}
