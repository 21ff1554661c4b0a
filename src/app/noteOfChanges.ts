import type { AgentId, MessageId } from "../domain/ids.js";
import { type Message, PARLEY_VOICE } from "../domain/message.js";
import { noticeWords } from "../domain/notices.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/**
 * The line that says what an agent's tools have changed, as it stands in the transcript: the agent
 * itself knows of it in later turns, whatever became of the one in which it was done.
 */
export function noteOfChanges(
  { clock }: Pick<Services, "clock">,
  said: {
    readonly round: Round;
    readonly state: RoundState;
    readonly notice: Notice;
    readonly messageId: MessageId;
    readonly nameOf: (agentId: AgentId) => string;
  },
): { readonly message?: Message } {
  const { round, state, notice, messageId, nameOf } = said;
  if (notice.type !== "changed") return {};
  const message: Message = {
    id: messageId,
    place: round.place,
    author: { kind: "agent", ...PARLEY_VOICE },
    text: noticeWords(notice, { cap: state.cap, nameOf }),
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
