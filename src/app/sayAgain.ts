/**
 * Another reply in the place of one that was posted: the same agent, with the role that it has
 * now, answers the same point of the conversation. It changes the messages that are there. Since
 * no round goes on after it, handoffs in it are not followed.
 */
import type { Agent } from "../domain/agent.js";
import { UserError } from "../domain/errors.js";
import type { Group } from "../domain/group.js";
import type { MessageId } from "../domain/ids.js";
import { conversationOf, type Message } from "../domain/message.js";
import { failureText } from "../domain/phrases.js";
import { splitReply } from "../domain/split.js";
import { assertBudget } from "./budgets.js";
import { changeReply } from "./changeReply.js";
import { speakAsHost } from "./composeHost.js";
import { offerOf, speakOnFloor } from "./composeOnFloor.js";
import { hear } from "./hear.js";
import { hostedChatIn } from "./hostedChats.js";
import { hostedSceneOf } from "./hostedScene.js";
import type { Answer, OperationContext } from "./operations/operation.js";
import { bold } from "./operations/show.js";
import { shownOf } from "./post.js";
import { changeableReply, type PostedReply } from "./reply.js";
import { isForeseen, sentenceOf } from "./report.js";
import { type Spoken, speak } from "./speak.js";
import { ShuttingDown, StopRound } from "./stopping.js";
import { whileTyping } from "./typing.js";

/**
 * Has a reply said again, in the mailbox of its conversation: never beside a round, and ended by a
 * stop. The answer comes at once, and its `later` when it is done. Without a new text the old one
 * stays. Rejects with `UserError` when it is not possible.
 */
export async function sayAgain(context: OperationContext, messageId: MessageId): Promise<Answer> {
  const { storage, mailboxes } = context;
  const reply = await changeableReply(context, messageId);
  const { agent } = await speakerOf(context, reply);
  await assertBudget(context, { ...context.asker, groupId: reply.round.groupId });
  const before = await storage.messages.ofTurn(reply.round.id, reply.turn);
  const conversationId = conversationOf(reply.place);
  const isBusy = mailboxes.isBusy(conversationId);
  const later = new Promise<Answer>((resolve, reject) => {
    mailboxes.run(conversationId, (signal) =>
      again(context, { reply, before }, signal).then(resolve, reject),
    );
  });
  const name = bold(agent.displayName);
  return {
    text: isBusy
      ? `${name} says it again as soon as what is going on here has ended.`
      : `${name} is writing it again…`,
    later,
  };
}

const OLD_TEXT_STAYS = "The old text stays.";
const PARTLY_NEW = "The beginning is new, the rest is old.";
const TO_BE_NEW = "I go on with it when I am back.";
const LEFT_OVER = "The new text is there, but some of the old one is still below it.";

interface Wanted {
  readonly reply: PostedReply;
  /** The messages as they were when it was asked for. */
  readonly before: readonly Message[];
}

async function again(
  context: OperationContext,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Answer> {
  const { mailboxes, log } = context;
  const { round, place, turn } = wanted.reply;
  let outcome = OLD_TEXT_STAYS;
  let isPlanned = false;
  try {
    if (mailboxes.isClosing) throw new ShuttingDown();
    const speaker = await speakerOf(context, wanted.reply);
    await standing(context, wanted);
    const { text, isCut } = await spoken(context, wanted.reply, speaker, signal);
    const messages = await standing(context, wanted);
    const parts = splitReply(text, messages.length, isCut);
    signal.throwIfAborted();
    const change = {
      id: `${round.id} ${turn}`,
      place,
      messages: messages.map(({ id }, index) => {
        const part = parts[index];
        if (part === undefined) return { id, becomes: null };
        return { id, becomes: { ...shownOf(part, speaker.agent), share: part.share } };
      }),
    };
    await changeReply(context, change, signal, (step) => {
      if (step === "planned") isPlanned = true;
      else outcome = step === "changed" ? PARTLY_NEW : LEFT_OVER;
    });
    return { text: `${bold(speaker.agent.displayName)} has said it again.` };
  } catch (error) {
    // It is not wanted or not allowed any more, and says so itself.
    if (error instanceof UserError) return { text: error.message };
    const sentence = sentenceFor(error);
    if (sentence === null) throw error;
    log.warn({ err: error, roundId: round.id }, "a reply was not said again");
    if (isPlanned && error instanceof ShuttingDown) outcome = TO_BE_NEW;
    return { text: `${sentence} ${outcome}` };
  }
}

interface Speaker {
  readonly agent: Agent;
  /** Null: a hosted chat in an agent's own channel. */
  readonly group: Group | null;
}

/** The agent as it is now, when it may still speak there. */
async function speakerOf(
  { storage }: Pick<OperationContext, "storage">,
  { round, agentId }: PostedReply,
): Promise<Speaker> {
  const group = round.groupId === null ? null : await storage.groups.get(round.groupId);
  const agent = await storage.agents.get(agentId);
  const chat =
    round.kind === "hosted" ? await hostedChatIn({ storage }, round.place.channelId) : null;
  const isInChat = chat !== null && chat.groupId === null && agent?.id === chat.hostId;
  if (isInChat && round.openedAtMs >= chat.startedAtMs) return { agent, group };
  if (round.kind === "direct") {
    throw new UserError(
      "conflict",
      "Replies in an agent's own channel cannot be said again; just write to the agent.",
    );
  }
  if (group === null || group.archivedAtMs !== null) {
    throw new UserError("conflict", "This group is archived.");
  }
  if (agent === null || agent.archivedAtMs !== null) {
    throw new UserError("conflict", "This agent is archived.");
  }
  const name = bold(agent.displayName);
  if (!group.members.includes(agentId)) {
    throw new UserError("conflict", `${name} is no longer a member of this group.`);
  }
  if (group.muted.includes(agentId)) {
    throw new UserError("conflict", `${name} is muted here; \`/unmute\` brings it back.`);
  }
  return { agent, group };
}

/** The messages of the reply, when it is still the one that was asked about. */
async function standing(
  { storage }: Pick<OperationContext, "storage">,
  { reply, before }: Wanted,
): Promise<readonly Message[]> {
  const messages = await storage.messages.ofTurn(reply.round.id, reply.turn);
  if (messages.length === 0) throw new UserError("conflict", "This reply is gone.");
  const hasChanged = messages.some(({ id, editedAtMs }) =>
    before.some((message) => message.id === id && message.editedAtMs !== editedAtMs),
  );
  // Two people, or one who pressed twice: once is what they wanted.
  if (hasChanged) throw new UserError("conflict", "It has just been said again.");
  return messages;
}

/** What the agent says at that point: it hears what it had heard then, and not its own reply. */
async function spoken(
  context: OperationContext,
  { round, place, state, seenThroughId }: PostedReply,
  { agent, group }: Speaker,
  signal: AbortSignal,
): Promise<Extract<Spoken, { text: string }>> {
  const { members, hostId, triggerIds } = state;
  const userId = context.asker.userId;
  const said = await whileTyping(context, place, async () => {
    if (state.kind === "hosted") {
      const scene = await hostedSceneOf(context, round, state, signal);
      return speakAsHost(context, { round, state, scene, userId }, signal);
    }
    if (state.kind === "moderated") {
      const point = { round, state, agentId: agent.id, offer: offerOf(state), userId };
      return speakOnFloor(context, { ...point, throughId: seenThroughId }, signal);
    }
    if (group === null) throw new Error(`Round ${round.id} has no group.`);
    const heard = await hear(context, place, signal, { throughId: seenThroughId });
    return speak(
      context,
      { round, group, agent, members, hostId, triggerIds, ...heard, userId },
      signal,
    );
  });
  if (said === null || said.text === null) {
    const why = failureText(said?.silence ?? "gone");
    throw new UserError(
      "conflict",
      `${bold(agent.displayName)} could not answer: ${why}. ${OLD_TEXT_STAYS}`,
    );
  }
  return said;
}

/** Null: not foreseen. */
function sentenceFor(error: unknown): string | null {
  if (error instanceof StopRound) return "Stopped.";
  if (error instanceof ShuttingDown) return "I am being restarted.";
  return isForeseen(error) ? sentenceOf(error) : null;
}
