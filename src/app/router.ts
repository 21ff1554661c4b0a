/** Takes what comes from the chat service to where it belongs. */
import type { Agent } from "../domain/agent.js";
import { type ConversationId, compareSnowflakes } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { isGroupChatCommand, isStopWord } from "../domain/textCommand.js";
import { ChatError, type ReceivedMessage } from "../ports/chat.js";
import { answerPending } from "./answerPending.js";
import { Arrivals } from "./arrivals.js";
import { type Changes, createChanges } from "./changes.js";
import { explainExchange } from "./explainExchange.js";
import { explainFloor } from "./explainFloor.js";
import { obeyGroupChat } from "./groupChatText.js";
import { hostedChatIn } from "./hostedChats.js";
import { mayTalk } from "./operations/operation.js";
import type { Services } from "./services.js";
import { StopRound, unstoppable } from "./stopping.js";

/** How the application is told what people do. Nothing here blocks: work is queued. */
export interface Router extends Changes {
  /** A message of a person. Known ids are passed over, so it may be called twice. */
  received(message: ReceivedMessage): Promise<void>;
  /** Messages that were written while nobody listened, oldest first: those that wait start one round. */
  caughtUp(messages: readonly ReceivedMessage[]): Promise<void>;
}

export function createRouter(services: Services): Router {
  const { storage, settings, clock, log } = services;
  const arrivals = new Arrivals();

  /** Stores a message of a group once, or obeys it. True when it waits for a round now. */
  const store = async (
    message: ReceivedMessage,
    { isLive }: { readonly isLive: boolean },
  ): Promise<boolean> => {
    const group = await storage.groups.byChannel(message.place.channelId);
    const chat = await hostedChatIn(services, message.place.channelId);
    if (group?.archivedAtMs != null) return false;
    if (isGroupChatCommand(message.text)) {
      await obeyGroupChat(services, message);
      return false;
    }
    const agent = group === null ? await ownerIn(services, message.place) : null;
    if (!mayTalk({ asker: message.author, settings })) return false;
    if (group === null && chat === null && agent === null) {
      if (isLive) await explainExchange(services, message);
      return false;
    }
    if (isStopWord(message.text) && message.attachments.length === 0) {
      const isObeyed = await stopByWord(services, message);
      if (!isObeyed && isLive) await sayNothingRuns(services, message);
      return false;
    }
    const isStale = clock.now() - message.createdAtMs > STALE_ROUND_MS;
    const isAnswered = group?.kind === "open" || chat !== null || agent !== null;
    const isPending = isAnswered && !isStale && !isEmpty(message);
    const isNew = await storage.messages.record(storedFrom(message), { isPending });
    if (isNew) log.debug({ messageId: message.id, isPending }, "message stored");
    if (isNew && !isStale && group?.kind === "moderated") {
      await explainFloor(services, group, message);
    }
    return isNew && isPending;
  };

  return {
    async received(message) {
      await arrivals.during(message, async () => {
        if (await store(message, { isLive: true })) answerPending(services, message.place);
      });
    },
    async caughtUp(messages) {
      const places = new Map<ConversationId, Place>();
      // A stop must not wait behind what is to be stored: what it ends goes on meanwhile.
      const isStop = ({ text }: ReceivedMessage) => isStopWord(text);
      const inOrder = [...messages.filter(isStop), ...messages.filter((one) => !isStop(one))];
      for (const message of inOrder) {
        const isWaiting = await arrivals.during(message, () => store(message, { isLive: false }));
        if (isWaiting) places.set(conversationOf(message.place), message.place);
      }
      for (const place of places.values()) answerPending(services, place);
    },
    ...createChanges(services, arrivals),
  };
}

/** The agent that answers there: its own channel, and threads that do not only show what it writes to others. */
async function ownerIn({ storage }: Services, place: Place): Promise<Agent | null> {
  const agent = await storage.agents.byChannel(place.channelId);
  if (agent === null || agent.archivedAtMs !== null) return null;
  if (place.threadId === null) return agent;
  return (await storage.exchanges.ofThread(place.threadId)) === null ? agent : null;
}

/**
 * A message that is just `stop` is a command and no part of the conversation. It ends the round
 * that was running when it was written: seen again later, it must not end another one. What waits
 * behind that round is answered afterwards, as everything that is written while a round runs. False
 * when nothing was running.
 */
async function stopByWord(
  { storage, mailboxes }: Services,
  { id, place, author }: ReceivedMessage,
): Promise<boolean> {
  const conversationId = conversationOf(place);
  const round = await storage.rounds.latest(conversationId);
  const isRunning = round !== null && round.closedAtMs === null;
  if (isRunning && compareSnowflakes(round.triggerId, id) > 0) return true;
  return mailboxes.abort(conversationId, new StopRound({ by: author.name, userId: author.userId }));
}

async function sayNothingRuns(
  { chat, log }: Services,
  { id, place }: ReceivedMessage,
): Promise<void> {
  try {
    await chat.announce(
      {
        place,
        text: "-# Nothing is running here.",
        buttons: [],
        isSilent: true,
        nonce: `s${id}`,
        isDoubtful: false,
        afterId: id,
      },
      unstoppable(),
    );
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, messageId: id }, "a stop could not be answered");
  }
}

/** Nothing to judge or to answer, such as what Discord withholds without the Message Content intent. */
function isEmpty({ text, attachments }: ReceivedMessage): boolean {
  return text.trim() === "" && attachments.length === 0;
}

function storedFrom(message: ReceivedMessage): Message {
  return {
    id: message.id,
    place: message.place,
    author: { kind: "person", userId: message.author.userId, name: message.author.name },
    text: message.text,
    attachments: message.attachments,
    replyToId: message.replyToId,
    askedId: null,
    createdAtMs: message.createdAtMs,
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
}
