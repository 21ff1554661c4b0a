import type { ThreadId } from "../domain/ids.js";
import { ONLY_SHOWN } from "../domain/phrases.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { bold, channelLink } from "./operations/show.js";
import { sayAside } from "./sayAside.js";
import type { Services } from "./services.js";

/**
 * Tells who writes in a thread that shows what two agents write to each other where these agents
 * answer people: each person once in each thread. What stands there belongs to the transcripts of their
 * channels, so that an answer in the thread would know nothing of it. That it is about to be said is
 * stored first: saying nothing twice is better than saying it again after a crash.
 */
export async function explainExchange(
  services: Services,
  { id, place, author, text, attachments }: ReceivedMessage,
): Promise<void> {
  const { storage } = services;
  if (place.threadId === null || (text.trim() === "" && attachments.length === 0)) return;
  const where = await whereToWrite(services, place.threadId);
  if (where === null) return;
  const key = `exchange explained ${place.threadId} ${author.userId}`;
  if ((await storage.settings.get(key)) !== null) return;
  await storage.settings.set(key, id);
  await sayAside(
    services,
    {
      place,
      text: `-# ${ONLY_SHOWN} ${where}`,
      nonce: `x${id}`,
      afterId: id,
    },
    { messageId: id },
    "where agents answer could not be said",
  );
}

/** Null: it is no such thread, or neither of the two answers any more. */
async function whereToWrite({ storage }: Services, threadId: ThreadId): Promise<string | null> {
  const between = await storage.exchanges.ofThread(threadId);
  if (between === null) return null;
  const both = [
    await storage.agents.get(between.agentId),
    await storage.agents.get(between.otherId),
  ];
  const places = both.flatMap((agent) =>
    agent === null || agent.archivedAtMs !== null || agent.channelId === null
      ? []
      : [`to ${bold(agent.displayName)} in ${channelLink(agent.channelId)}`],
  );
  return places.length === 0 ? null : `Write ${places.join(", or ")}.`;
}
