/** What was posted in one turn of an agent, found by one of its messages. */
import { UserError } from "../domain/errors.js";
import type { AgentId, MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import type { Round } from "../domain/round/round.js";
import { Journal } from "./journal.js";
import { isManager, MANAGERS, mayTalk, type OperationContext } from "./operations/operation.js";

export interface PostedReply {
  readonly round: Round;
  readonly place: Place;
  readonly agentId: AgentId;
  readonly turn: number;
  /** The newest message that the agent had seen. */
  readonly seenThroughId: MessageId;
  /** Some of its messages are still to be posted. */
  readonly isUnfinished: boolean;
  readonly state: Journal["state"];
}

/**
 * The reply that a message is part of, for somebody who may change it: a manager, or the person
 * who started its round. Rejects with `UserError` when it is none, or not theirs to change.
 */
export async function changeableReply(
  context: OperationContext,
  messageId: MessageId,
): Promise<PostedReply> {
  const message = await context.storage.messages.get(messageId);
  if (message === null || !isHere(message, context.place)) throw noReply();
  const { author, place, turn, seenThroughId } = message;
  const round = message.roundId === null ? null : await context.storage.rounds.get(message.roundId);
  if (author.kind !== "agent" || round === null || turn === null || seenThroughId === null) {
    throw noReply();
  }
  const { state } = await Journal.of(context, round);
  const isStarter = mayTalk(context) && state.startedBy.includes(context.asker.userId);
  if (!isStarter && !isManager(context)) {
    throw new UserError(
      "forbidden",
      `Only ${MANAGERS} and the person whose message this answers can do that.`,
    );
  }
  if (message.deletedAtMs !== null) throw new UserError("conflict", "This message is gone.");
  const isUnfinished = state.closed === null && state.current?.turn === turn;
  return { round, place, agentId: author.agentId, turn, seenThroughId, isUnfinished, state };
}

/** Ids are unique everywhere, but a person may only reach what is where they are. */
function isHere(message: Message, place: Place): boolean {
  return conversationOf(message.place) === conversationOf(place);
}

function noReply(): UserError {
  return new UserError("unknown", "This works only on an agent's reply.");
}
