/** The topics of channels: who is there. */
import { COORDINATOR } from "./agent.js";
import { TOPIC_CHARACTERS } from "./limits.js";
import { shorten } from "./shorten.js";

interface TopicMember {
  readonly displayName: string;
  readonly isMuted: boolean;
  readonly isHost: boolean;
}

/** Of an agent's role, at most this much is shown. */
const ROLE_CHARACTERS = 300;
/** A first sentence shorter than this ("You are Ada.") says too little: the next one is shown too. */
const SENTENCE_CHARACTERS = 40;

/** `Review | Members: Researcher, Editor (muted) | Host: Editor`. */
export function groupTopic(displayName: string, members: readonly TopicMember[]): string {
  const names = members.map((member) =>
    member.isMuted ? `${member.displayName} (muted)` : member.displayName,
  );
  const host = members.find((member) => member.isHost)?.displayName;
  const write = (shown: number): string => {
    const rest = names.length - shown;
    const list = names.slice(0, shown).join(", ");
    const parts = [displayName, `Members: ${list}${rest === 0 ? "" : ` and ${rest} more`}`];
    if (host !== undefined) parts.push(`Host: ${host}`);
    return inOneLine(parts.join(" | "));
  };
  for (let shown = names.length; shown > 0; shown -= 1) {
    const topic = write(shown);
    if (topic.length <= TOPIC_CHARACTERS) return topic;
  }
  return shorten(write(names.length), TOPIC_CHARACTERS);
}

const COORDINATOR_TOPIC = "Ask here for agents and groups, or how Parley works.";

/**
 * `Researcher: Finds sources and checks them.`, from the beginning of the role. The coordinator's
 * role speaks to it alone, so that its topic says what it is for.
 */
export function agentTopic(displayName: string, role: string, name?: string): string {
  if (name === COORDINATOR) {
    return shorten(inOneLine(`${displayName}: ${COORDINATOR_TOPIC}`), TOPIC_CHARACTERS);
  }
  const beginning = shorten(firstWords(inOneLine(role)), ROLE_CHARACTERS);
  return shorten(inOneLine(`${displayName}: ${beginning}`), TOPIC_CHARACTERS);
}

function firstWords(role: string): string {
  let text = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(role)) {
    text += segment;
    if (text.length >= SENTENCE_CHARACTERS) break;
  }
  return text.trim();
}

function inOneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
