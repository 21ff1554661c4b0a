/** Takes what comes from the chat service to where it belongs. */
import type { ConversationId, MessageId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Message, type Place, said } from "../domain/message.js";
import { isGroupChatCommand, isStopWord } from "../domain/textCommand.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { answerPending } from "./answerPending.js";
import { Arrivals } from "./arrivals.js";
import { type Changes, createChanges } from "./changes.js";
import { explainExchange } from "./explainExchange.js";
import { explainFloor } from "./explainFloor.js";
import { obeyGroupChat } from "./groupChatText.js";
import { hostedChatIn } from "./hostedChats.js";
import { LiveTime } from "./liveTime.js";
import { mayTalk } from "./operations/operation.js";
import { hearing } from "./patientStorage.js";
import type { Services } from "./services.js";
import { callOff, sayNothingRuns, stopRunning } from "./stopByWord.js";

/** How the application is told what people do. Nothing here blocks: work is queued. */
export interface Router extends Changes {
  /** A message of a person. Known ids are passed over, so it may be called twice. */
  received(message: ReceivedMessage): Promise<void>;
  /**
   * Messages that were written while nobody listened, oldest first: those that wait start one round.
   * When it rejects it may be called again with the same.
   */
  caughtUp(messages: readonly ReceivedMessage[]): Promise<void>;
}

export function createRouter(services: Services): Router {
  const { storage, settings, clock, log, earlyChanges, forgotten } = services;
  const arrivals = new Arrivals();
  const live = new LiveTime(services);

  /** Ends what runs there, at once; where nothing runs, what was about to begin. */
  const stop = async (message: ReceivedMessage) => {
    const here = hearing(services, message.place);
    if ((await audienceOf(here, message)) === null) {
      await explainExchange(here, message);
      return;
    }
    const found = await stopRunning(here, message);
    if (found === "stopped") return;
    await arrivals.before(message);
    const isAnyLeft = await callOff(here, message);
    if (!isAnyLeft && found === "nothing") await sayNothingRuns(here, message);
  };

  /** Stores a message of a group once, or obeys it. */
  const store = async (message: ReceivedMessage): Promise<Stored> => {
    const here = hearing(services, message.place);
    const isForgotten = forgotten.covers(message.id);
    if (isForgotten && (isStopWord(message.text) || isGroupChatCommand(message.text)))
      return NOTHING;
    if (isGroupChatCommand(message.text)) {
      const group = await here.storage.groups.byChannel(message.place.channelId);
      if (group === null && (await showsExchange(here, message.place))) {
        return { isWaiting: false, explains: "exchange" };
      }
      if (group?.archivedAtMs == null) await obeyGroupChat(here, message);
      return NOTHING;
    }
    if (!mayTalk({ asker: message.author, settings })) return NOTHING;
    const audience = await audienceOf(here, message);
    const isStale = clock.now() - message.createdAtMs > STALE_ROUND_MS;
    if (audience === null) return { isWaiting: false, explains: "exchange" };
    const isOwed = audience !== "floor" && !isStale && !isEmpty(message);
    const isPending = isOwed && !isForgotten;
    const isNew = await here.storage.messages.record(storedFrom(message), { isPending });
    if (isNew) log.debug({ messageId: message.id, isPending }, "message stored");
    if (isForgotten) {
      const isUnanswered = isNew && isOwed && (await forgotten.mayBeUnanswered(message));
      return { isWaiting: false, explains: isUnanswered ? "forgotten" : null };
    }
    return {
      isWaiting: isNew && isPending,
      explains: isNew && !isStale && audience === "floor" ? "floor" : null,
    };
  };

  /** What may take long, and nothing has to wait for. */
  const explain = async (message: ReceivedMessage, { explains }: Stored) => {
    if (explains === "exchange") await explainExchange(services, message);
    if (explains === "forgotten") await forgotten.tell(message.place);
    if (explains !== "floor") return;
    const group = await storage.groups.byChannel(message.place.channelId);
    if (group !== null) await explainFloor(services, group, message);
  };

  const isStop = ({ text, attachments, author }: ReceivedMessage) =>
    isStopWord(text) && attachments.length === 0 && mayTalk({ asker: author, settings });

  /** Conversations in which something has been stored that waits for a round, until that is begun. */
  const waiting = new Set<ConversationId>();
  /** How many live messages are on their way in a conversation. What is caught up begins its own round. */
  const coming = new Map<ConversationId, number>();
  const come = (conversationId: ConversationId, change: 1 | -1) => {
    const count = (coming.get(conversationId) ?? 0) + change;
    if (count > 0) coming.set(conversationId, count);
    else coming.delete(conversationId);
  };

  /** Begins a round, unless more is coming that belongs to it: what was held up together is answered together. */
  const storeInOrder = async (message: ReceivedMessage): Promise<Stored> => {
    const conversationId = conversationOf(message.place);
    const isCommand = isGroupChatCommand(message.text);
    if (!isCommand) come(conversationId, 1);
    try {
      const stored = await arrivals.inOrder(message, () => store(message));
      if (stored.isWaiting) waiting.add(conversationId);
      return stored;
    } finally {
      if (!isCommand) come(conversationId, -1);
      if (!coming.has(conversationId) && waiting.delete(conversationId)) {
        answerPending(services, message.place);
      }
    }
  };

  return {
    async received(told) {
      services.recheck.heard(told);
      const message = earlyChanges.asItStands(live.asOfNow(told));
      if (message === null) return;
      if (isStop(message)) return stop(message);
      const stored = await storeInOrder(message);
      await explain(message, stored);
    },
    async caughtUp(messages) {
      const places = new Map<ConversationId, Place>();
      // A stop must not wait behind what is to be stored: what it ends goes on meanwhile.
      const late = new Set<MessageId>();
      const standing = messages.flatMap((read) => earlyChanges.asItStands(read) ?? []);
      for (const message of standing.filter(isStop)) {
        if (forgotten.covers(message.id)) continue;
        const isHeard = (await audienceOf(services, message)) !== null;
        if (!isHeard) continue;
        if ((await stopRunning(services, message)) !== "stopped") late.add(message.id);
      }
      try {
        for (const read of messages) {
          if (late.has(read.id)) await callOff(services, read);
          // A command that was obeyed before it was made something else by an edit says nothing new.
          if (await storage.obeyed.has(read.id)) continue;
          // Much may have happened since it was read.
          const message = earlyChanges.asItStands(read);
          if (message === null || isStop(message)) continue;
          const stored = await arrivals.inOrder(message, () => store(message));
          if (stored.isWaiting) places.set(conversationOf(message.place), message.place);
          // Where agents answer is told to those who are there.
          if (stored.explains !== "exchange") await explain(message, stored);
        }
      } finally {
        // What is stored is nothing new when the rest is tried again.
        for (const place of places.values()) answerPending(services, place);
      }
    },
    ...createChanges(services, arrivals),
  };
}

/** What has become of a message. */
interface Stored {
  /** It waits for a round now. */
  readonly isWaiting: boolean;
  /**
   * What may have to be explained to who wrote it: how turns work, where agents answer, or that it
   * is not known any more what became of it.
   */
  readonly explains: "floor" | "exchange" | "forgotten" | null;
}

const NOTHING: Stored = { isWaiting: false, explains: null };

/** Who hears people there: agents that answer, or a floor. Null: nobody. */
async function audienceOf(
  services: Services,
  { place }: ReceivedMessage,
): Promise<"agents" | "floor" | null> {
  const group = await services.storage.groups.byChannel(place.channelId);
  if (group !== null) {
    if (group.archivedAtMs !== null) return null;
    return group.kind === "moderated" ? "floor" : "agents";
  }
  if (await showsExchange(services, place)) return null;
  if ((await hostedChatIn(services, place.channelId)) !== null) return "agents";
  const owner = await services.storage.agents.byChannel(place.channelId);
  return owner === null || owner.archivedAtMs !== null ? null : "agents";
}

/** Whether it is a thread that only shows what two agents write to each other. */
async function showsExchange(
  { storage }: Pick<Services, "storage">,
  { threadId }: Place,
): Promise<boolean> {
  return threadId !== null && (await storage.exchanges.ofThread(threadId)) !== null;
}

/** Nothing to judge or to answer, such as what Discord withholds without the Message Content intent. */
function isEmpty({ text, attachments }: ReceivedMessage): boolean {
  return text.trim() === "" && attachments.length === 0;
}

function storedFrom(message: ReceivedMessage): Message {
  return said({
    id: message.id,
    place: message.place,
    author: { kind: "person", userId: message.author.userId, name: message.author.name },
    text: message.text,
    attachments: message.attachments,
    replyToId: message.replyToId,
    createdAtMs: message.createdAtMs,
    editedAtMs: message.editedAtMs,
  });
}
