import { type Message, MessageType } from "discord.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { plainText } from "./search.js";

/** What a request is to bring about. */
export interface Meant {
  readonly place: Place;
  /** Null: the bot itself says it. */
  readonly personaName: string | null;
  readonly text: string;
  readonly buttonIds: readonly string[];
}

/** The same for all that look the same in a conversation. */
export function keyOf({ place, personaName, text }: Meant): string {
  return keyIn(conversationOf(place), personaName, text);
}

/** Null: neither the bot itself nor a persona of this application said it. */
export function keyOfMessage(message: Message): string | null {
  const { author, channelId, client, content, type, webhookId } = message;
  if (type !== MessageType.Default || !client.isReady()) return null;
  if (webhookId === null && author.id === client.user.id) return keyIn(channelId, null, content);
  return isOfPersona(message) ? keyIn(channelId, author.username, content) : null;
}

/** Whether a webhook of this application said it under some name. */
export function isOfPersona({ applicationId, client, webhookId }: Message): boolean {
  const ownId = client.application?.id ?? null;
  // An answer to a command carries the application as its webhook.
  return webhookId !== null && webhookId !== ownId && applicationId === ownId;
}

/** Discord may have changed white space and what nobody sees. */
function keyIn(conversationId: string, personaName: string | null, text: string): string {
  const name = personaName === null ? "" : plainText(personaName);
  return [conversationId, name, plainText(text)].join("\n");
}
