import type { MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { lookAtFiles } from "./attachments.js";
import type { Services } from "./services.js";
import { starterOf } from "./starter.js";

/** Messages of a conversation that a prompt is built from; more than any budget holds. */
const TRANSCRIPT_MESSAGES = 4_000;

/**
 * What an agent hears in a conversation, its files looked at; with `throughId`, only up to there,
 * and of no more than the newest `limit` messages. What it is asked about (`aboutIds`) is among them
 * however old it is, unless it was deleted.
 */
export async function hear(
  services: Pick<Services, "storage" | "files" | "log">,
  place: Place,
  signal: AbortSignal,
  range: {
    readonly throughId?: MessageId;
    readonly limit?: number;
    readonly aboutIds?: readonly MessageId[];
  } = {},
): Promise<{ readonly transcript: readonly Message[]; readonly omitted: number }> {
  const { messages, omitted } = await services.storage.messages.transcript(
    conversationOf(place),
    range.limit ?? TRANSCRIPT_MESSAGES,
    range.throughId,
  );
  const starter = await starterOf(services, place);
  const waiting = await waitingQuestions(services, place);
  const older = await olderOnes(services, range.aboutIds ?? [], messages);
  const heard = [...(starter === null ? [] : [starter]), ...older, ...messages].filter(
    ({ id }) => !waiting.has(id),
  );
  return {
    transcript: await lookAtFiles(services, heard, signal),
    omitted: Math.max(0, omitted - older.length),
  };
}

/** Those of the given messages that were stored before the oldest of `messages`. */
async function olderOnes(
  { storage }: Pick<Services, "storage">,
  ids: readonly MessageId[],
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const missing = ids.filter((id) => !messages.some((message) => message.id === id));
  const found = await Promise.all(missing.map((id) => storage.messages.get(id)));
  return found.filter((message) => message !== null).filter((one) => one.deletedAtMs === null);
}

/** A question of `/ask` whose turn has not come: only the member that it is for is to answer it. */
async function waitingQuestions(
  { storage }: Pick<Services, "storage">,
  place: Place,
): Promise<ReadonlySet<MessageId>> {
  const pending = await storage.messages.pending(conversationOf(place));
  return new Set(pending.filter(({ askedId }) => askedId !== null).map(({ id }) => id));
}
