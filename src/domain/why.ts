/**
 * Why a round went as it did, as Markdown for the screen of a phone: what started it, who was
 * asked, the scores, who spoke in which order and what for, and what it took. Names are those of
 * the time of the round; what is called otherwise by now is said at the end.
 */
import { AWAY } from "./closingText.js";
import { never } from "./errors.js";
import type { AgentId, MessageId } from "./ids.js";
import { noticeText } from "./notices.js";
import { listOf } from "./phrases.js";
import { plain, quote } from "./plain.js";
import type { RoundEvent, RoundKind } from "./round/round.js";
import { callLines, duration, type WhyCall } from "./whyCalls.js";
import { toolLines } from "./whyDirect.js";
import { floorLines, floorOutcome, shownCalls } from "./whyFloor.js";
import { memberOf, type Names, namesOf, shortNames } from "./whyNames.js";
import { participantLines } from "./whyParticipants.js";
import { judgeSentence, mutedSentence, scoreLines } from "./whyScores.js";
import { type Story, storyOf } from "./whyStory.js";
import { causeText, namingLines, turnLines } from "./whyTurns.js";

export interface WhyInput {
  readonly kind: RoundKind;
  readonly journal: readonly RoundEvent[];
  /** The messages that started the round, oldest first. */
  readonly triggers: readonly WhyTrigger[];
  readonly calls: readonly WhyCall[];
  /** What an agent is called now; null: it is archived. Absent: it is not known. */
  readonly present: ReadonlyMap<AgentId, string | null>;
  /** The message that was asked about; null: the round as a whole. */
  readonly about: MessageId | null;
  /** From the opening to the end; null while it runs. */
  readonly durationMs: number | null;
}

export interface WhyTrigger {
  readonly messageId: MessageId;
  readonly author: string;
  /** Null: deleted by now. */
  readonly text: string | null;
  readonly link: string;
}

/** Messages that are quoted when more started the round together. */
const MAX_QUOTES = 3;

export function whyText(input: WhyInput): string {
  const story = storyOf(input.kind, input.journal);
  const names = namesOf(story, input.triggers, input.present);
  const called = (id: AgentId) => memberOf(story, id, input.present).displayName;
  const scores = scoreLines(story);
  const made =
    story.state.kind === "moderated"
      ? shownCalls(story.state, input.journal, input.calls)
      : input.calls;
  const calls = callLines(made, (ids, columns) =>
    shortNames(
      ids.map((id) => memberOf(story, id, input.present)),
      columns,
    ),
  );
  return [
    headline(story, input.durationMs),
    ...aboutLines(story, input.about, names),
    ...triggerLines(input.triggers, input.about),
    ...(story.state.kind === "hosted"
      ? participantLines(story.state, names)
      : story.state.kind === "direct"
        ? toolLines(story.state)
        : story.state.kind === "moderated"
          ? floorLines(story.state, names)
          : [
              judgeSentence(story, names.agent),
              ...(scores.length === 0 ? [] : [block(scores)]),
              ...namingLines(story, names),
              ...optional(mutedSentence(story, names.agent)),
            ]),
    ...turnLines(story, names),
    ...story.leftOut.map((notice) =>
      noticeText(notice, { cap: story.state.cap, nameOf: called }).replace(/^-# /u, ""),
    ),
    ...explanationLines(story, names),
    ...(calls.length === 0 ? [] : ["**Model calls**, tokens in→out", block(calls)]),
    ...presentLines(story, input.present, names),
  ].join("\n");
}

type Reasons = Extract<RoundEvent, { type: "explained" }>["reasons"];

/** The judge's sentences alone, for those who pressed `Explain`. */
export function explanationText(
  kind: RoundKind,
  journal: readonly RoundEvent[],
  reasons: Reasons,
): string {
  const story = storyOf(kind, journal);
  const hasScores = (story.judged?.scores ?? null) !== null;
  return [
    hasScores
      ? "**The judge explains** its scores"
      : "**The judge explains** afterwards: it had not scored this time",
    ...reasonLines(reasons, namesOf(story, [], new Map())),
  ].join("\n");
}

/** What would happen: the same view without turns. `events`: the journal as it would begin. */
export function previewText(events: readonly RoundEvent[]): string {
  const story = storyOf("open", events);
  const names = { ...namesOf(story, [], new Map()), person: () => "you" };
  const scores = scoreLines(story);
  const next = story.writing === null ? [] : [story.writing, ...story.unheard];
  return [
    "**Preview.** Nothing is posted.",
    judgeSentence(story, names.agent),
    ...(scores.length === 0 ? [] : [block(scores)]),
    ...namingLines(story, names),
    ...optional(mutedSentence(story, names.agent)),
    ...(next.length === 0
      ? ["Nobody would answer."]
      : [
          "**Who would answer**, in this order",
          ...next.map(
            (one, index) =>
              `${index + 1}. ${names.agent(one.agentId)}: ${causeText(one, story, names)}`,
          ),
        ]),
  ].join("\n");
}

function headline(story: Story, durationMs: number | null): string {
  const { state } = story;
  const outcome = state.closed ?? state.ending;
  const what = state.kind === "moderated" ? floorOutcome(state) : null;
  const replies = `${state.replies} ${state.replies === 1 ? "reply" : "replies"}`;
  if (outcome === null) return `**Still running**, ${replies} so far`;
  const time = durationMs === null ? "" : ` in ${duration(durationMs)}`;
  switch (outcome) {
    case "done":
      return what === null
        ? `**Finished**, ${replies}${time}`
        : `**Finished**: ${what}${time === "" ? "" : `,${time}`}`;
    case "cap":
      return `**Stopped at the limit** of ${replies}${time}`;
    case "failed":
      return `**Nobody could answer**${time}`;
    case "stopped":
      if (story.stopReason === "archived") {
        return `**Stopped**: this channel was archived; ${replies}${time}`;
      }
      if (story.stopReason === "left") {
        return `**Stopped**: the bot was removed from this server; ${replies}${time}`;
      }
      if (story.stopReason === "fault") {
        return `**Stopped**: something went wrong in the bot; ${replies}${time}`;
      }
      if (story.stopReason === "budget") {
        return `**Stopped**: the day's tokens were used up; ${replies}${time}`;
      }
      return story.stoppedBy === null
        ? `**Stopped**: the message that started it was deleted; ${replies}${time}`
        : `**Stopped by ${plain(story.stoppedBy)}**, ${replies}${time}`;
    case "stale":
      return `**Not finished**: ${AWAY}${state.replies === 0 ? "" : `; ${replies}`}`;
    case "unreachable":
      return `**Given up**: Discord did not let me write here any more; ${replies}${time}`;
    default:
      return never(outcome);
  }
}

function aboutLines(story: Story, about: MessageId | null, names: Names): readonly string[] {
  const turn = story.turns.find((one) => about !== null && one.messageIds.includes(about));
  if (turn === undefined) return [];
  return [
    `This message: **${names.agent(turn.agentId)}** spoke, ${causeText(turn, story, names)}.`,
  ];
}

function triggerLines(triggers: readonly WhyTrigger[], about: MessageId | null): readonly string[] {
  // The one that was asked about is among those shown, and the order stays.
  const first = triggers.filter((one) => one.messageId === about);
  const rest = triggers.filter((one) => one.messageId !== about);
  const chosen = [...first, ...rest].slice(0, MAX_QUOTES);
  const hidden = triggers.length - chosen.length;
  return [
    ...triggers
      .filter((one) => chosen.includes(one))
      .map(({ author, text, link }) => {
        const there = text === null ? "" : ` [↗](${link})`;
        return `> ${plain(author)}: ${quoted(text)}${there}`;
      }),
    ...(hidden === 0 ? [] : [`> and ${hidden} more ${hidden === 1 ? "message" : "messages"}`]),
  ];
}

function quoted(text: string | null): string {
  if (text === null) return "(deleted)";
  if (text.trim() === "") return "(no text)";
  // A link that opens a preview of its own would be larger than the whole answer.
  return quote(text);
}

function explanationLines({ explained }: Story, names: Names): readonly string[] {
  if (explained === null) return [];
  return ["**The judge explains**", ...reasonLines(explained.reasons, names)];
}

/** One line for each member. */
function reasonLines(reasons: Reasons, names: Names): readonly string[] {
  return reasons.map(({ agentId, text }) => `- **${names.agent(agentId)}**: ${plain(text)}`);
}

function presentLines(
  { opening }: Story,
  present: WhyInput["present"],
  names: Names,
): readonly string[] {
  const changes = opening.members.flatMap(({ agentId, displayName }) => {
    const now = present.get(agentId);
    if (now === undefined || now === displayName) return [];
    const then = names.agent(agentId);
    return [now === null ? `${then} is archived` : `${then} is called ${plain(now)}`];
  });
  return changes.length === 0 ? [] : [`-# By now ${listOf(changes)}.`];
}

function block(lines: readonly string[]): string {
  return ["```", ...lines, "```"].join("\n");
}

function optional(line: string | null): readonly string[] {
  return line === null ? [] : [line];
}
