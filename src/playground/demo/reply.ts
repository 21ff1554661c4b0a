import type { Said } from "./read.js";
import { sentencesOf } from "./score.js";

/** How every text of the demo model begins. */
export const demoMark = "(demo)";

export interface DemoTurn {
  readonly displayName: string;
  readonly role: string;
  /** What was said since the speaker's last turn, oldest first. */
  readonly seen: readonly Said[];
  /** The member that would have the most to add, when there is one. */
  readonly closest: string | null;
}

/**
 * A turn of two or three short sentences: what was asked, who has spoken since, and either the
 * speaker's role or, now and then, the next word for another member. Only the first speaker after
 * a person hands over, and only for some messages, so that rounds end. Nothing quoted names anybody.
 */
export function demoReply(turn: DemoTurn): string {
  const { seen } = turn;
  const asked = seen.findLast((said) => said.isPerson);
  const since = asked === undefined ? seen : seen.slice(seen.lastIndexOf(asked) + 1);
  const before = [...new Set(since.map((said) => said.speaker))].filter(
    (speaker) => speaker !== turn.displayName,
  );
  const sentences = [
    asked === undefined
      ? `${demoMark} I have read what ${before.length === 0 ? "was said here" : `${listed(before)} wrote`}.`
      : `${demoMark} ${excerpt(asked.speaker, 40)} wrote “${excerpt(asked.text, 80)}”.`,
  ];
  if (asked !== undefined && before.length > 0) {
    sentences.push(`I have read what ${listed(before)} said before me.`);
  }
  const isHandingOver =
    asked !== undefined &&
    before.length === 0 &&
    turn.closest !== null &&
    hash(asked.text) % handoffEvery === 0;
  sentences.push(
    isHandingOver
      ? `@${turn.closest}, what would you add?`
      : `A real model would answer here as its role says, “${excerpt(sentencesOf(turn.role)[0] ?? turn.displayName, 90)}”.`,
  );
  return sentences.join(" ");
}

/** In an agent's own channel: to what a person asks, or to a task. */
export function demoDirect(displayName: string, asked: string): string {
  const quoted = excerpt(asked, 80);
  const who = displayName === "" ? "" : ` I am ${excerpt(displayName, 40)}.`;
  const read = quoted === "" ? "" : ` I have read “${quoted}”.`;
  return `${demoMark}${who}${read} A real model would work on it here, and could make agents and groups for you. Until then the slash commands do that: /agent_create and /group_create, for example; /help shows how to begin.`;
}

/** Privately, to the host of a hosted group, and wherever else text is wanted. */
export function demoAnswer(asked: string): string {
  const quoted = excerpt(asked, 80);
  return quoted === ""
    ? `${demoMark} A real model would answer here.`
    : `${demoMark} I have read “${quoted}”. A real model would answer here.`;
}

const handoffEvery = 3;

/** Why a member's role suits a text, or does not. */
export function demoReason(role: string, score: number): string {
  const how = score >= 0.75 ? "close to" : score >= 0.5 ? "not far from" : "far from";
  const what = excerpt(sentencesOf(role)[0] ?? "", 90);
  return `${demoMark} By its words this is ${how} the role${what === "" ? "" : ` “${what}”`}.`;
}

/** The beginning of a text on one line, in which nothing names anybody. */
export function excerpt(text: string, longest: number): string {
  const line = text
    .replace(/[[\]*_~`>|“”\\]/gu, "")
    // Shown as it is, and names nobody.
    .replace(/@/gu, "\\@")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[.]+$/u, "");
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), longest / 2)).trim()}…`;
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}
