import {
  cleanContent,
  type GuildMember,
  type GuildTextBasedChannel,
  type Message,
  MessageFlags,
  MessageReferenceType,
  type MessageSnapshot,
  MessageType,
  PermissionFlagsBits,
} from "discord.js";
import { asId, type GuildId, type RoleId } from "../../domain/ids.js";
import type { Attachment, Place } from "../../domain/message.js";
import type { Asker, ReceivedMessage } from "../../ports/chat.js";

/** A message of a person in a server; null for every other message. */
export function receivedOf(message: Message): ReceivedMessage | null {
  if (!isFromPerson(message) || !message.inGuild()) return null;
  return {
    id: asId(message.id),
    place: placeOf(message.channel),
    author: askerOf(message.guildId, message.author, message.member, { canWriteHere: true }),
    text: textOf(message),
    attachments: attachmentsOf(message),
    replyToId: replyToId(message),
    createdAtMs: message.createdTimestamp,
    editedAtMs: message.editedTimestamp,
  };
}

/** Whether a person wrote it: every other message type is a notice of Discord itself. */
export function isFromPerson(message: Message): boolean {
  const isWritten = message.type === MessageType.Default || message.type === MessageType.Reply;
  return isWritten && message.webhookId === null && !message.author.bot && !message.author.system;
}

/** Where a channel or thread is. */
export function placeOf(channel: GuildTextBasedChannel): Place {
  const guildId = asId<GuildId>(channel.guildId);
  if (channel.isThread()) {
    return { guildId, channelId: asId(channel.parentId ?? channel.id), threadId: asId(channel.id) };
  }
  return { guildId, channelId: asId(channel.id), threadId: null };
}

/** Where somebody uses the bot. A channel that is not known here is none with threads. */
export function placeOfUse(use: {
  readonly channel: GuildTextBasedChannel | null;
  readonly guildId: string;
  readonly channelId: string | null;
}): Place {
  const { channel, guildId, channelId } = use;
  if (channel !== null) return placeOf(channel);
  return { guildId: asId(guildId), channelId: asId(channelId ?? ""), threadId: null };
}

/** Without a membership, which a person who left has no more, nothing is allowed. */
export function askerOf(
  guildId: string,
  user: { readonly id: string; readonly displayName: string },
  member: GuildMember | null,
  options: { readonly canWriteHere: boolean },
): Asker {
  return {
    userId: asId(user.id),
    name: member?.displayName ?? user.displayName,
    guildId: asId(guildId),
    roleIds: member === null ? [] : [...member.roles.cache.keys()].map((id) => asId<RoleId>(id)),
    // The rights in the server: a channel's overwrites give no right to change others' channels.
    canManageChannels: member?.permissions.has(PermissionFlagsBits.ManageChannels) ?? false,
    ...options,
  };
}

/** What was said, with a line in brackets for each thing that is not text. */
export function textOf(message: Message<true>): string {
  const lines = [message.cleanContent];
  if (message.reference?.type === MessageReferenceType.Forward) {
    for (const snapshot of message.messageSnapshots.values()) {
      lines.push(forwarded(snapshot, message.channel));
    }
  }
  if (message.flags.has(MessageFlags.IsVoiceMessage)) lines.push("[voice message]");
  for (const sticker of message.stickers.values()) lines.push(`[sticker: ${sticker.name}]`);
  if (message.poll !== null) {
    const answers = [...message.poll.answers.values()].map(({ text }) => text ?? "").join(", ");
    lines.push(`[poll: ${message.poll.question.text ?? ""} — ${answers}]`);
  }
  return lines.filter((line) => line !== "").join("\n");
}

function forwarded(snapshot: MessageSnapshot, channel: GuildTextBasedChannel): string {
  const text = cleanContent(snapshot.content ?? "", channel);
  // Somebody else's words, said elsewhere: a quote names nobody.
  const quoted = text === "" ? [] : text.split(/\r\n?|\n/u).map((line) => `> ${line}`);
  const stickers = [...snapshot.stickers.values()].map(({ name }) => `[sticker: ${name}]`);
  return ["[forwarded message]", ...quoted, ...stickers].join("\n");
}

/** The files of a message, those of a message that it forwards among them. */
export function attachmentsOf(message: Message): readonly Attachment[] {
  const forwards = [...message.messageSnapshots.values()];
  return [message, ...forwards].flatMap(({ attachments }) =>
    [...attachments.values()].map(attachmentOf),
  );
}

/** A file as Discord describes it, at a message or at an option of a command. */
function attachmentOf(file: {
  readonly name: string;
  readonly contentType: string | null;
  readonly size: number;
  readonly url: string;
}): Attachment {
  return {
    name: file.name,
    type: file.contentType?.split(";")[0]?.trim().toLowerCase() ?? null,
    bytes: file.size,
    url: file.url,
  };
}

function replyToId(message: Message): ReceivedMessage["replyToId"] {
  const id = message.type === MessageType.Reply ? message.reference?.messageId : undefined;
  return id === undefined ? null : asId(id);
}
