import {
  type Client,
  ComponentType,
  Events,
  type Message,
  MessageReferenceType,
  type PartialMessage,
} from "discord.js";
import { asId, type GuildId, type MessageId } from "../../domain/ids.js";
import type { ReceivedMessage } from "../../ports/chat.js";
import type { Listener, OwnShown } from "../../ports/listener.js";
import type { Log } from "../../ports/system.js";
import type { Gateway } from "./gateway.js";
import { placeOf, receivedOf } from "./received.js";

/** Discord may send an event again. It does so soon. */
const MAX_SEEN = 5_000;

/** Hands the events of a connected client to the listener. `tells`: see `Gateway`. */
export function attach(
  { client, tells }: { readonly client: Client<true>; readonly tells: Gateway["tells"] },
  listener: Listener,
  log: Log,
): void {
  const isFirst = firstTimes(MAX_SEEN);
  /** Every handler goes through here: what it throws or rejects with is logged, never lost. */
  const guarded = (event: string, handle: () => Promise<void> | undefined) => {
    const failed = (error: unknown) => log.error({ err: error, event }, "an event was not handled");
    try {
      handle()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  client.on(Events.MessageCreate, (message) =>
    guarded("messageCreate", () => {
      const received = receivedOf(message);
      return received === null || !isFirst(received.id) ? undefined : listener.received(received);
    }),
  );
  client.on(Events.MessageCreate, (message) =>
    guarded("messageCreate", () => {
      const shown = ownShownOf(message);
      return shown === null ? undefined : listener.ownShown(shown);
    }),
  );
  // Discord also reports a change when a link preview arrives or a message is pinned.
  client.on(Events.MessageUpdate, (_, message) =>
    guarded("messageUpdate", () => {
      const received = standingOf(message);
      if (received === null || received.editedAtMs === null) return undefined;
      return listener.edited(received.id, received.text, received.editedAtMs);
    }),
  );
  client.on(Events.MessageUpdate, (_, message) =>
    guarded("messageUpdate", () => {
      const received = standingOf(message);
      // Nobody takes a file from what is only shown from elsewhere.
      const isForward = message.reference?.type === MessageReferenceType.Forward;
      if (received === null || isForward || !tells("attachments")) return undefined;
      return listener.filesLeft(received.id, received.attachments);
    }),
  );
  client.on(Events.MessageDelete, (message) =>
    guarded("messageDelete", () => deletedIn(message.channel, [message.id])),
  );
  client.on(Events.MessageBulkDelete, (messages, channel) =>
    guarded("messageBulkDelete", () => deletedIn(channel, [...messages.keys()])),
  );
  client.on(Events.ChannelDelete, (channel) =>
    guarded("channelDelete", () =>
      channel.isDMBased()
        ? undefined
        : listener.channelDeleted(asId(channel.guildId), asId(channel.id)),
    ),
  );
  client.on(Events.ThreadDelete, (thread) =>
    guarded("threadDelete", () => listener.threadDeleted(asId(thread.guildId), asId(thread.id))),
  );
  client.on(Events.GuildDelete, (guild) =>
    guarded("guildDelete", () => listener.serverLeft(asId(guild.id))),
  );

  const rightsChanged = (event: string, guildId: string) =>
    guarded(event, () => listener.rightsChanged(asId<GuildId>(guildId)));
  client.on(Events.GuildRoleUpdate, (_, role) => rightsChanged("guildRoleUpdate", role.guild.id));
  client.on(Events.GuildMemberUpdate, (_, member) => {
    if (member.id === client.user.id) rightsChanged("guildMemberUpdate", member.guild.id);
  });
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) rightsChanged("channelUpdate", channel.guildId);
  });

  const serverReady = (event: string, id: string) =>
    guarded(event, () => listener.serverReady(asId<GuildId>(id)));
  client.on(Events.GuildCreate, (guild) => serverReady("guildCreate", guild.id));
  // A session that begins anew, without the events in between, has every server come back.
  client.on(Events.GuildAvailable, (guild) => serverReady("guildAvailable", guild.id));
  for (const guild of client.guilds.cache.values()) {
    if (guild.available) serverReady("attach", guild.id);
  }

  function deletedIn(channel: Message["channel"], ids: readonly string[]) {
    if (channel.isDMBased()) return undefined;
    return listener.deleted(
      asId(channel.id),
      ids.map((id) => asId<MessageId>(id)),
    );
  }
}

/** Null for the messages of everybody else, and for those without a button. */
function ownShownOf(message: Message): OwnShown | null {
  if (message.author.id !== message.client.user.id || !message.inGuild()) return null;
  const buttonIds = message.components.flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.flatMap(({ customId }) => customId ?? [])
      : [],
  );
  if (buttonIds.length === 0 || message.webhookId !== null) return null;
  return { place: placeOf(message.channel), messageId: asId(message.id), buttonIds };
}

/** A person's message as an update tells it; null too where that does not say whose it is. */
function standingOf(message: Message | PartialMessage): ReceivedMessage | null {
  return message.partial ? null : receivedOf(message);
}

/** Whether an id comes for the first time, as far as the newest ones tell. */
function firstTimes(limit: number): (id: MessageId) => boolean {
  const seen = new Set<MessageId>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
