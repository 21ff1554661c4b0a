/**
 * A message of an agent that gets no answer: who wrote it is told so as it would get an answer, as a
 * message that waits for a turn there. It is stored together with the line that people see.
 */
import { type Chain, startsTurn } from "../domain/chain.js";
import type { AgentId, MessageId } from "../domain/ids.js";
import { type Message, type Place, said } from "../domain/message.js";
import { noticeWords } from "../domain/notices.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Notice, Round } from "../domain/round/round.js";
import type { Services } from "./services.js";

/** Where people may be told, the best place first: a thread may be gone. */
export async function placesOf(
  services: Pick<Services, "storage">,
  { notice, round, state }: { notice: Notice; round: Round; state: RoundState },
): Promise<readonly Place[]> {
  if (notice.type === "chainOver" || notice.type === "unsent") return [notice.at ?? round.place];
  if (notice.type !== "unanswered") return [round.place];
  const at = await atHome(services, state, notice.at);
  return at.threadId === null ? [at] : [at, { ...at, threadId: null }];
}

/** The agent that asked may have another channel by now, where it is told instead. */
async function atHome(
  { storage }: Pick<Services, "storage">,
  state: RoundState,
  at: Place,
): Promise<Place> {
  const chain = state.kind === "direct" ? state.chain : null;
  const asked = chain === null ? null : await storage.agents.get(chain.fromId);
  const channelId = asked?.channelId ?? at.channelId;
  return channelId === at.channelId ? at : { ...at, channelId, threadId: null };
}

/** What waits for a turn of the agent that asked, once people were told. */
export async function noAnswer(
  services: Pick<Services, "clock" | "storage">,
  words: {
    readonly state: RoundState;
    readonly notice: Notice;
    readonly messageId: MessageId;
    readonly nameOf: (agentId: AgentId) => string;
  },
): Promise<{ readonly message?: Message; readonly wakes?: Place }> {
  const { state, notice, messageId, nameOf } = words;
  if (notice.type !== "unanswered" || state.kind !== "direct") return {};
  const { chain: asked, hostId, cap } = state;
  if (asked?.role !== "request") return {};
  const { id, startedBy, about } = asked;
  const back = await atHome(services, state, asked.back);
  const name = nameOf(hostId);
  const chain: Chain = {
    role: "answer",
    ...(notice.answer === undefined ? { isNone: true } : {}),
    id,
    startedBy,
    depth: asked.depth + 1,
    about,
    fromId: hostId,
    fromName: name,
  };
  const message = said({
    id: messageId,
    place: back,
    author: { kind: "agent", agentId: hostId, name },
    text: notice.answer ?? noticeWords(notice, { cap, nameOf }),
    chain,
    createdAtMs: services.clock.now(),
  });
  return { message, ...(startsTurn(chain) ? { wakes: back } : {}) };
}
