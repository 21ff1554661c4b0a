/** Does one post of a message to another agent, which only rounds in agents' own channels have. */
import type { Agent } from "../domain/agent.js";
import { startsTurn } from "../domain/chain.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { plain } from "../domain/plain.js";
import type { Step } from "../domain/round/round.js";
import type { OutgoingPost, ToolEvent } from "../domain/round/toolUse.js";
import { ChatError } from "../ports/chat.js";
import type { DirectWork } from "./composeDirect.js";
import type { Done } from "./perform.js";
import { postPart } from "./post.js";
import type { Services } from "./services.js";
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
    const message = heardMessage(services, work, post, messageId);
    const { chainCount: count } = outgoing;
    const isEnd = count !== undefined && message !== null;
    const over = isEnd ? { round, state, count, stoppedAt: message.place } : null;
    const chainEnd = over === null ? {} : { chainEnd: await chainEndOf(services, over) };
    const event: ToolEvent = { type: "sent", messageId, ...chainEnd };
    if (message === null) return { events: [event] };
    const isTurn = post.chain !== null && startsTurn(post.chain);
    return { events: [event], message, ...(isTurn ? { wakes: message.place } : {}) };
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.warn({ err: error, roundId: round.id }, "a message to an agent was not posted");
    return { events: [{ type: "unsent", reason: error.detail }] };
  }
}

/** The agent that asked may have another channel by now, where it is heard. */
function atHome(post: OutgoingPost, { channelId }: Agent): OutgoingPost {
  if (channelId === null || channelId === post.place.channelId) return post;
  const home: Place = { ...post.place, channelId, threadId: null };
  return { ...post, place: home, heardAt: post.heardAt === null ? null : home };
}

/** An answer whose thread is gone is shown in the conversation to which it belongs. */
async function postSomewhere(
  services: Services,
  { round, state, step, signal, isDoubtful }: SendWork,
  post: OutgoingPost,
): Promise<Message["id"] | null> {
  const { outgoing, chain } = state;
  const at = (place: Place) =>
    postPart(services, {
      round: { ...round, place },
      // Its last message is older than this one wherever it stands: ids rise with time.
      reply: {
        agentId: step.agentId,
        turn: state.turns,
        displayName: outgoing?.displayName ?? "",
        parts: [],
        posted: state.sentIds,
        handoffs: [],
        seenThroughId: round.triggerId,
      },
      part: post,
      buttons: [],
      isDoubtful,
      signal,
    });
  const { place } = post;
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
  { state, step }: SendWork,
  { heardAt, share, chain }: OutgoingPost,
  id: Message["id"],
): Message | null {
  if (heardAt === null) return null;
  return {
    id,
    place: heardAt,
    author: {
      kind: "agent",
      agentId: step.agentId,
      name: state.outgoing?.displayName ?? "",
    },
    text: share,
    attachments: [],
    replyToId: null,
    askedId: null,
    ...(chain === null ? {} : { chain }),
    createdAtMs: clock.now(),
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
}
