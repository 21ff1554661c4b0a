/** Who spoke in a round, in which order, and what for. */
import { never } from "./errors.js";
import type { AgentId } from "./ids.js";
import { failureText, listOf } from "./phrases.js";
import type { Naming } from "./round/round.js";
import type { Names } from "./whyNames.js";
import { scoreText } from "./whyScores.js";
import type { Story, Turn, Waiting } from "./whyStory.js";

/** Who was named, and how. */
export function namingLines({ opening }: Story, names: Names): readonly string[] {
  if (opening.named.length === 0) return [];
  if (isEverybody(opening)) return ["Named: everybody (@all)."];
  const said = opening.named.map(
    (naming) => `${names.agent(naming.agentId)} (${namingText(naming, names)})`,
  );
  return [`Named: ${listOf(said)}.`];
}

function isEverybody({ named, members }: Story["opening"]): boolean {
  return (
    named.every((naming) => naming.by === "all") &&
    members.every(({ agentId }) => named.some((naming) => naming.agentId === agentId))
  );
}

function namingText({ by, messageId }: Naming, names: Names): string {
  const person = names.person(messageId);
  switch (by) {
    case "text":
      return `by ${person}`;
    case "all":
      return `by ${person} with @all`;
    case "reply":
      return `${person} replied to it`;
    case "ask":
      return `by ${person} with /ask`;
    default:
      return never(by);
  }
}

/** Who spoke, who is writing, and who is or was still to come. */
export function turnLines(story: Story, names: Names): readonly string[] {
  const { turns, writing, unheard, state } = story;
  const lines = turns.map((turn) => turnText(turn, story, names));
  if (writing !== null) {
    lines.push(
      `**${names.agent(writing.agentId)}** is writing: ${causeText(writing, story, names)}`,
    );
  }
  const isOver = state.closed !== null || state.ending !== null;
  const list = listOf(unheard.map((one) => names.agent(one.agentId)));
  return [
    ...(lines.length === 0
      ? []
      : [`**${turns.some(isFailed) ? "Whose turn it was" : "Who spoke"}**, in this order`]),
    ...lines.map((line, index) => `${index + 1}. ${line}`),
    ...(unheard.length === 0 ? [] : [`${isOver ? "Did not get to speak" : "Waiting"}: ${list}.`]),
  ];
}

function isFailed({ result }: Turn): boolean {
  return result !== "posted" && result !== "posting" && result !== "cut";
}

function turnText(turn: Turn, story: Story, names: Names): string {
  const name = `**${names.agent(turn.agentId)}**`;
  const cause = causeText(turn, story, names);
  const handed =
    turn.handedTo.length === 0
      ? ""
      : ` → ${listOf(turn.handedTo.map((id) => `@${names.agent(id)}`))}`;
  const refused =
    turn.notHandedTo.length === 0
      ? ""
      : `; could not give it to ${listOf(turn.notHandedTo.map((id) => unavailable(id, story, names)))}`;
  if (turn.result === "posted") return `${name}: ${cause}${handed}${refused}`;
  if (turn.result === "posting") return `${name} is posting: ${cause}`;
  if (turn.result === "cut") return `${name} was cut off: ${cause}`;
  return `${name} could not answer, ${failureText(turn.result, turn.about)}: ${cause}`;
}

function unavailable(agentId: AgentId, { opening }: Story, names: Names): string {
  const isMuted = opening.members.some((one) => one.agentId === agentId && one.isMuted);
  return `${names.agent(agentId)} (${isMuted ? "muted" : "failed before"})`;
}

/** Why a member came to speak, as the end of a sentence. */
export function causeText({ agentId, cause }: Waiting, { opening }: Story, names: Names): string {
  switch (cause.by) {
    case "naming":
      return namingText(cause.naming, names).replace(/^by /u, "named by ");
    case "score":
      return `score ${scoreText(cause.score)}`;
    case "handoff":
      return `given the word by ${names.agent(cause.from)}`;
    case "turn":
      return "given a turn";
    case "hosting":
      return "the host, who alone speaks here";
    case "owning":
      return "its own channel";
    case "fallback": {
      const why = cause.hasScores ? "nobody fitted" : "there were no scores";
      return agentId === opening.hostId
        ? `the host, since ${why}`
        : `since ${why} and the host is muted`;
    }
    default:
      return never(cause);
  }
}
