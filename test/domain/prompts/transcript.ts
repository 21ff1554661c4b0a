import {
  type AgentId,
  asId,
  type ChannelId,
  type GuildId,
  type MessageId,
  type RoundId,
  type UserId,
} from "../../../src/domain/ids.js";
import type { Attachment, AttachmentContent, Message } from "../../../src/domain/message.js";

const place = { guildId: asId<GuildId>("1"), channelId: asId<ChannelId>("2"), threadId: null };
export const messageId = (n: number) =>
  asId<MessageId>(String(100_000_000_000_000_000n + BigInt(n)));

/** A file at a message; looked at when `content` is given. */
export function aFile(name: string, content?: AttachmentContent): Attachment {
  const file = { name, type: null, bytes: 1, url: `https://cdn.discordapp.com/${name.length}` };
  return content === undefined ? file : { ...file, content };
}

function base(n: number, text: string) {
  return {
    id: messageId(n),
    place,
    text,
    attachments: [],
    replyToId: null,
    askedId: null,
    createdAtMs: n,
    editedAtMs: null,
    deletedAtMs: null,
  };
}

/** A person's message; `n` is its place in the order. People of one name have one id unless said. */
export function person(n: number, name: string, text: string, userId = `u-${name}`): Message {
  return {
    ...base(n, text),
    author: { kind: "person", userId: asId<UserId>(userId), name },
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
}

/** An agent's message in a turn of a round, having seen everything up to message `seen`. */
export function agentSaid(
  n: number,
  name: string,
  text: string,
  options: { readonly seen: number; readonly round?: string; readonly turn?: number },
): Message {
  return {
    ...base(n, text),
    author: { kind: "agent", agentId: asId<AgentId>(name), name },
    roundId: asId<RoundId>(options.round ?? `round-of-${n}`),
    turn: options.turn ?? 0,
    seenThroughId: messageId(options.seen),
  };
}
