/** What only rounds of moderated groups do, and what of the floor's words belongs to the conversation. */
import { never } from "../domain/errors.js";
import { FLOOR_VOICE, type FloorStep } from "../domain/floor.js";
import { spokenNotice } from "../domain/floorText.js";
import type { AgentId, MessageId } from "../domain/ids.js";
import type { Message } from "../domain/message.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Announcement } from "../ports/chat.js";
import { castVote } from "./castVote.js";
import { sayOnFloor } from "./composeOnFloor.js";
import { enterFloor } from "./enterFloor.js";
import { moderate, readHistory } from "./moderate.js";
import type { Done, Work } from "./perform.js";
import type { Services } from "./services.js";

export async function performFloor(services: Services, work: Work<FloorStep>): Promise<Done> {
  const { step, state } = work;
  if (state.kind !== "moderated") throw new Error("This is no moderated round.");
  switch (step.do) {
    case "enter":
      return enterFloor(services, { round: work.round, state });
    case "vote":
      return castVote(services, { ...work, step, state });
    case "moderate":
      return moderate(services, { ...work, step, state });
    case "readHistory":
      return readHistory(services, { ...work, step, state });
    case "say":
      return sayOnFloor(services, { ...work, step, state });
    default:
      return never(step);
  }
}

/** What the round says next is younger than this. The floor may say the same several times in one round. */
export function sinceOf(round: Round, state: RoundState): MessageId {
  if (state.kind === "moderated") return state.newestId ?? round.triggerId;
  return state.triggerIds[0] ?? round.triggerId;
}

/**
 * As `Chat.announce`; but what is found for a doubtful one and stands in the transcript already is
 * an earlier one with the same words, as when a command is given twice.
 */
export async function announceOnce(
  { chat, storage }: Pick<Services, "chat" | "storage">,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<MessageId> {
  let { afterId } = announcement;
  for (;;) {
    const id = await chat.announce({ ...announcement, afterId }, signal);
    if (!announcement.isDoubtful || (await storage.messages.get(id)) === null) return id;
    afterId = id;
  }
}

/** The bot's words on the floor as a message of the transcript: speakers read what people read. */
export function spokenOnFloor(
  { clock }: Pick<Services, "clock">,
  said: {
    readonly round: Round;
    readonly state: RoundState;
    readonly notice: Notice;
    readonly messageId: MessageId;
    readonly nameOf: (agentId: AgentId) => string;
  },
): Pick<Done, "message"> {
  const { round, state, notice, messageId, nameOf } = said;
  const text = state.kind === "moderated" ? spokenNotice(notice, nameOf) : null;
  if (text === null) return {};
  const message: Message = {
    id: messageId,
    place: round.place,
    author: { kind: "agent", ...FLOOR_VOICE },
    text,
    attachments: [],
    replyToId: null,
    askedId: null,
    createdAtMs: clock.now(),
    editedAtMs: null,
    deletedAtMs: null,
    roundId: round.id,
    turn: null,
    seenThroughId: null,
  };
  return { message };
}
