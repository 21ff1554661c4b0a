import { type APIMessage, type Client, PermissionFlagsBits, type REST, Routes } from "discord.js";
import { asId, compareSnowflakes, type MessageId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { attempt, listOf } from "./attempt.js";
import { forbidden } from "./errors.js";

const LOOKING = { hasEffect: false, needs: "View Channel and Read Message History" };
/** https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100;
/** A message in doubt is young; further away it would be another one with the same text. */
const MAX_PAGES = 5;

/**
 * The oldest message after `afterId` that fits, or null. Rejects with "forbidden" where the bot may
 * not read the history: Discord's answer is an empty list then, and no sign that nothing is there
 * (Discord API, "Get Channel Messages").
 */
export async function findMessage(
  { client, sender }: { readonly client: Client<true>; readonly sender: REST },
  where: { readonly place: Place; readonly afterId: string },
  isWanted: (message: APIMessage) => boolean,
  signal: AbortSignal,
): Promise<MessageId | null> {
  const channel = client.channels.cache.get(conversationOf(where.place));
  const permissions =
    channel === undefined || channel.isDMBased() ? null : channel.permissionsFor(client.user);
  if (permissions?.has(PermissionFlagsBits.ReadMessageHistory) === false) {
    throw forbidden("Read Message History");
  }
  let after = where.afterId;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const messages = await attempt(LOOKING, signal, (signal) => {
      const query = new URLSearchParams({ after, limit: String(PAGE) });
      const route = Routes.channelMessages(conversationOf(where.place));
      return listOf<APIMessage>(sender.get(route, { query, signal }));
    });
    const oldestFirst = messages.toSorted((a, b) => compareSnowflakes(a.id, b.id));
    const found = oldestFirst.find(isWanted);
    if (found !== undefined) return asId(found.id);
    if (messages.length < PAGE) return null;
    after = oldestFirst.at(-1)?.id ?? after;
  }
  return null;
}

/**
 * Whether Discord may have made the one of the other: it trims, joins white space and drops
 * characters that nobody sees, so sent and stored text are never compared as they are.
 */
export function isSameText(a: string, b: string): boolean {
  return plainText(a) === plainText(b);
}

/** A text without what Discord may have changed. */
export function plainText(text: string): string {
  return text
    .replace(/[^\S]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .replace(/ +/g, " ");
}
