import { FLOOR_VOICE } from "../domain/floor.js";
import { spokenNotice } from "../domain/floorText.js";
import type { AgentId, MessageId } from "../domain/ids.js";
import { type Message, PARLEY_VOICE, said } from "../domain/message.js";
import { noticeWords } from "../domain/notices.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import { noAnswer } from "./noAnswer.js";
import type { Done } from "./perform.js";
import type { Services } from "./services.js";

/** A notice that people see. */
interface Announced {
  readonly round: Round;
  readonly state: RoundState;
  readonly notice: Notice;
  readonly messageId: MessageId;
  readonly nameOf: (agentId: AgentId) => string;
}

/** What agents are to know of a notice, as it stands in the transcript; nothing of most of them. */
export async function recordOf(
  services: Pick<Services, "clock" | "storage">,
  announced: Announced,
): Promise<Pick<Done, "message" | "wakes">> {
  const { round, notice, messageId } = announced;
  if (notice.type === "unanswered") return noAnswer(services, announced);
  const words = wordsOf(announced);
  if (words === null) return {};
  const { name, agentId, text } = words;
  const message = said({
    id: messageId,
    place: round.place,
    author: { kind: "agent", agentId, name },
    text,
    createdAtMs: services.clock.now(),
    roundId: round.id,
  });
  return { message };
}

/**
 * What an agent's tools have changed, so that it knows of it in later turns whatever became of the
 * one in which it was done; and the words of the floor: speakers read what people read.
 */
function wordsOf({
  state,
  notice,
  nameOf,
}: Announced): (Pick<Message, "text"> & typeof PARLEY_VOICE) | null {
  if (notice.type === "changed") {
    return { ...PARLEY_VOICE, text: noticeWords(notice, { cap: state.cap, nameOf }) };
  }
  const text = state.kind === "moderated" ? spokenNotice(notice, nameOf) : null;
  return text === null ? null : { ...FLOOR_VOICE, text };
}
