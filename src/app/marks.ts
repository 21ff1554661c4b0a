import {
  asId,
  type ConversationId,
  compareSnowflakes,
  type GuildId,
  type MessageId,
  snowflakeAt,
} from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import type { History } from "../ports/listener.js";
import type { Services } from "./services.js";

/** A conversation of a group or an agent, and the message after which nothing may have been heard. */
export interface Mark {
  readonly place: Place;
  readonly afterId: MessageId;
  /** The newest message that was stored; null: none ever was. */
  readonly heardId: MessageId | null;
}

/**
 * Where reading has to begin in each conversation of a server's groups and agents. To be asked before
 * messages arrive: the first one that is stored would hide the gap before it. For safety at least
 * the last fifteen minutes are read again: known messages change nothing.
 */
export async function marksOf(
  services: Pick<Services, "storage" | "clock">,
  history: Pick<History, "places">,
  guildId: GuildId,
): Promise<ReadonlyMap<ConversationId, Mark>> {
  const recently = asId<MessageId>(snowflakeAt(services.clock.now() - STALE_ROUND_MS));
  const owners = new Map(
    [
      ...(await services.storage.groups.list(guildId)),
      ...(await services.storage.agents.list(guildId)),
    ].map((owner) => [owner.channelId, owner]),
  );
  const marks = new Map<ConversationId, Mark>();
  for (const place of history.places(guildId)) {
    const owner = owners.get(place.channelId);
    if (owner === undefined || owner.archivedAtMs !== null) continue;
    const beginning = asId<MessageId>(place.threadId ?? snowflakeAt(owner.createdAtMs));
    const heardId = await services.storage.messages.newestId(conversationOf(place));
    const heard = heardId ?? beginning;
    const afterId = isOlder(heard, recently) ? heard : newer(recently, beginning);
    marks.set(conversationOf(place), { place, afterId, heardId });
  }
  return marks;
}

/** Both at once, where one is still open: what it lacks is not read yet. */
export function joined(mark: Mark, open: Mark | undefined): Mark {
  if (open === undefined || !isOlder(open.afterId, mark.afterId)) return mark;
  return { ...mark, afterId: open.afterId, heardId: open.heardId };
}

/** Never before its owner, or the thread, was there. */
function newer(recently: MessageId, beginning: MessageId): MessageId {
  return isOlder(beginning, recently) ? recently : beginning;
}

function isOlder(a: MessageId, b: MessageId): boolean {
  return compareSnowflakes(a, b) < 0;
}
