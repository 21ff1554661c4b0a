/** Says one notice of the bot in the channel. */
import type { AgentId, MessageId } from "../domain/ids.js";
import { conversationOf, type Place } from "../domain/message.js";
import { noticeText } from "../domain/notices.js";
import { nameIn } from "../domain/round/common.js";
import type { Notice, Round, Step } from "../domain/round/round.js";
import { ChatError } from "../ports/chat.js";
import { heardButtons, isInsteadOfReply } from "./heardButtons.js";
import { placesOf } from "./noAnswer.js";
import { Doubt, patiently } from "./patience.js";
import type { Done, Work } from "./perform.js";
import { announceOnce, sinceOf } from "./performFloor.js";
import { recordOf } from "./recordOf.js";
import type { Services } from "./services.js";

type AnnounceStep = Extract<Step, { do: "announce" }>;

/** Longer ones are refused. */
const NONCE_CHARACTERS = 25;

/**
 * The same for the same words at the same place of a round. A stop, or the end of a round that is too
 * old, may put others in the place of what a killed process has said without storing it; taken for
 * the same they would never be said.
 */
function nonceOf({ id }: Round, { index, notice }: AnnounceStep): string {
  let hash = 0;
  for (const sign of JSON.stringify(notice)) {
    hash = (Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0)) >>> 0;
  }
  return `${id}.${index}${hash.toString(36)}`.slice(0, NONCE_CHARACTERS);
}

/** What people wonder about most. */
const WHY_ASKED: ReadonlySet<Notice["type"]> = new Set(["cap", "turnFailed", "judgeFailed"]);

export async function performAnnounce(services: Services, work: Work<AnnounceStep>): Promise<Done> {
  const { round, state, step } = work;
  const { notice } = step;
  // Who was asked may have left before the round began.
  const absent =
    notice.type === "turnFailed" ? await services.storage.agents.get(notice.agentId) : null;
  const members =
    absent === null ? state.members : [...state.members, { ...absent, agentId: absent.id }];
  const nameOf = (id: AgentId) => nameIn(members, id);
  const announcement = {
    text: noticeText(notice, { cap: state.cap, nameOf }),
    buttons: [
      ...(WHY_ASKED.has(notice.type)
        ? [{ id: `why:${round.id}`, label: "Why", style: "plain" as const }]
        : []),
      ...(isInsteadOfReply(notice) ? heardButtons(round, state) : []),
    ],
    isSilent: true,
    nonce: nonceOf(round, step),
    afterId: sinceOf(round, state),
  };
  const doubt = new Doubt(work.isDoubtful);
  const say = (place: Place, signal: AbortSignal) =>
    doubt.during((isDoubtful) =>
      announceOnce(services, { ...announcement, place, isDoubtful }, signal),
    );
  let messageId: MessageId | null = null;
  for (const place of await placesOf(services, { notice, round, state })) {
    try {
      messageId = await patiently(
        services,
        work.signal,
        (signal) => say(place, signal),
        work.onPause,
      );
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
  const record =
    messageId === null ? {} : await recordOf(services, { round, state, notice, messageId, nameOf });
  return { events: [{ type: "announced", notice, messageId }], ...record };
}
