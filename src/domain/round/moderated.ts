/**
 * The moderated group: a round is one thing that the floor does. It gives turns one after another,
 * holds a vote in private, or lets the host run the floor with tools that do just that. Nobody else
 * speaks, and what a speaker writes gives the word to nobody.
 */
import { type Ballot, type PublicResult, resultOf, type Vote } from "../ballot.js";
import type { FloorOrder, MissedVote, Pointless } from "../floor.js";
import type { AgentId, MessageId } from "../ids.js";
import { failureText } from "../phrases.js";
import { fieldText, imitable, oneLine } from "../prompts/labels.js";
import { shorten } from "../shorten.js";
import { resultSentence } from "../tally.js";
import {
  begun,
  failureNotice,
  outcomeOf,
  type Reply,
  type RoundCommon,
  stepInHand,
  withAnnounced,
  withComposed,
  withEnd,
  withFailure,
  withPosted,
} from "./common.js";
import { enter, enteredBefore } from "./entering.js";
import { advance, closing, nameOf, say, told } from "./floorActs.js";
import { afterReply, endRun, endTask, expireTask, IDLE, stopTask } from "./moderatedRun.js";
import { type Moderation, mustClose } from "./moderation.js";
import type { GroupEvent, Notice, RoundEvent, Step } from "./round.js";

/** The fold of a moderated round's journal. */
export interface ModeratedRound extends RoundCommon {
  readonly kind: "moderated";
  readonly floor: FloorOrder;
  /** It has come to its turn, and knows its floor. */
  readonly hasEntered: boolean;
  /** Why it did nothing. */
  readonly pointless: Pointless | null;
  /** It has said that the floor is closed. */
  readonly isFloorClosed: boolean;
  /** Turns still to be given, the one that is being given first. */
  readonly waiting: readonly Grant[];
  /** The vote that is held now. */
  readonly poll: Poll | null;
  /** Votes that are over, with all that a recount needs. */
  readonly results: readonly PollResult[];
  /** What the host has written and is about to post. */
  readonly saying: string | null;
  /** How many messages the host wants to read. */
  readonly reading: number | null;
  readonly moderation: Moderation | null;
  /** The newest message that this round made: what it makes next is younger. */
  readonly newestId: MessageId | null;
}

/** One turn that is given. */
export interface Grant {
  readonly agentId: AgentId;
  readonly instruction: string | null;
  /** It is the host's summary at the end. */
  readonly isSummary: boolean;
}

interface Poll {
  readonly ballot: Ballot;
  readonly votes: readonly Vote[];
  /** Of the abstentions, those of members that could not vote. */
  readonly missed: readonly MissedVote[];
}

interface PollResult extends Poll {
  readonly result: PublicResult;
}

type Opened = Extract<RoundEvent, { type: "opened" }>;

/** Characters of a reply that the moderating host is told. */
const TOLD_CHARACTERS = 1_500;

/** The state after the first event. */
export function openModeratedRound(event: Opened): ModeratedRound {
  const { floor } = event;
  if (floor === undefined) throw new Error("A moderated round is opened with its task.");
  return {
    ...begun(event),
    kind: "moderated",
    floor,
    hasEntered: false,
    pointless: null,
    isFloorClosed: false,
    waiting: [],
    poll: null,
    results: [],
    saying: null,
    reading: null,
    moderation: null,
    newestId: null,
  };
}

/** The state after one more event. */
export function applyToModeratedRound(round: ModeratedRound, event: GroupEvent): ModeratedRound {
  const next = advance(apply(enteredBefore(round, event), event));
  const made = event.type === "posted" || event.type === "announced" ? event.messageId : null;
  return made === null ? next : { ...next, newestId: made };
}

function apply(round: ModeratedRound, event: GroupEvent): ModeratedRound {
  switch (event.type) {
    case "entered":
      return enter(round, event);
    case "composed":
      // Who speaks next is the moderator's to say.
      return withComposed({ ...round, saying: null }, { ...event, handoffs: [] });
    case "posted": {
      const posted = withPosted(round, event);
      return posted.whole === null
        ? posted.round
        : afterTurn(posted.round, saidBy(round, posted.whole));
    }
    case "turnFailed":
      return afterFailure(round, event);
    case "voted":
      return afterVote(round, event);
    case "moderated":
      return afterReply(round, event);
    case "historyRead":
      return told({ ...round, reading: null }, event.text);
    case "announced":
      return afterNotice(round, event.notice, event.messageId);
    case "stopped":
      return stopTask(round, event);
    case "expired":
      return expireTask(round);
    case "closed":
      return { ...withEnd({ ...round, ...IDLE }, event.outcome, null), closed: event.outcome };
    case "explained":
      return round;
    default:
      throw new Error(`A moderated round has no event "${event.type}".`);
  }
}

/** What happens next, or null when the round is closed. */
export function nextModeratedStep(round: ModeratedRound): Step | null {
  if (round.closed !== null) return null;
  if (!round.hasEntered && round.ending === null) return { do: "enter" };
  const inHand = stepInHand(round);
  if (inHand !== null) return inHand;
  if (round.poll !== null) {
    const { ballot, votes } = round.poll;
    const agentId = ballot.voters[votes.length];
    if (agentId !== undefined) return { do: "vote", agentId, index: votes.length };
  }
  if (round.saying !== null) return { do: "say", agentId: round.hostId, text: round.saying };
  if (round.reading !== null) return { do: "readHistory", limit: round.reading };
  const [next] = round.waiting;
  if (next !== undefined) return { do: "compose", agentId: next.agentId, turn: round.turns };
  if (round.moderation !== null) {
    return { do: "moderate", mustClose: mustClose(round.moderation) };
  }
  return { do: "close", outcome: outcomeOf(round) };
}

function saidBy(round: ModeratedRound, reply: Reply): string {
  const text = reply.parts.map((part) => part.share).join("");
  const names = imitable(round.members.map(({ displayName }) => displayName));
  return round.waiting.length === 0
    ? "Posted."
    : `${oneLine(reply.displayName)} said: ${fieldText(shorten(text, TOLD_CHARACTERS), names)}`;
}

/** A turn, or a post of the host, has ended; `answer` is what a moderating host is told. */
function afterTurn(round: ModeratedRound, answer: string): ModeratedRound {
  const [done, ...waiting] = round.waiting;
  const [call] = round.moderation?.pending ?? [];
  if (done?.isSummary === true || (done === undefined && call?.name === "close")) {
    const by = round.moderation === null ? round.floor.by : nameOf(round, round.hostId);
    return say({ ...round, waiting: [], moderation: null }, closing(round, by));
  }
  return told({ ...round, waiting }, answer);
}

function afterFailure(
  round: ModeratedRound,
  event: Extract<RoundEvent, { type: "turnFailed" }>,
): ModeratedRound {
  const { agentId, failure, about } = event;
  const failed = withFailure({ ...round, saying: null }, event);
  const isSummary = failed.waiting[0]?.isSummary === true;
  if (event.isForAll && !isSummary) {
    return endTask(failed, "failed", { notice: failureNotice(event), end: { because: "failed" } });
  }
  const answer = `${nameOf(round, agentId)} could not speak: ${failureText(failure, about)}.`;
  const [done, ...rest] = failed.waiting;
  if (done === undefined || done.isSummary || round.moderation !== null) {
    return afterTurn(failed, answer);
  }
  // In order, each has one turn in each round: the next one may go well. Who was given several turns
  // by name, or is gone, has no more of them.
  const { task } = round.floor;
  const isTriedAgain = task.do === "turns" && task.order === "round_robin" && failure !== "gone";
  const waiting = isTriedAgain ? rest : rest.filter((one) => one.agentId !== agentId);
  return { ...failed, waiting };
}

function afterVote(
  round: ModeratedRound,
  vote: Extract<RoundEvent, { type: "voted" }>,
): ModeratedRound {
  if (round.poll === null) throw new Error("There is no vote.");
  const { ballot } = round.poll;
  const { agentId, choice, reason, failure } = vote;
  const missed = [...round.poll.missed, ...(failure === null ? [] : [{ agentId, failure }])];
  const votes = [...round.poll.votes, { agentId, choice, reason }];
  if (votes.length < ballot.voters.length) return { ...round, poll: { ballot, votes, missed } };
  const result = resultOf(ballot, votes);
  const counted = say(
    { ...round, poll: null, results: [...round.results, { ballot, votes, missed, result }] },
    { type: "voteResult", result, ...(missed.length === 0 ? {} : { missed }) },
  );
  return told(
    counted,
    resultSentence(result, (id) => nameOf(round, id)),
  );
}

function afterNotice(
  round: ModeratedRound,
  notice: Notice,
  messageId: MessageId | null,
): ModeratedRound {
  const said = withAnnounced(round);
  switch (notice.type) {
    case "moderating":
      return said.moderation === null
        ? said
        : { ...said, moderation: { ...said.moderation, sinceId: messageId } };
    case "floorClosed":
      return { ...said, isFloorClosed: true, ending: round.ending ?? "done" };
    case "moderatorEnded":
      return endRun(said, "ended");
    default:
      return said;
  }
}
