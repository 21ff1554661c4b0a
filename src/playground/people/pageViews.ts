import { ChannelType, MessageFlags, MessageType } from "discord-api-types/v10";
import { never } from "../never.js";
import type {
  PlaygroundAuthor,
  PlaygroundChannel,
  PlaygroundGuild,
  PlaygroundInteraction,
  PlaygroundMessage,
  PlaygroundState,
} from "../peopleApi.js";
import { canSee } from "../world/permissions.js";
import type {
  AnyChannelRecord,
  GuildRecord,
  InteractionRecord,
  MessageRecord,
} from "../world/records.js";
import type { World } from "../world/world.js";

const EXCERPT_LENGTH = 120;

/** The world as the page shows it. */
export function pageState(world: World): PlaygroundState {
  return {
    application: { id: world.application.id, name: world.application.name },
    users: [...world.users.values()].map((user) => ({
      id: user.id,
      name: user.globalName ?? user.username,
      isBot: user.bot,
    })),
    guilds: [...world.guilds.values()].map((guild) => pageGuild(world, guild)),
  };
}

export function pageGuild(world: World, guild: GuildRecord): PlaygroundGuild {
  const threads = world.threadsOf(guild.id).filter((thread) => !thread.archived);
  const channels = world.channelsOf(guild.id).sort((a, b) => a.position - b.position);
  return {
    id: guild.id,
    name: guild.name,
    ownerId: guild.ownerId,
    members: [...guild.members.values()].map((member) => ({
      userId: member.userId,
      name: memberName(world, guild.id, member.userId),
      isBot: world.user(member.userId).bot,
      roleIds: [...member.roleIds],
    })),
    roles: [...guild.roles.values()].map((role) => ({ id: role.id, name: role.name })),
    channels: [...channels, ...threads].map(pageChannel),
  };
}

export function pageChannel(channel: AnyChannelRecord): PlaygroundChannel {
  const isThread = channel.kind === "thread";
  return {
    id: channel.id,
    guildId: channel.guildId,
    kind: channelKind(channel),
    name: channel.name,
    topic: isThread ? null : channel.topic,
    parentId: channel.parentId,
    position: isThread ? 0 : channel.position,
    isArchived: isThread && channel.archived,
  };
}

export function pageMessage(world: World, message: MessageRecord): PlaygroundMessage {
  const { source } = message;
  return {
    id: message.id,
    guildId: message.guildId,
    channelId: message.channelId,
    type: message.type,
    author: pageAuthor(world, message),
    content: message.content,
    createdAt: new Date(message.createdAtMs).toISOString(),
    editedAt: message.editedAtMs === null ? null : new Date(message.editedAtMs).toISOString(),
    replyTo: pageReply(world, message),
    command: source
      ? {
          name: source.commandName,
          userName: memberName(world, message.guildId, source.userId),
        }
      : null,
    attachments: message.attachments.map((attachment) => ({
      id: attachment.id,
      filename: attachment.filename,
      url: new URL(attachment.url).pathname,
      contentType: attachment.content_type ?? "application/octet-stream",
      sizeBytes: attachment.size,
      width: attachment.width ?? null,
      height: attachment.height ?? null,
    })),
    embeds: message.embeds,
    components: message.components,
    reactions: message.reactions.map((reaction) => ({
      emoji: reaction.emoji,
      userIds: [...reaction.userIds],
    })),
    mentionNames: mentionNames(world, message),
    pingsUserIds: message.mentionUserIds,
    isEphemeral: message.ephemeralFor !== null,
    isLoading: (message.flags & MessageFlags.Loading) !== 0,
    threadId: message.threadId,
  };
}

export function pageInteraction(world: World, record: InteractionRecord): PlaygroundInteraction {
  const messages = world.messages.get(record.channelId);
  const view = (id: string | null) => {
    const message = id === null ? undefined : messages?.get(id);
    return message ? [pageMessage(world, message)] : [];
  };
  return {
    id: record.id,
    userId: record.userId,
    channelId: record.channelId,
    state: record.state,
    isEphemeral: record.ephemeral,
    message: view(record.originalMessageId)[0] ?? null,
    followUps: record.followUpIds.flatMap(view),
    modal: record.modal,
  };
}

/** Whether this person sees the message: the channel, and ephemeral ones only of their own. */
export function isVisibleTo(world: World, message: MessageRecord, userId: string): boolean {
  if (message.ephemeralFor !== null && message.ephemeralFor !== userId) return false;
  const channel = world.channels.get(message.channelId);
  return channel !== undefined && canSee(world, channel, userId);
}

export function memberName(world: World, guildId: string, userId: string): string {
  const user = world.users.get(userId);
  const nick = world.guilds.get(guildId)?.members.get(userId)?.nick;
  return nick ?? user?.globalName ?? user?.username ?? "unknown";
}

function channelKind(channel: AnyChannelRecord): PlaygroundChannel["kind"] {
  if (channel.kind === "thread") return "thread";
  switch (channel.type) {
    case ChannelType.GuildCategory:
      return "category";
    case ChannelType.GuildVoice:
      return "voice";
    case ChannelType.GuildAnnouncement:
      return "announcement";
    case ChannelType.GuildText:
      return "text";
    default:
      return never(channel);
  }
}

function pageAuthor(world: World, message: MessageRecord): PlaygroundAuthor {
  const isPersona = message.webhookId !== null && message.webhookId !== world.application.id;
  if (isPersona) {
    const avatarUrl = localPicture(world, message.avatarUrl);
    return { id: message.author.id, name: message.author.username, kind: "persona", avatarUrl };
  }
  return {
    id: message.author.id,
    name: memberName(world, message.guildId, message.author.id),
    kind: message.author.bot === true ? "bot" : "person",
    avatarUrl: null,
  };
}

/** A persona's picture is an emoji on Discord's CDN; here the world holds its bytes. */
function localPicture(world: World, avatarUrl: string | null): string | null {
  const path = avatarUrl === null ? "" : new URL(avatarUrl).pathname;
  const id = /^\/emojis\/(\d+)\.\w+$/.exec(path)?.[1];
  return id !== undefined && world.emojis.has(id) ? `/emojis/${id}.png` : null;
}

function pageReply(world: World, message: MessageRecord): PlaygroundMessage["replyTo"] {
  const { reference } = message;
  if (!reference || message.type !== MessageType.Reply) return null;
  const target = world.messages.get(reference.channelId)?.get(reference.messageId);
  return {
    messageId: reference.messageId,
    authorName: target ? pageAuthor(world, target).name : null,
    excerpt: target ? target.content.slice(0, EXCERPT_LENGTH) : null,
  };
}

function mentionNames(world: World, message: MessageRecord): Record<string, string> {
  const names: Record<string, string> = {};
  for (const [, id = ""] of message.content.matchAll(/<(?:@[!&]?|#)(\d{17,20})>/g)) {
    const role = world.guilds.get(message.guildId)?.roles.get(id);
    const channel = world.channels.get(id);
    if (role) names[id] = role.name;
    else if (channel) names[id] = channel.name;
    else if (world.users.has(id)) names[id] = memberName(world, message.guildId, id);
  }
  return names;
}
