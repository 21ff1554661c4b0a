/** What a round in an agent's own channel has beside the rounds of groups: tools, and messages to other agents. */
import type { Chain } from "../chain.js";
import type { AgentId, MessageId } from "../ids.js";
import type { Place } from "../message.js";
import type { Notice } from "./round.js";

/** A call of a tool as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** JSON, or what the model took for it. */
  readonly argumentsJson: string;
}

/** What came of a call. */
export type ToolOutcome =
  | "done"
  | "invalid" // no such tool, or its arguments break a rule of form
  | "refused" // the person may not do that, or it is not possible
  | "failed"; // something of the world stood in the way

/** A message to another agent on its way; it may be several Discord messages. */
export interface Outgoing {
  readonly role: "request" | "answer";
  readonly toId: AgentId;
  readonly toName: string;
  /** The name under which it is posted. */
  readonly displayName: string;
  /** What the tool says once it has been sent; empty for an answer, which nobody called for. */
  readonly result: string;
  /** What is only shown comes first: who is written to begins when people can see what to. */
  readonly posts: readonly OutgoingPost[];
  /** Why people see a request in the channel of who asks, and not in a thread; absent where that has been said. */
  readonly noThread?: string;
  /** Of an answer that begins no turn any more: messages of the chain before it, which did. */
  readonly chainCount?: number;
}

/** A chain is over: messages so far, and the places that have not been told. */
export interface ChainEnd {
  readonly count: number;
  readonly at: readonly Place[];
}

export interface OutgoingPost {
  /** Where people see it. */
  readonly place: Place;
  readonly content: string;
  readonly share: string;
  readonly file: string | null;
  /** The conversation whose transcript it belongs to; null: it is only shown. */
  readonly heardAt: Place | null;
  /** Set at the last one that is heard: from then on it waits for a round there. */
  readonly chain: Chain | null;
}

/** Entries of the journal. */
export const TOOL_EVENTS = {
  toolsCalled: true,
  toolRan: true,
  sending: true,
  sent: true,
  unsent: true,
} satisfies Readonly<Record<ToolEvent["type"], true>>;

export type ToolEvent =
  | {
      readonly type: "toolsCalled";
      readonly agentId: AgentId;
      /** What the model said beside the calls. */
      readonly text: string;
      readonly calls: readonly ToolUse[];
      /** Time that the turn had left; absent in journals of old. */
      readonly leftMs?: number;
    }
  /** The oldest call without a result has this one. */
  | {
      readonly type: "toolRan";
      readonly outcome: ToolOutcome;
      readonly result: string;
      /** What it has changed, in short; absent where it changed nothing. */
      readonly change?: string;
      /** It was refused because agents have written to each other often enough. */
      readonly chainEnd?: ChainEnd;
      /** The same in journals of old. */
      readonly isChainOver?: boolean;
    }
  /** The oldest call without a result is this message. */
  | { readonly type: "sending"; readonly outgoing: Outgoing }
  /** Its next part stands. */
  | { readonly type: "sent"; readonly messageId: MessageId; readonly chainEnd?: ChainEnd }
  /** Its next part could not be sent: nor is the rest, unless that part was only shown. */
  | {
      readonly type: "unsent";
      readonly reason: string;
      /** Who was to get it is archived, so that nobody waits for it any more. */
      readonly toNobody?: boolean;
    };

export type ToolStep =
  | { readonly do: "tool"; readonly agentId: AgentId; readonly call: ToolUse }
  | { readonly do: "send"; readonly agentId: AgentId; readonly part: number };

export type ToolNotice =
  /** All steps of the turn were used, and the agent would have gone on. */
  | { readonly type: "stepsUsed"; readonly agentId: AgentId }
  /** The agent's model takes no tools, so that it only talks. */
  | { readonly type: "noTools"; readonly agentId: AgentId }
  /** What the agent's tools have changed. */
  | { readonly type: "changed"; readonly agentId: AgentId; readonly changes: readonly string[] }
  /** Agents have written to each other often enough without a person in between; said at these places. */
  | { readonly type: "chainOver"; readonly count?: number; readonly at?: Place }
  /** A message of another agent gets no answer; said where that one asked. */
  | {
      readonly type: "unanswered";
      readonly agentId: AgentId;
      readonly at: Place;
      /** What its own channel is told; absent in journals of old. */
      readonly because?: Notice;
      /** The answer, where it is only not shown there. */
      readonly answer?: string;
    }
  /** What is written to another agent is shown in the channel itself, and why. */
  | { readonly type: "noThread"; readonly name: string; readonly reason: string }
  /** What was to be sent to another agent did not get there; `isHeard`: it did, and is only not shown. */
  | {
      readonly type: "unsent";
      readonly name: string;
      readonly reason: string;
      readonly isHeard?: boolean;
      /** Where people see it nevertheless; absent: said in the agent's own channel. */
      readonly at?: Place;
    };
