/** Does one post of a message to another agent, which only rounds in agents' own channels have. */
import type { Agent } from "../domain/agent.js";
import { startsTurn } from "../domain/chain.js";
import type { MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place, said } from "../domain/message.js";
import { plain } from "../domain/plain.js";
import type { Reply } from "../domain/round/common.js";
import type { Step } from "../domain/round/round.js";
import type { OutgoingPost, ToolEvent } from "../domain/round/toolUse.js";
import { ChatError } from "../ports/chat.js";
import type { DirectWork } from "./composeDirect.js";
import type { Done } from "./perform.js";
import { postPart } from "./post.js";
import type { Services } from "./services.js";
import { soughtPost } from "./soughtPost.js";
import { chainEndOf } from "./tools/chainEnd.js";

type SendWork = DirectWork<Extract<Step, { do: "send" }>>;

/** Posts one part of a message to another agent, exactly once. */
export async function performSend(services: Services, work: SendWork): Promise<Done> {
  const { state, step, round } = work;
  const { outgoing } = state;
  const planned = outgoing?.posts[step.part];
  if (outgoing === null || planned === undefined) throw new Error("There is nothing to send.");
  const other = await services.storage.agents.get(outgoing.toId);
  if (other === null || other.archivedAtMs !== null) {
    const reason = `${plain(outgoing.toName)} is archived.`;
    return { events: [{ type: "unsent", reason, toNobody: true }] };
  }
  const post = outgoing.role === "answer" ? atHome(planned, other) : planned;
  try {
    const messageId = await postSomewhere(services, work, post);
    if (messageId === null) {
      return {
        events: [{ type: "unsent", reason: `${plain(outgoing.displayName)} is archived.` }],
      };
    }
    return await sentAs(services, work, post, messageId);
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.warn({ err: error, roundId: round.id }, "a message to an agent was not posted");
    return { events: [{ type: "unsent", reason: error.detail }] };
  }
}

/** The same where it may have been done, and is not to be done any more. Null: it was not. Rejects with `ChatError`. */
export async function findSent(
  services: Services,
  work: Pick<SendWork, "round" | "state" | "step" | "signal">,
): Promise<Done | null> {
  const { outgoing } = work.state;
  const planned = outgoing?.posts[work.step.part];
  if (outgoing === null || planned === undefined) throw new Error("There is nothing to look for.");
  const other = await services.storage.agents.get(outgoing.toId);
  const post = outgoing.role === "answer" && other !== null ? atHome(planned, other) : planned;
  const messageId = await somewhere(work, post, (place) =>
    services.chat.findPost(soughtPost(place, replyOf(work), post), work.signal),
  );
  return messageId === null ? null : sentAs(services, work, post, messageId);
}

/** One part of a message to another agent stands. */
async function sentAs(
  services: Services,
  work: Pick<SendWork, "round" | "state" | "step">,
  post: OutgoingPost,
  messageId: MessageId,
): Promise<Done> {
  const { round, state } = work;
  const count = state.outgoing?.chainCount;
  const message = heardMessage(services, work, post, messageId);
  const isEnd = count !== undefined && message !== null;
  const over = isEnd ? { round, state, count, stoppedAt: message.place } : null;
  const chainEnd = over === null ? {} : { chainEnd: await chainEndOf(services, over) };
  const event: ToolEvent = { type: "sent", messageId, ...chainEnd };
  if (message === null) return { events: [event] };
  const isTurn = post.chain !== null && startsTurn(post.chain);
  return { events: [event], message, ...(isTurn ? { wakes: message.place } : {}) };
}

/** The agent that asked may have another channel by now, where it is heard. */
function atHome(post: OutgoingPost, { channelId }: Agent): OutgoingPost {
  if (channelId === null || channelId === post.place.channelId) return post;
  const home: Place = { ...post.place, channelId, threadId: null };
  return { ...post, place: home, heardAt: post.heardAt === null ? null : home };
}

async function postSomewhere(
  services: Services,
  work: SendWork,
  post: OutgoingPost,
): Promise<MessageId | null> {
  const { round, signal, isDoubtful } = work;
  return somewhere(work, post, (place) =>
    postPart(services, {
      round: { ...round, place },
      reply: replyOf(work),
      part: post,
      buttons: [],
      isDoubtful,
      signal,
    }),
  );
}

/** Its last message is older than this one wherever it stands: ids rise with time. */
function replyOf({ round, state, step }: Pick<SendWork, "round" | "state" | "step">): Reply {
  return {
    agentId: step.agentId,
    turn: state.turns,
    displayName: state.outgoing?.displayName ?? "",
    parts: [],
    posted: state.sentIds,
    handoffs: [],
    seenThroughId: round.triggerId,
  };
}

/** An answer whose thread is gone is shown in the conversation to which it belongs. */
async function somewhere<T>(
  { state: { outgoing, chain } }: Pick<SendWork, "state">,
  { place }: OutgoingPost,
  at: (place: Place) => Promise<T>,
): Promise<T> {
  try {
    return await at(place);
  } catch (error) {
    const isGone = error instanceof ChatError && error.kind === "gone" && place.threadId !== null;
    if (!isGone || outgoing?.role !== "answer" || chain?.role !== "request") throw error;
    const { back } = chain;
    const isSame = conversationOf(back) === conversationOf(place);
    return at(isSame ? { ...back, threadId: null } : back);
  }
}

/** As it stands in the transcript of the other agent. */
function heardMessage(
  { clock }: Services,
  { state, step }: Pick<SendWork, "state" | "step">,
  { heardAt, share, chain }: OutgoingPost,
  id: MessageId,
): Message | null {
  if (heardAt === null) return null;
  return said({
    id,
    place: heardAt,
    author: {
      kind: "agent",
      agentId: step.agentId,
      name: state.outgoing?.displayName ?? "",
    },
    text: share,
    ...(chain === null ? {} : { chain }),
    createdAtMs: clock.now(),
  });
}
