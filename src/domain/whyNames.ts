/** What agents and people are called in the view of a round: as they were when it opened. */
import type { AgentId, MessageId } from "./ids.js";
import { plain } from "./plain.js";
import type { Story } from "./whyStory.js";

/** Names as Markdown. */
export interface Names {
  readonly agent: (agentId: AgentId) => string;
  /** Of the person who wrote a trigger. */
  readonly person: (messageId: MessageId) => string;
}

export function namesOf(
  story: Pick<Story, "opening">,
  triggers: readonly { readonly messageId: MessageId; readonly author: string }[],
  present: ReadonlyMap<AgentId, string | null>,
): Names {
  return {
    agent: (agentId) => plain(memberName(story, agentId, present)),
    person: (messageId) => {
      const trigger = triggers.find((one) => one.messageId === messageId);
      return trigger === undefined ? "a person" : plain(trigger.author);
    },
  };
}

/** Not Markdown. One that was no member is called as it is at present. */
export function memberName(
  { opening }: Pick<Story, "opening">,
  agentId: AgentId,
  present: ReadonlyMap<AgentId, string | null>,
): string {
  const member = opening.members.find((one) => one.agentId === agentId);
  return member?.displayName ?? present.get(agentId) ?? "An agent";
}
