/** What the bot says in a channel, in one small line each. */
import { budgetText } from "./budget.js";
import { never } from "./errors.js";
import { fileKind } from "./files.js";
import { floorNoticeText } from "./floorText.js";
import type { AgentId } from "./ids.js";
import { CHAIN_MESSAGES, IMAGES_PER_TURN, MAX_TOOL_STEPS } from "./limits.js";
import { failureText, judgeFailureText, listOf } from "./phrases.js";
import { plain } from "./plain.js";
import type { LeftOut, Notice, StopNotice } from "./round/round.js";
import { shorten } from "./shorten.js";

type Write = (name: string) => string;

interface NoticeContext {
  /** Gives display names, as they are. */
  readonly nameOf: (agentId: AgentId) => string;
  /** The number of replies allowed. */
  readonly cap: number;
}

/** The line for a notice, as people read it: no name in it is taken for Markdown. */
export function noticeText(notice: Notice, context: NoticeContext): string {
  return lineOf(notice, context, plain);
}

/** The same as agents read it, with names as they are. */
export function noticeWords(notice: Notice, context: NoticeContext): string {
  return lineOf(notice, context, (name) => name).replace(/^-# /u, "");
}

/** `write`: how the names of agents and people stand in it. */
function lineOf(notice: Notice, context: NoticeContext, write: Write): string {
  const nameOf = (agentId: AgentId) => write(context.nameOf(agentId));
  const names = (ids: readonly AgentId[]) => listOf(ids.map(nameOf));
  switch (notice.type) {
    case "cap":
      return `-# Stopped after ${context.cap} ${context.cap === 1 ? "reply" : "replies"}. Did not get to speak: ${names(notice.unheard)}. Write again to go on.`;
    case "turnFailed":
      if (notice.failure === "foreign-post" || notice.failure === "empty-post") {
        const why = notice.failure === "foreign-post" ? "it spoke for others" : "it was empty";
        return `-# A message by ${names([notice.agentId])} was left out, because ${why}.`;
      }
      return `-# ${names([notice.agentId])} ${notice.isPartial ? "could not finish its reply" : "could not answer"}: ${failureText(notice.failure, notice.about)}.${notice.detail === undefined ? "" : ` ${notice.detail}`}`;
    case "judgeFailed": {
      const { failure, instead } = notice;
      const who =
        instead === "named"
          ? "those who were named answer"
          : instead === "host"
            ? "the host answers"
            : `${names([instead])} answers`;
      return `-# ${judgeFailureText(failure)}, so ${who}.`;
    }
    case "mutedNamed":
      return `-# ${names(notice.agentIds)} ${notice.agentIds.length === 1 ? "is" : "are"} muted here. \`/unmute\` brings an agent back.`;
    case "allMuted":
      return "-# Every member of this group is muted, so nobody answers. `/unmute` brings an agent back.";
    case "noParticipants":
      return NO_PARTICIPANTS;
    case "unreached":
      return notice.agentIds
        .map((agentId) => `Forwarding to ${nameOf(agentId)} failed.`)
        .join("\n");
    case "silent":
      return notice.misses
        .map(
          ({ agentId, failure }) =>
            `-# ${nameOf(agentId)} did not answer: ${failureText(failure)}.`,
        )
        .join("\n");
    case "late":
      return `-# ${names(notice.agentIds)} did not answer in time.`;
    case "debateCut":
      return `-# The debate ended after pass ${notice.pass} of ${notice.passes}: nobody was left to ask.`;
    case "leftOut":
      return leftOutText(notice, nameOf);
    case "stopped":
      return `-# ${stoppedText(notice, write)}`;
    case "stale":
      return "-# I was away, and what was going on here is too old to go on with. Write again to go on.";
    case "chainOver":
      return `-# Agents have written to each other ${notice.count ?? CHAIN_MESSAGES} times without a person in between, so they stop. Write again to go on.`;
    case "stepsUsed":
      return `-# ${names([notice.agentId])} stopped after ${MAX_TOOL_STEPS} tool steps, and may not be done. Write again to go on.`;
    case "noTools": {
      const name = names([notice.agentId]);
      return `-# The model of ${name} cannot use tools, so ${name} can only talk here: it changes nothing, looks up nothing and writes to no other agent. \`/agent_update\` gives it another model.`;
    }
    case "changed":
      return `-# Done by ${names([notice.agentId])}: ${notice.changes.join(" ")}`;
    case "unanswered": {
      const name = names([notice.agentId]);
      if (notice.answer !== undefined && notice.because?.type === "unsent") {
        return `-# ${name} has answered, but it cannot be shown here: ${sentence(notice.because.reason)}`;
      }
      const reason = unansweredReason(notice.because, write);
      return reason === null
        ? `-# ${name} did not answer; its own channel says why.`
        : `-# ${name} did not answer: ${sentence(reason)}`;
    }
    case "noThread":
      return `-# What is written to ${write(notice.name)} is shown here and not in a thread: ${sentence(notice.reason)}`;
    case "unsent":
      return notice.isHeard === true
        ? `-# ${write(notice.name)} was asked, but that cannot be shown here: ${sentence(notice.reason)}`
        : `-# What was meant for ${write(notice.name)} did not get there: ${sentence(notice.reason)}`;
    case "floorOpened":
    case "turnsGranted":
    case "voteCalled":
    case "voteResult":
    case "moderating":
    case "moderatorEnded":
    case "floorClosed":
    case "floorPointless":
    case "floorUndone":
    case "floorStale":
      return floorNoticeText(notice, context.nameOf);
    default:
      return never(notice);
  }
}

function stoppedText({ by, why, budget, agentName }: StopNotice, write: Write): string {
  const person = by === null ? null : write(by);
  if (why === "archived" && agentName !== undefined) {
    const name = `**${write(agentName)}**`;
    const cause = person === null ? `${name} was archived` : `${person} archived ${name}`;
    return `Stopped: this group was archived, because ${cause}.`;
  }
  if (why === "archived") {
    return person === null
      ? "Stopped: this channel was archived."
      : `Stopped: ${person} archived this channel.`;
  }
  if (budget !== undefined) {
    return budgetText({ by: person, budget }, budget.isOnFloor ? "turns" : "messages");
  }
  if (why === "left") return "Stopped: the bot was removed from this server.";
  if (why === "fault") {
    return "Stopped: something went wrong in the bot, and its log says what. Write again to go on.";
  }
  return person === null
    ? "Stopped: the message that started this was deleted."
    : `Stopped by ${person}.`;
}

/** Why another agent got no answer, as the end of a sentence; null: only its own channel says so. */
function unansweredReason(because: Notice | undefined, write: Write): string | null {
  switch (because?.type) {
    case "turnFailed":
      if (because.failure === "gone") return "it is archived, or its channel is gone";
      return `${failureText(because.failure, because.about)}.${because.detail === undefined ? "" : ` ${because.detail}`}`;
    case "stopped":
      if (because.why === "archived") return "it was archived";
      if (because.budget !== undefined) return stoppedText(because, write);
      if (because.why === "left") return "the bot was removed from this server";
      if (because.why === "fault") return "something went wrong in the bot";
      return because.by === null ? "the message was deleted" : `${write(because.by)} stopped it`;
    case "stale":
      return "the message waited too long";
    default:
      return null;
  }
}

function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

/** A hosted chat without anybody to ask. */
export const NO_PARTICIPANTS = "No one is in the group chat. Use !gc add <agentId>.";

/** More of them would fill the channel. */
const LISTED_FILES = 10;

function leftOutText(
  { files, agentId }: Extract<Notice, { type: "leftOut" }>,
  nameOf: (agentId: AgentId) => string,
): string {
  const listed = files.slice(0, LISTED_FILES);
  const more = files.length - listed.length;
  const byReason = new Map<string, string[]>();
  for (const file of listed) {
    const reason = reasonText(file);
    byReason.set(reason, [...(byReason.get(reason) ?? []), fileName(file)]);
  }
  const groups = [...byReason];
  const end = more === 0 ? "" : `; and ${more} more`;
  if (agentId === null) {
    const said = groups.map(([reason, names]) => `${listOf(names)} (${reason})`);
    return `-# Not read: ${said.join("; ")}${end}.`;
  }
  const said = groups.map(
    ([reason, names]) => `${reason === TOO_LONG ? "all of " : ""}${listOf(names)}: ${reason}`,
  );
  return `-# ${nameOf(agentId)} cannot see ${said.join("; ")}${end}.`;
}

function fileName({ name }: LeftOut): string {
  return `\`${shorten(name.replace(/[`\s]+/gu, " "), 60)}\``;
}

const TOO_LONG = "too long for one turn";

/** Why a file is not read, in few words. */
export function reasonText(file: LeftOut): string {
  switch (file.reason) {
    case "type":
      return "only texts and pictures are read";
    case "size":
      return isPicture(file) ? "over 8 MiB" : "over 64 KiB";
    case "unreadable":
      return "could not be fetched or read";
    case "no-images":
      return "its model takes no pictures";
    case "only-beginning":
      return TOO_LONG;
    case "no-room":
      return "no room for more in one turn";
    case "too-many":
      return `at most ${IMAGES_PER_TURN} pictures are looked at together`;
    default:
      return never(file.reason);
  }
}

/** Journals of old do not say. */
function isPicture({ name, isPicture: isSaid }: LeftOut): boolean {
  return isSaid === true || fileKind({ name, type: null }) === "image";
}
