/** Gives a reply that stands in a channel another text, there and in the transcript. */
import { conversationOf } from "../domain/message.js";
import { ChatError } from "../ports/chat.js";
import type { ChangedMessage, ReplyChange } from "../ports/replyChanges.js";
import { StorageError } from "../ports/storage.js";
import { patiently } from "./patience.js";
import type { Services } from "./services.js";
import { ShuttingDown } from "./stopping.js";

/**
 * Stores what is to become of the messages, then makes it so. `onStep` is told before a message is
 * taken away, and after one was changed. Where the process ends in between, or the database does,
 * the next start goes on with it; any other failure leaves it half done, and rejects.
 */
export async function changeReply(
  services: Services,
  change: ReplyChange,
  signal: AbortSignal,
  onStep: (step: "planned" | "changed" | "takesAway") => void = () => undefined,
): Promise<void> {
  const { replyChanges } = services.storage;
  await replyChanges.plan(change);
  onStep("planned");
  try {
    for (const message of change.messages) {
      if (message.becomes === null) onStep("takesAway");
      await changeMessage(services, change, message, signal);
      if (message.becomes !== null) onStep("changed");
    }
  } catch (error) {
    const isLeft = error instanceof ShuttingDown || error instanceof StorageError;
    if (!isLeft) await replyChanges.settle(change.id);
    throw error;
  }
  await replyChanges.settle(change.id);
}

async function changeMessage(
  services: Services,
  { place }: ReplyChange,
  { id, becomes }: ChangedMessage,
  signal: AbortSignal,
): Promise<void> {
  const { chat, storage, clock } = services;
  if (becomes === null) {
    await chat.remove(place, id);
    await storage.messages.markDeleted([id], clock.now());
    return;
  }
  const { share, ...shown } = becomes;
  await patiently(services, signal, () => chat.editPost(place, id, shown));
  const stored = await storage.messages.get(id);
  if (stored?.text !== share) await storage.messages.replaceText(id, share, clock.now());
}

/** What a process before this one had begun to change: to be called at the start, before rounds go on. */
export async function resumeReplyChanges(services: Services): Promise<void> {
  const { storage, patientStorage, mailboxes, log } = services;
  for (const change of await storage.replyChanges.list()) {
    mailboxes.run(conversationOf(change.place), async (signal) => {
      const stored = await Promise.all(change.messages.map(({ id }) => storage.messages.get(id)));
      // Somebody may have deleted it meanwhile.
      const messages = change.messages.filter((_, index) => stored[index]?.deletedAtMs === null);
      const patient = { ...services, storage: patientStorage };
      try {
        await changeReply(patient, { ...change, messages }, signal);
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        log.warn({ err: error, place: change.place }, "a reply was said again only in part");
      }
    });
  }
}
