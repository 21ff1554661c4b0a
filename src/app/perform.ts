/** Does one step of a round: one port call, and the events that say what came of it. */
import { never } from "../domain/errors.js";
import type { AgentId, MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { noticeText } from "../domain/notices.js";
import type { DirectRound } from "../domain/round/direct.js";
import type { HostedRound } from "../domain/round/hosted.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round, RoundEvent, Step } from "../domain/round/round.js";
import { ChatError } from "../ports/chat.js";
import { ask } from "./ask.js";
import { budgetStop } from "./budgets.js";
import { compose } from "./compose.js";
import { composeDirect } from "./composeDirect.js";
import { composeHost } from "./composeHost.js";
import { composeOnFloor } from "./composeOnFloor.js";
import { heardButtons, isInsteadOfReply } from "./heardButtons.js";
import { judge } from "./judge.js";
import { judgingOf } from "./judging.js";
import { noAnswer, placesOf } from "./noAnswer.js";
import { noteOfChanges } from "./noteOfChanges.js";
import { type OnPause, patiently } from "./patience.js";
import { announceOnce, performFloor, sinceOf, spokenOnFloor } from "./performFloor.js";
import { performSend } from "./performSend.js";
import { performTool } from "./performTool.js";
import { postPart } from "./post.js";
import type { Services } from "./services.js";
import { areTriggersGone } from "./triggers.js";

export interface Work<S extends Step = Step> {
  readonly round: Round;
  readonly state: RoundState;
  readonly step: S;
  /** This very step may have been done before the process died. */
  readonly isDoubtful: boolean;
  readonly signal: AbortSignal;
  /** Writes down what has come of it so far. */
  readonly write: (events: readonly RoundEvent[]) => Promise<void>;
  /** The state with everything that was written. */
  readonly current: () => RoundState;
  /** Told when Discord holds the step up. */
  readonly onPause: OnPause;
}

export interface Done {
  readonly events: readonly RoundEvent[];
  /** The message that a `posted` event made, or what the floor said. */
  readonly message?: Message;
  /** Where a message waits for a round now. */
  readonly wakes?: Place;
}

/** Steps that call a model. */
const CALLS: ReadonlySet<Step["do"]> = new Set(["judge", "ask", "compose", "vote", "moderate"]);

/** Rejects only when the signal is aborted or the world cannot be written down (storage). */
export async function perform(services: Services, work: Work): Promise<Done> {
  const { step, state } = work;
  const isFollowUp = step.do === "announce" || step.do === "close";
  // Also when it was deleted at the very moment at which the round opened, or while nobody listened.
  if (!isFollowUp && (await areTriggersGone(services, state.triggerIds))) {
    return { events: [{ type: "stopped", by: null, userId: null }] };
  }
  if (!isFollowUp && (await isArchived(services, work))) {
    return { events: [{ type: "stopped", by: null, userId: null, why: "archived" }] };
  }
  if (CALLS.has(step.do)) {
    const events = await budgetStop(services, work);
    if (events !== null) return { events };
  }
  switch (step.do) {
    case "judge":
      return performJudge(services, { ...work, step });
    case "ask":
      return ask(services, { ...work, step, state: hosted(work.state) });
    case "endAsking":
      return { events: [{ type: "collected" }] };
    case "compose":
      return work.state.kind === "hosted"
        ? composeHost(services, { ...work, step, state: work.state })
        : work.state.kind === "moderated"
          ? composeOnFloor(services, { ...work, step, state: work.state })
          : work.state.kind === "direct"
            ? composeDirect(services, { ...work, step, state: work.state })
            : compose(services, { ...work, step });
    case "tool":
      return performTool(services, { ...work, step, state: direct(work.state) });
    case "send":
      return performSend(services, { ...work, step, state: direct(work.state) });
    case "enter":
    case "vote":
    case "moderate":
    case "readHistory":
    case "say":
      return performFloor(services, { ...work, step });
    case "post":
      return performPost(services, { ...work, step });
    case "announce":
      return performAnnounce(services, { ...work, step });
    case "close":
      return { events: [{ type: "closed", outcome: step.outcome }] };
    default:
      return never(step);
  }
}

/** A round may also open at the very moment at which its group is archived, or be found after a restart. */
async function isArchived({ storage }: Services, { round, state }: Work): Promise<boolean> {
  const owner =
    round.groupId === null
      ? await storage.agents.get(state.hostId)
      : await storage.groups.get(round.groupId);
  return owner !== null && owner.archivedAtMs !== null;
}

type Of<Name extends Step["do"]> = Work<Extract<Step, { do: Name }>>;

/** Only hosted rounds have steps that ask participants. */
function hosted(state: RoundState): HostedRound {
  if (state.kind !== "hosted") throw new Error("This is no hosted round.");
  return state;
}

/** Only rounds in agents' own channels have tools. */
function direct(state: RoundState): DirectRound {
  if (state.kind !== "direct") throw new Error("This is no round of an agent alone.");
  return state;
}

async function performJudge(services: Services, work: Of<"judge">): Promise<Done> {
  const { round, state, step, signal } = work;
  const judging = await judgingOf(
    services,
    { place: round.place, triggerIds: state.triggerIds },
    step.agentIds,
  );
  const account = {
    guildId: round.place.guildId,
    groupId: round.groupId,
    roundId: round.id,
    agentId: null,
    userId: state.startedBy[0] ?? null,
  };
  const judged = await judge(services, { purpose: "judge", ...judging, account }, signal);
  const isNews = judged.failure !== null && state.kind === "open" && !state.isJudgeTold;
  return { events: [{ type: "judged", ...judged, ...(isNews ? { isNews } : {}) }] };
}

async function performPost(services: Services, work: Of<"post">): Promise<Done> {
  const { round, state, step } = work;
  const reply = state.current;
  const part = reply?.parts[step.part];
  if (reply === null || part === undefined) throw new Error("There is no such part to post.");
  try {
    const messageId = await postPart(services, {
      round,
      reply,
      part,
      buttons: step.part === reply.parts.length - 1 ? heardButtons(round, state) : [],
      isDoubtful: work.isDoubtful,
      signal: work.signal,
      onPause: work.onPause,
    });
    if (messageId === null) {
      return { events: [{ type: "turnFailed", agentId: step.agentId, failure: "gone" }] };
    }
    const message: Message = {
      id: messageId,
      place: round.place,
      author: { kind: "agent", agentId: reply.agentId, name: reply.displayName },
      text: part.share,
      attachments: [],
      replyToId: null,
      askedId: null,
      createdAtMs: services.clock.now(),
      editedAtMs: null,
      deletedAtMs: null,
      roundId: round.id,
      turn: reply.turn,
      seenThroughId: reply.seenThroughId,
    };
    return { events: [{ type: "posted", part: step.part, messageId }], message };
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.error(
      { err: error, roundId: round.id, agentId: step.agentId },
      "reply not posted",
    );
    return { events: eventsOfFailedPost(error, step, isOwed(state)) };
  }
}

/** Whether another agent is to hear what comes of this. */
function isOwed(state: RoundState): boolean {
  return state.kind === "direct" && state.isOwed;
}

/** A reply that Discord does not take is a failed turn; a channel that is away ends the round. */
function eventsOfFailedPost(
  error: ChatError,
  step: Extract<Step, { do: "post" }>,
  isAnswerOwed: boolean,
): readonly RoundEvent[] {
  const { agentId } = step;
  switch (error.kind) {
    case "gone":
      if (isAnswerOwed) return [{ type: "turnFailed", agentId, failure: "gone" }];
      return [{ type: "closed", outcome: "unreachable" }];
    case "logged-out":
      return [{ type: "closed", outcome: "unreachable" }];
    case "blocked":
      return [{ type: "turnFailed", agentId, failure: "blocked" }];
    case "refused":
      return [{ type: "turnFailed", agentId, failure: "unpostable", detail: error.detail }];
    case "rate-limited":
      return [{ type: "turnFailed", agentId, failure: "paused", isForAll: true }];
    case "forbidden": {
      const about = error.needs === null ? {} : { about: error.needs };
      return [{ type: "turnFailed", agentId, failure: "forbidden", ...about, isForAll: true }];
    }
    case "full": {
      const { detail } = error;
      return [{ type: "turnFailed", agentId, failure: "unpostable", detail, isForAll: true }];
    }
    case "unknown":
    case "unavailable":
      return [{ type: "turnFailed", agentId, failure: "unpostable" }];
    default:
      return never(error.kind);
  }
}

/** What people wonder about most. */
const WHY_ASKED: ReadonlySet<Notice["type"]> = new Set(["cap", "turnFailed", "judgeFailed"]);

async function performAnnounce(services: Services, work: Of<"announce">): Promise<Done> {
  const { round, state, step } = work;
  const { notice } = step;
  // Who was asked may have left before the round began.
  const absent =
    notice.type === "turnFailed" ? await services.storage.agents.get(notice.agentId) : null;
  const nameOf = (id: AgentId) =>
    state.members.find((member) => member.agentId === id)?.displayName ??
    absent?.displayName ??
    "An agent";
  const announcement = {
    text: noticeText(notice, { cap: state.cap, nameOf }),
    buttons: [
      ...(WHY_ASKED.has(notice.type)
        ? [{ id: `why:${round.id}`, label: "Why", style: "plain" as const }]
        : []),
      ...(isInsteadOfReply(notice) ? heardButtons(round, state) : []),
    ],
    isSilent: true,
    nonce: `${round.id}.${step.index}`,
    afterId: sinceOf(round, state),
  };
  let { isDoubtful } = work;
  const say = async (place: Place) => {
    try {
      return await announceOnce(services, { ...announcement, place, isDoubtful }, work.signal);
    } catch (error) {
      isDoubtful ||= error instanceof ChatError && error.kind === "unknown";
      throw error;
    }
  };
  let messageId: MessageId | null = null;
  for (const place of await placesOf(services, { notice, round, state })) {
    try {
      messageId = await patiently(services, work.signal, () => say(place), work.onPause);
      break;
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      // Not being able to say something must not keep the round from going on: it is in the journal.
      services.log.error(
        { err: error, roundId: round.id, notice: notice.type },
        "notice not posted",
      );
      const isAway = error.kind === "gone" || error.kind === "logged-out";
      if (isAway && conversationOf(place) === conversationOf(round.place)) {
        return { events: [{ type: "closed", outcome: "unreachable" }] };
      }
    }
  }
  const said =
    messageId === null
      ? {}
      : {
          ...spokenOnFloor(services, { round, state, notice, messageId, nameOf }),
          ...(await noAnswer(services, { state, notice, messageId, nameOf })),
          ...noteOfChanges(services, { round, state, notice, messageId, nameOf }),
        };
  return { events: [{ type: "announced", notice, messageId }], ...said };
}
