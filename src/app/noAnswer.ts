/**
 * A message of an agent that gets no answer: who wrote it is told so as it would get an answer, as a
 * message that waits for a turn there. It is stored together with the line that people see.
 */
import type { AgentId, MessageId } from "../domain/ids.js";
import type { Message, Place } from "../domain/message.js";
import { noticeText } from "../domain/notices.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/** Where people may be told, the best place first: a thread may be gone. */
export function placesOf(notice: Notice, round: Round): readonly Place[] {
  if (notice.type !== "unanswered") return [round.place];
  const { at } = notice;
  return at.threadId === null ? [at] : [at, { ...at, threadId: null }];
}

/** What waits for a turn of the agent that asked, once people were told. */
export function noAnswer(
  { clock }: Pick<Services, "clock">,
  said: {
    readonly state: RoundState;
    readonly notice: Notice;
    readonly messageId: MessageId;
    readonly nameOf: (agentId: AgentId) => string;
  },
): { readonly message?: Message; readonly wakes?: Place } {
  const { state, notice, messageId, nameOf } = said;
  if (notice.type !== "unanswered" || state.kind !== "direct") return {};
  const { chain, hostId, notices, cap } = state;
  if (chain?.role !== "request") return {};
  // What its own channel is told next is the reason.
  const [, because] = notices;
  const reason = because === undefined ? "it says no more." : noticeText(because, { cap, nameOf });
  const { id, startedBy, depth, about, back } = chain;
  const name = nameOf(hostId);
  const message: Message = {
    id: messageId,
    place: back,
    author: { kind: "agent", agentId: hostId, name },
    text: `${name} gave no answer: ${reason.replace(/^-# /u, "")}`,
    attachments: [],
    replyToId: null,
    askedId: null,
    chain: {
      role: "answer",
      id,
      startedBy,
      depth: depth + 1,
      about,
      fromId: hostId,
      fromName: name,
    },
    createdAtMs: clock.now(),
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
  return { message, wakes: back };
}
