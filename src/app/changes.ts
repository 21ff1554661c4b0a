/** What people do to messages that they have written: the prompts and the running round follow. */
import { asId, type ConversationId, type MessageId } from "../domain/ids.js";
import { conversationOf, writtenId } from "../domain/message.js";
import { isGroupChatCommand } from "../domain/textCommand.js";
import type { Listener } from "../ports/listener.js";
import type { Arrivals } from "./arrivals.js";
import { keepFiles } from "./attachments.js";
import type { Services } from "./services.js";
import { callOffDebates } from "./stopByWord.js";
import { StopRound } from "./stopping.js";
import { areTriggersGone } from "./triggers.js";

/** Among these the topic of a debate is looked for whose command was deleted. */
const RECENT_MESSAGES = 200;

export type Changes = Pick<Listener, "edited" | "filesLeft" | "deleted" | "threadDeleted">;

/**
 * An edit counts for turns still to come and never starts a round, also when it names somebody
 * now. A message that is made a command by it is not obeyed, and taken back like a deleted one.
 * With the command that opened a debate its topic is deleted. A deletion of all that a round is to
 * answer stops the round. A reply to a message of an agent that was deleted still names that agent:
 * the person answered what it had said. What is told before the message itself is kept for it.
 */
export function createChanges(
  services: Pick<Services, "storage" | "mailboxes" | "clock" | "earlyChanges">,
  arrivals: Arrivals,
): Changes {
  const { storage, clock, mailboxes, earlyChanges } = services;

  /** They are gone from the conversation; a round that was to answer nothing else ends. */
  const takeBack = async (conversationId: ConversationId, ids: readonly MessageId[]) => {
    await callOffDebates(services, conversationId, (topic) => ids.includes(writtenId(topic)));
    const recent = await storage.messages.recent(conversationId, {
      before: null,
      limit: RECENT_MESSAGES,
    });
    const topics = recent.filter((message) => ids.includes(writtenId(message)));
    const all = [...new Set([...ids, ...topics.map(({ id }) => id)])];
    const marked = await storage.messages.markDeleted(all, clock.now());
    if (marked.length === 0) return;
    const round = await storage.rounds.latest(conversationId);
    if (round === null || round.closedAtMs !== null) return;
    const [opening] = await storage.rounds.journal(round.id);
    if (opening?.event.type !== "opened") return;
    if (!opening.event.triggerIds.some((id) => marked.includes(id))) return;
    if (!(await areTriggersGone(services, opening.event.triggerIds))) return;
    mailboxes.abort(conversationId, new StopRound({ by: null, userId: null }), round.id);
  };

  return {
    async edited(id, text, editedAtMs) {
      if (!earlyChanges.edited(id, text, editedAtMs)) return;
      await arrivals.of([id]);
      const message = isGroupChatCommand(text) ? await storage.messages.get(id) : null;
      if (message === null) await storage.messages.edit(id, text, editedAtMs);
      else await takeBack(conversationOf(message.place), [id]);
    },
    async filesLeft(id, left) {
      earlyChanges.filesLeft(id, left);
      await arrivals.of([id]);
      await keepFiles(services, id, left);
    },
    async deleted(conversationId, ids) {
      earlyChanges.deleted(ids);
      await arrivals.of(ids);
      await takeBack(conversationId, ids);
    },
    async threadDeleted(_guildId, threadId) {
      const conversationId = asId<ConversationId>(threadId);
      await arrivals.in(conversationId);
      const waiting = await storage.messages.pending(conversationId);
      await storage.messages.settle(waiting.map((message) => message.id));
      mailboxes.abort(conversationId, new StopRound({ by: null, userId: null }));
    },
  };
}
