/**
 * What the bot has decided to say, as the answer to a command or as the beginning of a round. It is
 * stored before it is said; then it is said in the order in which it was stored, with patience. What
 * had not been said for certain when the process ended is looked for at the next start, and said.
 */
import { UserError } from "../domain/errors.js";
import { compareSnowflakes, type MessageId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import { noticeText } from "../domain/notices.js";
import { ChatError } from "../ports/chat.js";
import type { OwedWords } from "../ports/words.js";
import { answerPending } from "./answerPending.js";
import { markIfGone } from "./earlyChanges.js";
import type { WordsKey } from "./mailbox.js";
import { type MomentServices, momentIn } from "./moment.js";
import { Doubt, patiently } from "./patience.js";
import { storageAt } from "./patientStorage.js";
import { announceOnce } from "./performFloor.js";
import type { Services } from "./services.js";
import { ShuttingDown } from "./stopping.js";

const TOO_OLD = noticeText({ type: "stale" }, { nameOf: String, cap: 0 });

/** Words of this moment; with `trigger` they begin a round when they are said. */
export async function wordsFor(
  services: MomentServices & Pick<Services, "ids">,
  said: Pick<OwedWords, "place" | "text"> &
    Partial<Pick<OwedWords, "isSilent" | "afterId" | "trigger">>,
): Promise<OwedWords> {
  return {
    nonce: `say${services.ids.round()}`,
    isSilent: true,
    afterId: said.afterId ?? (await momentIn(services, said.place)),
    atMs: services.clock.now(),
    trigger: null,
    ...said,
  };
}

/** Lets words that are stored be said, and returns at once. What cannot be said is logged. */
export function sayOwed(services: Services, words: readonly OwedWords[]): void {
  for (const one of words) {
    queued(services, one.place, (signal) =>
      deliver(services, one, { isDoubtful: false, isAwaited: false, signal }).then(
        () => undefined,
        unlessChatError,
      ),
    );
  }
}

/**
 * Stores words of one place that begin a round, and says them. Resolves when the last of them stands
 * there. Rejects with `ChatError` when they cannot be said: nothing is owed any more then. False: the
 * round was called off before it began.
 */
export async function beginWith(services: Services, words: readonly OwedWords[]): Promise<boolean> {
  await services.storage.words.owe({ words, obeyed: null, atMs: services.clock.now() });
  try {
    return await beginOwed(services, words);
  } catch (error) {
    if (!(error instanceof ShuttingDown)) throw error;
    throw new UserError("conflict", "I am being restarted; I go on with this when I am back.");
  }
}

/**
 * The same with words that are stored already. Rejects with `ShuttingDown` when they are said after
 * the next start. False: the round was called off before it began.
 */
export function beginOwed(services: Services, words: readonly OwedWords[]): Promise<boolean> {
  const [first] = words;
  if (first === undefined) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    queued(services, first.place, async (signal) => {
      const left = [...words];
      let isBegun = true;
      try {
        for (const one of words) {
          left.shift();
          const id = await deliver(services, one, { isDoubtful: false, isAwaited: true, signal });
          isBegun &&= id !== null;
        }
        resolve(isBegun);
      } catch (error: unknown) {
        if (error instanceof ChatError) {
          for (const { nonce } of left) await services.patientStorage.words.settle(nonce, null);
        }
        reject(error);
      }
    });
  });
}

/** What may not have been said when the process ended: to be called at the start, before anything else is said. */
export async function resumeWords(services: Services): Promise<void> {
  const newest = new Map<string, MessageId>();
  for (const words of await services.storage.words.list()) {
    const conversationId = conversationOf(words.place);
    queued(services, words.place, async (signal) => {
      // The same may have been said before it: what is owed is said in its order.
      const afterId = later(words.afterId, newest.get(conversationId));
      const doubtful = { ...words, afterId };
      await deliver(services, doubtful, { isDoubtful: true, isAwaited: false, signal }).then(
        (id) => id !== null && newest.set(conversationId, id),
        unlessChatError,
      );
    });
  }
}

function queued(
  { mailboxes }: Services,
  place: Place,
  job: (signal: AbortSignal) => Promise<void>,
): void {
  const key: WordsKey = `words of ${conversationOf(place)}`;
  mailboxes.run(key, job);
}

/**
 * Says it, or finds what was said, and stores that. Rejects with `ChatError` when that is not
 * possible. A round for which it is too late by now is not begun; people are told so. Null: the round
 * was called off meanwhile.
 */
async function deliver(
  services: Services,
  words: OwedWords,
  how: {
    readonly isDoubtful: boolean;
    /** A person is told when it cannot be said. */
    readonly isAwaited: boolean;
    readonly signal: AbortSignal;
  },
): Promise<MessageId | null> {
  const { clock, log } = services;
  const { nonce, place, isSilent, afterId } = words;
  const storage = storageAt(services.patientStorage, place);
  const isLate = words.trigger !== null && clock.now() - words.atMs > STALE_ROUND_MS;
  const trigger = isLate ? null : words.trigger;
  const text = isLate ? TOO_OLD : words.text;
  // The chat service takes a repeated nonce for the same words, and these are others.
  const saidAs = isLate ? `${nonce}late` : nonce;
  const announcement = { place, text, buttons: [], isSilent, nonce: saidAs, afterId };
  const doubt = new Doubt(how.isDoubtful);
  const attempt = () =>
    doubt.during((isDoubtful) =>
      announceOnce(services, { ...announcement, isDoubtful }, how.signal),
    );
  const isOpening = words.trigger !== null;
  if (isOpening && !(await isOwed(services, nonce))) {
    answerPending(services, place, { isInOrder: false });
    return null;
  }
  try {
    const id = await patiently(services, how.signal, attempt);
    const isBegun = await storage.words.settle(nonce, trigger === null ? null : { ...trigger, id });
    await markIfGone({ ...services, storage }, id);
    // What was written after a command waits for what that begins, also when it begins nothing any more.
    if (isOpening) answerPending(services, place);
    return trigger === null || isBegun ? id : null;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, place }, "something could not be said in a channel");
    // What Discord's troubles held up is tried again at the next start. Who was told that a round
    // could not begin gets it only when its beginning may stand there.
    const mayStand = isOpening && doubt.isThere;
    const isKept = error.mayPass ? !how.isAwaited || mayStand : error.kind === "logged-out";
    if (!isKept) await storage.words.settle(nonce, null);
    if (isOpening) answerPending(services, place, { isInOrder: false });
    throw error;
  }
}

async function isOwed({ patientStorage }: Services, nonce: string): Promise<boolean> {
  return (await patientStorage.words.list()).some((words) => words.nonce === nonce);
}

/** It is in the log, and nobody waits for it. */
function unlessChatError(error: unknown): void {
  if (!(error instanceof ChatError)) throw error;
}

function later(a: MessageId, b: MessageId | undefined): MessageId {
  return b === undefined || compareSnowflakes(a, b) > 0 ? a : b;
}
