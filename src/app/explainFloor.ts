import type { Group } from "../domain/group.js";
import { namedIn } from "../domain/mentions.js";
import { conversationOf } from "../domain/message.js";
import { plain } from "../domain/plain.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { membersOf } from "./opening.js";
import { sayAside } from "./sayAside.js";
import type { Services } from "./services.js";

/**
 * Tells a person how turns work who names or answers an agent where nobody speaks unasked: once on
 * each floor. That it is about to be said is stored first: saying nothing twice is better than
 * saying it again after a crash.
 */
export async function explainFloor(
  services: Services,
  group: Group,
  message: ReceivedMessage,
): Promise<void> {
  const { storage } = services;
  if (!(await isForAnAgent(services, group, message))) return;
  const conversationId = conversationOf(message.place);
  const floor = await storage.floors.latest(conversationId);
  const { userId, name } = message.author;
  if (!(await storage.floors.claimHint(conversationId, floor?.floorId ?? null, userId))) return;
  await sayAside(
    services,
    {
      place: message.place,
      text: `-# ${plain(name)}, members answer here only when they are given a turn: \`/floor_turns\` gives turns, \`/floor_vote\` holds a vote, and \`/floor_moderate\` lets the host do it.`,
      nonce: `f${message.id}`,
      afterId: message.id,
    },
    { messageId: message.id },
    "how turns work could not be said",
  );
}

async function isForAnAgent(
  services: Services,
  group: Group,
  { text, replyToId }: ReceivedMessage,
): Promise<boolean> {
  const repliedTo = replyToId === null ? null : await services.storage.messages.get(replyToId);
  if (repliedTo?.author.kind === "agent") return true;
  return namedIn(text, await membersOf(services, group)).length > 0;
}
