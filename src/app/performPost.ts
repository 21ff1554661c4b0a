/** Puts one part of a reply into the channel. */
import { never } from "../domain/errors.js";
import type { MessageId } from "../domain/ids.js";
import { said } from "../domain/message.js";
import { NO_REASON } from "../domain/phrases.js";
import type { Reply } from "../domain/round/common.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { ReplyPart, RoundEvent, Step } from "../domain/round/round.js";
import { ChatError } from "../ports/chat.js";
import { heardButtons } from "./heardButtons.js";
import type { Done, Work } from "./perform.js";
import { postPart } from "./post.js";
import type { Services } from "./services.js";
import { soughtPost } from "./soughtPost.js";

type PostStep = Extract<Step, { do: "post" }>;

export async function performPost(services: Services, work: Work<PostStep>): Promise<Done> {
  const { round, state, step } = work;
  const { reply, part } = partOf(work);
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
    return postedAs(services, work, messageId);
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.error(
      { err: error, roundId: round.id, agentId: step.agentId },
      "reply not posted",
    );
    const events = eventsOfFailedPost(error, step, isOwed(state));
    return { events: reply.posted.length === 0 ? events : events.map(partial) };
  }
}

/** The same where it may have been done, and is not to be done any more. Null: it was not. Rejects with `ChatError`. */
export async function findPosted(
  services: Services,
  work: Pick<Work<PostStep>, "round" | "state" | "step" | "signal">,
): Promise<Done | null> {
  const { reply, part } = partOf(work);
  const wanted = soughtPost(work.round.place, reply, part);
  const messageId = await services.chat.findPost(wanted, work.signal);
  return messageId === null ? null : postedAs(services, work, messageId);
}

function partOf({ state, step }: Pick<Work<PostStep>, "state" | "step">): {
  readonly reply: Reply;
  readonly part: ReplyPart;
} {
  const reply = state.current;
  const part = reply?.parts[step.part];
  if (reply === null || part === undefined) throw new Error("There is no such part to post.");
  return { reply, part };
}

/** One part of a reply stands. */
function postedAs(
  { clock }: Pick<Services, "clock">,
  work: Pick<Work<PostStep>, "round" | "state" | "step">,
  messageId: MessageId,
): Done {
  const { round, step } = work;
  const { reply, part } = partOf(work);
  const message = said({
    id: messageId,
    place: round.place,
    author: { kind: "agent", agentId: reply.agentId, name: reply.displayName },
    text: part.share,
    createdAtMs: clock.now(),
    roundId: round.id,
    turn: reply.turn,
    seenThroughId: reply.seenThroughId,
  });
  return { events: [{ type: "posted", part: step.part, messageId }], message };
}

/** Its beginning stands there: people are told that the rest is missing. */
function partial(event: RoundEvent): RoundEvent {
  return event.type === "turnFailed" ? { ...event, isPartial: true } : event;
}

/** Whether another agent is to hear what comes of this. */
function isOwed(state: RoundState): boolean {
  return state.kind === "direct" && state.isOwed;
}

/** A reply that Discord does not take is a failed turn; a channel that is away ends the round. */
function eventsOfFailedPost(
  error: ChatError,
  step: PostStep,
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
    case "refused": {
      const detail = error.detail === NO_REASON ? {} : { detail: error.detail };
      return [{ type: "turnFailed", agentId, failure: "refused-post", ...detail }];
    }
    case "rate-limited":
      return [{ type: "turnFailed", agentId, failure: "paused", isForAll: true }];
    case "forbidden": {
      const about = error.needs === null ? {} : { about: error.needs };
      return [{ type: "turnFailed", agentId, failure: "forbidden", ...about, isForAll: true }];
    }
    case "full": {
      const { detail } = error;
      return [{ type: "turnFailed", agentId, failure: "refused-post", detail, isForAll: true }];
    }
    case "unknown":
    case "unavailable":
      return [{ type: "turnFailed", agentId, failure: "unpostable" }];
    default:
      return never(error.kind);
  }
}
