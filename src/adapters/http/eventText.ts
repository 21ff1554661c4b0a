import type { Message } from "../../domain/message.js";
import type { RoundEvent } from "../../domain/round/round.js";
import type { FeedEntry } from "../../ports/feed.js";

/** An entry as an event on the wire; its number is the id by which a reader goes on. */
export function textOf(entry: FeedEntry): string {
  return `id: ${entry.number}\nevent: ${entry.kind}\ndata: ${JSON.stringify(dataOf(entry))}\n\n`;
}

function dataOf(entry: FeedEntry): object {
  const { channelId, threadId } = entry.place;
  const common = { at: new Date(entry.atMs).toISOString(), channelId, threadId };
  return entry.kind === "message"
    ? { ...common, message: messageData(entry.message) }
    : {
        ...common,
        roundId: entry.roundId,
        kind: entry.groupKind,
        seq: entry.seq,
        event: shownEvent(entry.event),
      };
}

function messageData(message: Message): object {
  const { id, author, text, attachments, replyToId, roundId, turn } = message;
  if (message.deletedAtMs !== null) return { id, isDeleted: true };
  return {
    id,
    author:
      author.kind === "person"
        ? { kind: "person", id: author.userId, name: author.name }
        : { kind: "agent", id: author.agentId, name: author.name },
    text,
    attachments: attachments.map(({ name, type, bytes, url }) => ({ name, type, bytes, url })),
    replyToId,
    roundId,
    turn,
    isEdited: message.editedAtMs !== null,
  };
}

/** Who voted what in a secret vote is for nobody to read, nor who could not vote. */
function shownEvent(event: RoundEvent): RoundEvent {
  if (event.type === "voted" && event.isSecret) {
    return { ...event, choice: null, reason: null, failure: null };
  }
  if (event.type === "announced" && event.notice.type === "voteResult") {
    const { missed, ...notice } = event.notice;
    if (missed !== undefined && notice.result.isSecret) return { ...event, notice };
  }
  return event;
}
