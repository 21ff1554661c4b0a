/**
 * Who is named in a text. A member is named by `@display name` or `@name`.
 *
 * Decisions where the contract is silent:
 * - A backslash takes the meaning away: `\@Editor` names nobody. Other escapes are read as the sign
 *   that a reader sees (`@code\_bot`).
 * - Bold, spoilers, brackets, `@@` and other signs around a name change nothing. `_` right before or
 *   after it does, so `_@Editor_` names nobody: the rule about `_` comes first.
 * - Letters of scripts that are written without spaces (Chinese, Japanese, Thai …) may stand right
 *   before the `@`; no address of a mailbox looks like that.
 * - A mark, joiner or skin tone that would change the last character of a name makes it another name.
 * - A run of spaces is one space; writing-direction marks and emoji selectors are not there.
 * - When one member's display name is another's permanent name, the display name wins: it is the one
 *   that people see. `@all` wins over a member called `All`, who is named with the rest.
 * - `@everyone` and `@here` name nobody: they are Discord's own.
 */
import type { AgentId } from "./ids.js";
import { spansOf } from "./markup.js";
import { displayNameKey, fold } from "./names.js";

/** Somebody who can be named. */
export interface Nameable {
  readonly agentId: AgentId;
  readonly name: string;
  readonly displayName: string;
}

/** A member named in a text: by a name of its own, or by `@all`. */
interface TextNaming {
  readonly agentId: AgentId;
  readonly by: "text" | "all";
}

interface Candidate {
  readonly key: string;
  /** Null for `@all`. */
  readonly agentId: AgentId | null;
}

const ALL = "all";
/** Stands for something that names nobody, so that its neighbours do not join. */
const GAP = "\ufffc";
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const ENDS_LIKE_A_WORD = /(?:[\p{L}\p{N}\p{M}_]|[\p{L}\p{N}\p{M}_][-\u2010\u2011])$/u;
const GOES_ON = /^[\p{L}\p{N}\p{M}_\-\u2010\u2011\u200c\u200d\p{EMod}]/u;
/** Longer than any character with its neighbour. */
const NEIGHBOURHOOD = 4;

/** The members that a text names, in the order of naming, each once, with how it was named first. */
export function namedIn(text: string, members: readonly Nameable[]): readonly TextNaming[] {
  const candidates = candidatesOf(members);
  const said = readable(text);
  const named = new Map<AgentId, TextNaming>();
  const name = (agentId: AgentId, by: TextNaming["by"]): void => {
    if (!named.has(agentId)) named.set(agentId, { agentId, by });
  };
  for (let at = said.indexOf("@"); at >= 0; at = said.indexOf("@", at + 1)) {
    const candidate = candidateAt(said, at, candidates);
    if (candidate === undefined) continue;
    if (candidate.agentId !== null) name(candidate.agentId, "text");
    else for (const member of members) name(member.agentId, "all");
  }
  return [...named.values()];
}

/** Longest first; of equal ones `@all`, then display names, then permanent names. */
function candidatesOf(members: readonly Nameable[]): readonly Candidate[] {
  const candidates: Candidate[] = [
    { key: ALL, agentId: null },
    ...members.map(({ agentId, displayName }) => ({ agentId, key: displayNameKey(displayName) })),
    ...members.map(({ agentId, name }) => ({ agentId, key: displayNameKey(name) })),
  ];
  return candidates
    .filter(({ key }) => key !== "")
    .sort((one, other) => other.key.length - one.key.length);
}

function candidateAt(
  said: string,
  at: number,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const before = said.slice(Math.max(0, at - NEIGHBOURHOOD), at);
  if (ENDS_LIKE_A_WORD.test(before) && !UNSPACED.test(before)) return undefined;
  return candidates.find(({ key }) => {
    const end = at + 1 + key.length;
    return said.startsWith(key, at + 1) && !GOES_ON.test(said.slice(end, end + NEIGHBOURHOOD));
  });
}

/** The running text, folded as names are. Only the order of places in it means something. */
function readable(text: string): string {
  let running = "";
  let at = 0;
  for (const { kind, start, end } of spansOf(text)) {
    running += text.slice(at, start);
    const escaped = text.slice(start + 1, end);
    running += kind === "escape" && escaped !== "@" ? escaped : GAP;
    at = end;
  }
  running += text.slice(at);
  return fold(running)
    .replace(/[\ufe0e\ufe0f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/[^\S\n]+/gu, " ");
}
