/** Words that the bot itself understands in an ordinary message. */

import { UserError } from "./errors.js";
import { DEBATE_PASSES, MAX_DEBATE_PASSES } from "./limits.js";

const STOP = /^stop[!.]*$/iu;
const GROUP_CHAT = /^\s*!gc/iu;

/** Whether a message is just `stop`: in any case, with `!` or `.` after it or not. */
export function isStopWord(text: string): boolean {
  return STOP.test(text.trim());
}

/**
 * Whether a message is meant as a `!gc` command: its first word begins with `!gc`. `!gclist` and
 * `!gc-list` are wrong commands, and no part of the conversation either.
 */
export function isGroupChatCommand(text: string): boolean {
  return GROUP_CHAT.test(text);
}

/** The words that may follow `!gc`, with what follows them and what they do. */
export const GROUP_CHAT_COMMANDS = {
  start: { usage: "start <agent> <agent> …", effect: "start a group chat here with these" },
  add: { usage: "add <agent>", effect: "add a participant" },
  remove: { usage: "remove <agent>", effect: "remove a participant" },
  join: { usage: "join <agent>", effect: "let an agent join" },
  leave: { usage: "leave <agent>", effect: "let an agent leave" },
  list: { usage: "list", effect: "who takes part" },
  status: { usage: "status", effect: "who takes part, and whether a round is open" },
  debate: {
    usage: "debate [passes] <topic>",
    effect: `one debate of 1 to ${MAX_DEBATE_PASSES} passes, ${DEBATE_PASSES} when left out`,
  },
  end: { usage: "end", effect: "end the group chat; all participants leave" },
  help: { usage: "help", effect: "these commands" },
} as const;

/** What those do that also work in groups in which several speak. */
export const MEMBER_EFFECTS = {
  add: "add a member",
  remove: "remove a member",
  join: "let an agent become a member",
  leave: "let a member leave",
  list: "who is a member",
  status: "who is a member, and whether a round is open",
  help: "these commands",
} as const satisfies Partial<Record<keyof typeof GROUP_CHAT_COMMANDS, string>>;

export type GroupChatWord = keyof typeof GROUP_CHAT_COMMANDS;

const GROUP_CHAT_WORDS = Object.keys(GROUP_CHAT_COMMANDS) as readonly GroupChatWord[];

/** A `!gc` message: the command and what stands after it, or what was written for one and the word nearest to it. */
export type GroupChatCommand =
  | { readonly word: GroupChatWord; readonly rest: string }
  | { readonly word: null; readonly given: string; readonly nearest: GroupChatWord };

/** Letters by which a word may differ and still be meant; others have nothing to do with it. */
const LIKELY_SLIP = 2;

/** Words that people write for one of the commands. */
const MEANT: Readonly<Record<string, GroupChatWord>> = {
  invite: "add",
  kick: "remove",
  stop: "end",
  who: "list",
};

/** Reads a message for which `isGroupChatCommand` holds. `!gc` alone asks for help. */
export function readGroupChatCommand(text: string): GroupChatCommand {
  const [, glued = "", spaced = "", rest = ""] =
    /^\s*!gc(\S*)(?:\s+(\S+))?\s*([^]*)$/iu.exec(text) ?? [];
  if (glued === "" && spaced === "") return { word: "help", rest: "" };
  const given = glued === "" ? `!gc ${spaced}` : `!gc${glued}`;
  const behind = glued.replace(/^[^\p{L}\d]+/u, "");
  const typed = (behind === "" ? spaced : behind).toLowerCase();
  const word = GROUP_CHAT_WORDS.find((one) => one === typed);
  if (word !== undefined && glued === "") return { word, rest: rest.trim() };
  const [closest = "help"] = GROUP_CHAT_WORDS.toSorted(
    (a, b) => distance(typed, a) - distance(typed, b),
  );
  const isLikely = distance(typed, closest) <= LIKELY_SLIP;
  const nearest =
    (Object.hasOwn(MEANT, typed) ? MEANT[typed] : null) ?? (isLikely ? closest : "help");
  return { word: null, given, nearest };
}

/**
 * `3 Is it art?`: how many passes, null where nobody says, and the topic. A number that can be no
 * number of passes and no word of a topic is a `UserError`.
 */
export function readDebate(rest: string): {
  readonly passes: number | null;
  readonly topic: string;
} {
  const [strange] = /^(?:[+-]\d[\d.,]*|\d[.,]\d+)(?=\s|$)/u.exec(rest.trim()) ?? [];
  if (strange !== undefined) {
    throw new UserError(
      "invalid",
      `\`${strange.slice(0, 20)}\` is no number of passes; a debate has 1 to ${MAX_DEBATE_PASSES}. For a topic that begins with it, write the passes first: \`!gc debate ${DEBATE_PASSES} ${strange.slice(0, 20)} …\`.`,
    );
  }
  // A longer number begins a topic, such as a year.
  const [, digit, topic = ""] = /^(\d)(?:\s+([^]*))?$/u.exec(rest.trim()) ?? [];
  return digit === undefined
    ? { passes: null, topic: rest.trim() }
    : { passes: Number(digit), topic: topic.trim() };
}

/** A piece of a list of names. One in quotes is a whole name; others may be words of one name. */
export interface NamePiece {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Straight single quotes are apostrophes too, unless they stand around a whole name. */
const SINGLE_QUOTED = /(?<![^\s,])(?:'([^']+(?:'(?![\s,]|$)[^']*)*)'|‘([^’]+)’)(?![^\s,])/u;
const QUOTED_OR_WORD = new RegExp(
  `"([^"]*)"|“([^”]*)”|«([^»]*)»|${SINGLE_QUOTED.source}|([^\\s,"“«]+)|(,)`,
  "gu",
);
const WITHOUT_QUOTED = new RegExp(`"[^"]*"|“[^”]*”|«[^»]*»|${SINGLE_QUOTED.source}`, "gu");

/** Whether a quote is opened in a list of names and not closed. */
export function hasOpenQuote(text: string): boolean {
  return /["“«]/u.test(text.replace(WITHOUT_QUOTED, ""));
}

/**
 * Names as people write them one after another: with commas between them, in quotes where a name
 * has spaces, or just with spaces.
 */
export function namePieces(text: string): readonly NamePiece[] {
  const hasCommas = text.replace(WITHOUT_QUOTED, "").includes(",");
  const pieces: NamePiece[] = [];
  let words: string[] = [];
  const endOfName = () => {
    if (words.length > 0) pieces.push({ text: words.join(" "), isWhole: true });
    words = [];
  };
  for (const [, straight, curly, angled, single, singleCurly, word, comma] of text.matchAll(
    QUOTED_OR_WORD,
  )) {
    const quotedName = straight ?? curly ?? angled ?? single ?? singleCurly;
    if (quotedName !== undefined || comma !== undefined) endOfName();
    if (quotedName !== undefined && quotedName.trim() !== "") {
      pieces.push({ text: quotedName.trim(), isWhole: true });
    } else if (word !== undefined && hasCommas) words.push(word);
    else if (word !== undefined) pieces.push({ text: word, isWhole: false });
  }
  endOfName();
  return pieces;
}

/** How many letters have to be changed, put in or left out to make one word of the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (to[j - 1] === from[i] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
