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
import { ChatError, type ReceivedMessage } from "../ports/chat.js";
import type { History } from "../ports/listener.js";
import type { Router } from "./router.js";
import type { Services } from "./services.js";

/** Messages looked at per conversation: recovery has bounds, else old chatter starts rounds. */
const MAX_MESSAGES = 300;
/** Conversations that are read at the same time: people wait in the last one too. */
const READERS = 5;

/** A conversation of a group or an agent, and the message after which nothing may have been heard. */
export interface Mark {
  readonly place: Place;
  readonly afterId: MessageId;
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
    const newestId = await services.storage.messages.newestId(conversationOf(place));
    const heard = newestId ?? beginning;
    const afterId = compareSnowflakes(heard, recently) < 0 ? heard : older(recently, beginning);
    marks.set(conversationOf(place), { place, afterId });
  }
  return marks;
}

/**
 * Stores what people wrote since these marks; what is young enough starts one round per
 * conversation. A conversation that cannot be read is logged and passed over.
 */
export async function catchUp(
  services: Pick<Services, "log">,
  ports: { readonly history: Pick<History, "since">; readonly router: Pick<Router, "caughtUp"> },
  marks: ReadonlyMap<ConversationId, Mark>,
): Promise<void> {
  const left = [...marks.values()];
  const readOn = async () => {
    for (let mark = left.shift(); mark !== undefined; mark = left.shift()) {
      const { place, afterId } = mark;
      try {
        await ports.router.caughtUp(await ports.history.since(place, afterId, MAX_MESSAGES));
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        services.log.warn({ err: error, place }, "what was written meanwhile could not be read");
      }
    }
  };
  await Promise.all(Array.from({ length: READERS }, readOn));
}

/**
 * What people wrote where a round was interrupted. To be read before such a round goes on, and
 * handed over right after that has begun: a `stop` among it must not come too late.
 */
export async function missedInRounds(
  services: Pick<Services, "storage" | "log">,
  history: Pick<History, "since">,
  marks: readonly ReadonlyMap<ConversationId, Mark>[],
): Promise<readonly ReceivedMessage[]> {
  const missed: ReceivedMessage[] = [];
  for (const round of await services.storage.rounds.unfinished()) {
    const conversationId = conversationOf(round.place);
    const mark = marks
      .map((known) => known.get(conversationId))
      .find((known) => known !== undefined);
    if (mark === undefined) continue;
    try {
      missed.push(...(await history.since(mark.place, mark.afterId, MAX_MESSAGES)));
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      services.log.warn(
        { err: error, place: mark.place },
        "what was written meanwhile could not be read",
      );
    }
  }
  return missed;
}

/** Never before its owner, or the thread, was there. */
function older(recently: MessageId, beginning: MessageId): MessageId {
  return compareSnowflakes(recently, beginning) > 0 ? recently : beginning;
}
