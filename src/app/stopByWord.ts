/** A message that is just `stop`: a command, and no part of the conversation. */
import { type ConversationId, compareSnowflakes, type MessageId } from "../domain/ids.js";
import { conversationOf, writtenId } from "../domain/message.js";
import { noticeText } from "../domain/notices.js";
import { NOTHING_RUNS } from "../domain/phrases.js";
import type { Round } from "../domain/round/round.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { sayAside } from "./sayAside.js";
import type { Services } from "./services.js";
import { StopRound } from "./stopping.js";
import { sayOwed, wordsFor } from "./words.js";

/**
 * Ends the round that was running when it was written: seen again later, it must not end another
 * one. What waits behind that round is answered afterwards, as everything that is written while a
 * round runs.
 */
export async function stopRunning(services: Services, stop: ReceivedMessage): Promise<Found> {
  const { storage, mailboxes } = services;
  const { id, place, author } = stop;
  const conversationId = conversationOf(place);
  const isBefore = (begun: MessageId) => compareSnowflakes(begun, id) <= 0;
  const unfinished = await storage.rounds.unfinished();
  const here = unfinished.filter((round) => conversationOf(round.place) === conversationId);
  const beginnings = await Promise.all(here.map((round) => beginningOf(services, round)));
  if (here.length > 0 && !beginnings.some(isBefore)) return "later";
  if (here.length === 0) {
    // What begins at this moment may be about something that was written later.
    const waiting = await storage.messages.pending(conversationId);
    if (!waiting.some((message) => isBefore(writtenId(message)))) return "nothing";
  }
  const reason = new StopRound({ by: author.name, userId: author.userId });
  return mailboxes.abort(conversationId, reason) ? "stopped" : "nothing";
}

/** What ran when a stop came: what that has ended, what began after it was written, or nothing. */
type Found = "stopped" | "later" | "nothing";

/** What somebody wrote that a round answers, the last of it. */
export async function beginningOf(
  { storage }: Pick<Services, "storage">,
  { triggerId }: Pick<Round, "triggerId">,
): Promise<MessageId> {
  const trigger = await storage.messages.get(triggerId);
  return trigger === null ? triggerId : writtenId(trigger);
}

/**
 * For a stop at which nothing was running, such as one that was written while the bot was away:
 * what people wrote there before it, and is stored by now, begins no round any more, debates
 * included. It stays in the conversation. That is said once. False when there was nothing.
 */
export async function callOff(services: Services, stop: ReceivedMessage): Promise<boolean> {
  const { mailboxes } = services;
  const conversationId = conversationOf(stop.place);
  // A round may have begun by now with what was just stored: that one says itself that it is stopped.
  const found = await stopRunning(services, stop);
  const isStopped = found === "stopped";
  const settle = () => settleBefore(services, stop, { isStopped });
  const settleNext = () =>
    new Promise<boolean>((resolve, reject) => {
      mailboxes.runNext(conversationId, () => settle().then(resolve, reject));
    });
  // What began later has taken up all that it is about: that may take its time.
  const isAnyLeft = found === "later" ? await settle() : await settleNext();
  return isStopped || isAnyLeft;
}

/** False: nothing waited to begin. */
async function settleBefore(
  services: Services,
  { id, place, author }: ReceivedMessage,
  { isStopped }: { readonly isStopped: boolean },
): Promise<boolean> {
  const { storage, clock } = services;
  const conversationId = conversationOf(place);
  const isBefore = (message: Written) => compareSnowflakes(writtenId(message), id) < 0;
  const waiting = (await storage.messages.pending(conversationId)).filter(
    (message) => message.author.kind === "person" && !message.chain && isBefore(message),
  );
  await storage.messages.settle(waiting.map((message) => message.id));
  const debates = await callOffDebates(services, conversationId, isBefore);
  if (waiting.length + debates === 0) return false;
  const last = isStopped ? await storage.rounds.latest(conversationId) : null;
  const journal = last === null ? [] : await storage.rounds.journal(last.id);
  if (journal.some(({ event }) => event.type === "stopped")) return true;
  const text = noticeText({ type: "stopped", by: author.name }, { nameOf: String, cap: 0 });
  const line = await wordsFor(services, { place, text, afterId: id });
  const words = [{ ...line, nonce: `o${id}` }];
  await storage.words.owe({ words, obeyed: null, atMs: clock.now() });
  sayOwed(services, words);
  return true;
}

type Written = Parameters<typeof writtenId>[0];

/** Debates whose opening has not been said: they are not held. How many those were. */
export async function callOffDebates(
  { storage }: Pick<Services, "storage">,
  conversationId: ConversationId,
  isMeant: (topic: Written) => boolean,
): Promise<number> {
  let count = 0;
  for (const { nonce, place, afterId, trigger } of await storage.words.list()) {
    if (trigger === null || conversationOf(place) !== conversationId) continue;
    if (!isMeant({ ...trigger, id: afterId })) continue;
    if (await storage.words.settle(nonce, null)) count += 1;
  }
  return count;
}

export async function sayNothingRuns(
  services: Services,
  { id, place }: ReceivedMessage,
): Promise<void> {
  await sayAside(
    services,
    {
      place,
      text: `-# ${NOTHING_RUNS}`,
      nonce: `s${id}`,
      afterId: id,
    },
    { messageId: id },
    "a stop could not be answered",
  );
}
