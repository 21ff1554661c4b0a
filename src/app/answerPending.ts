import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { pendingWithFiles } from "./attachments.js";
import { hostedChatIn } from "./hostedChats.js";
import { startHostedRound, startRound } from "./scheduler.js";
import type { Services } from "./services.js";

/**
 * Queues the rounds for what waits in this conversation: everything that waits starts one together,
 * but a question of `/ask` and a debate have one of their own, when their turn comes.
 */
export function answerPending(services: Services, place: Place): void {
  const conversationId = conversationOf(place);
  services.mailboxes.run(conversationId, async (signal) => {
    const { storage, clock } = services;
    // They stay pending, and the next start takes them up.
    if (services.mailboxes.isClosing) return;
    const group = await storage.groups.byChannel(place.channelId);
    const pending = await pendingWithFiles(services, conversationId, signal);
    if (pending.length === 0 || services.mailboxes.isClosing) return;
    const triggers = nextTriggers(pending);
    if (triggers.length < pending.length) answerPending(services, place);
    const isStale = (message: Message) => clock.now() - message.createdAtMs > STALE_ROUND_MS;
    const chat = await hostedChatIn(services, place.channelId);
    const isGroup = group !== null && group.archivedAtMs === null;
    if ((!isGroup && chat === null) || triggers.every(isStale)) {
      await storage.messages.settle(triggers.map((message) => message.id));
      return;
    }
    if (chat !== null) await startHostedRound(services, { chat, place, triggers }, signal);
    else if (isGroup) await startRound(services, { group, place, triggers }, signal);
  });
}

/** What the next round is about: the question that has waited longest, or all before the first such question. */
function nextTriggers(pending: readonly Message[]): readonly Message[] {
  const question = pending.findIndex(
    (message) => message.askedId !== null || message.debatePasses !== undefined,
  );
  return question < 0 ? pending : pending.slice(0, Math.max(1, question));
}
