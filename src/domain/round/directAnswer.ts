/** What goes back to the agent that asked: the answer, or that there is none. */
import { type Chain, startsTurn } from "../chain.js";
import type { AgentId } from "../ids.js";
import type { Place } from "../message.js";
import type { Reply } from "./common.js";
import type { Notice } from "./round.js";
import type { Outgoing } from "./toolUse.js";

export interface Sending extends Outgoing {
  /** Parts that stand, or that were passed over. */
  readonly sent: number;
  /** Why people do not see all of a request. */
  readonly unshown?: string;
}

/** The reply as it goes back: shown in the thread of the two, heard in the channel of the one that asked. */
export function answerTo(chain: Chain | null, reply: Reply): Sending | null {
  if (chain === null || chain.role !== "request") return null;
  const { id, startedBy, depth, about, back } = chain;
  const place = mirrorOf(chain);
  const last = reply.parts.length - 1;
  // In the transcript of the other agent it is one message.
  const whole = reply.parts.map(({ share }) => share).join("");
  const answer: Chain = {
    role: "answer",
    id,
    startedBy,
    depth: depth + 1,
    about,
    fromId: reply.agentId,
    fromName: reply.displayName,
  };
  return {
    role: "answer",
    toId: chain.fromId,
    toName: chain.fromName,
    displayName: reply.displayName,
    result: "",
    sent: 0,
    ...(startsTurn(answer) ? {} : { chainCount: answer.depth - 1 }),
    posts: reply.parts.map((part, index) => ({
      place,
      ...part,
      share: index < last ? part.share : whole,
      heardAt: index < last ? null : back,
      chain: index < last ? null : answer,
    })),
  };
}

/** Where people see what two agents write: the thread, or else the conversation itself. */
export function mirrorOf({ back, threadId }: Extract<Chain, { role: "request" }>): Place {
  return threadId === null ? back : { ...back, threadId };
}

/** What the agent that asked is told when no answer gets there. `outgoing`: the answer, where there was one. */
export function withoutAnswer(input: {
  readonly chain: Chain | null;
  readonly agentId: AgentId;
  readonly because: Notice;
  readonly outgoing: Outgoing | null;
}): readonly Notice[] {
  const { chain, agentId, because, outgoing } = input;
  if (chain?.role !== "request") return [];
  const answer = outgoing?.posts.at(-1)?.share;
  return [
    {
      type: "unanswered",
      agentId,
      at: mirrorOf(chain),
      because,
      ...(answer === undefined ? {} : { answer }),
    },
  ];
}
