import type { HostedChat } from "../domain/hostedChat.js";
import type { Message } from "../domain/message.js";
import { quote } from "../domain/plain.js";
import { ChatError } from "../ports/chat.js";
import { agentsOfChat } from "./hostedChats.js";
import { patiently } from "./patience.js";
import { announceOnce } from "./performFloor.js";
import type { Services } from "./services.js";

/** Enough to know which debate is meant. */
const TOPIC_CHARACTERS = 80;

/**
 * Why a debate that has waited for its turn is not held any more, as the end of a sentence: the chat
 * in which it was wanted is over, or everybody has left it. Null: it is held. A chat that somebody
 * has started since is another one.
 */
export async function whyDebateIsOff(
  services: Pick<Services, "storage">,
  chat: HostedChat | null,
  topic: Message,
): Promise<string | null> {
  const isOver = chat === null || (chat.groupId === null && chat.startedAtMs > topic.createdAtMs);
  if (isOver) return "the group chat has ended";
  const [, ...participants] = await agentsOfChat(services, chat);
  return participants.length === 0 ? "nobody takes part in the group chat any more" : null;
}

/** Says that a debate is not held. What is said twice after a crash is found before. */
export async function sayDebateIsOff(
  services: Services,
  { id, place, text }: Message,
  why: string,
  signal: AbortSignal,
): Promise<void> {
  const announcement = {
    place,
    text: `-# The debate about ${quote(text, TOPIC_CHARACTERS)} is not held: ${why}.`,
    buttons: [],
    isSilent: true,
    nonce: `d${id}`,
    isDoubtful: true,
    afterId: id,
  };
  try {
    await patiently(services, signal, (signal) => announceOnce(services, announcement, signal));
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.warn({ err: error, messageId: id }, "that a debate is not held could not be said");
  }
}
