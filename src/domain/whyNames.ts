/** What agents and people are called in the view of a round: as they were when it opened. */
import { cell, cutTo } from "./columns.js";
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
    agent: (agentId) => plain(memberOf(story, agentId, present).displayName),
    person: (messageId) => {
      const trigger = triggers.find((one) => one.messageId === messageId);
      return trigger === undefined ? "a person" : plain(trigger.author);
    },
  };
}

interface Called {
  readonly agentId: AgentId;
  readonly displayName: string;
  /** Permanent; null where it is not known. */
  readonly name: string | null;
}

/** Not Markdown. One that was no member is called as it is at present. */
export function memberOf(
  { opening }: Pick<Story, "opening">,
  agentId: AgentId,
  present: ReadonlyMap<AgentId, string | null>,
): Called {
  const member = opening.members.find((one) => one.agentId === agentId);
  return member ?? { agentId, displayName: present.get(agentId) ?? "An agent", name: null };
}

/**
 * Names for the rows of a table with so many columns for them, each of them different: those that
 * begin alike are called by their permanent names, and where these begin alike too, numbered.
 */
export function shortNames(
  agents: readonly Called[],
  columns: number,
): ReadonlyMap<AgentId, string> {
  const cut = (text: string) => cutTo(cell(text), columns);
  const shown = agents.map(({ displayName }) => cut(displayName));
  const isDouble = (text: string) => shown.filter((one) => one === text).length > 1;
  const permanent = agents.map(({ displayName, name }, index) =>
    isDouble(shown[index] ?? "") ? cut(name ?? displayName) : (shown[index] ?? ""),
  );
  return new Map(
    agents.map(({ agentId, displayName }, index) => {
      const text = permanent[index] ?? "";
      const isTold = permanent.filter((one) => one === text).length === 1;
      return [agentId, isTold ? text : cut(`${index + 1}. ${displayName}`)];
    }),
  );
}
