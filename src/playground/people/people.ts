import {
  type APIApplicationCommandOptionChoice,
  type APIMessage,
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  InteractionType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits as Permission,
} from "discord-api-types/v10";
import { sendPermission } from "../rest/messages.js";
import { deleteChannel } from "../world/channels.js";
import { storeAttachment } from "../world/files.js";
import { startInteraction } from "../world/interactions.js";
import { defaultAllowedMentions } from "../world/mentions.js";
import {
  deleteMessage,
  EMPTY_DRAFT,
  editMessage,
  postMessage,
  publishTyping,
} from "../world/messages.js";
import { viewWholeMessage } from "../world/messageViews.js";
import { requireInChannel } from "../world/permissions.js";
import { addReaction, findReaction, readEmoji, removeReaction } from "../world/reactions.js";
import type { MessageRecord, ThreadRecord, UploadedFile } from "../world/records.js";
import { createThread, deleteThread } from "../world/threadCreation.js";
import type { World } from "../world/world.js";
import { type CommandValues, findCommand, mayUseCommand, slashData } from "./commandData.js";
import { findComponent, modalInputs } from "./components.js";
import { PersonError } from "./personError.js";
import { followInteraction, type PersonInteraction } from "./personInteraction.js";
import { type NewPoll, pollOf, snapshotOf, stickerOf } from "./specialMessages.js";

export type { InteractionOutcome, PersonInteraction } from "./personInteraction.js";

export interface PostExtras {
  /** The message that this one replies to. */
  readonly replyTo?: string;
  /** Whether the reply notifies its author; clients do so by default. */
  readonly pingsRepliedUser?: boolean;
  readonly files?: readonly UploadedFile[];
  /** The one file is a recording of the person's voice. */
  readonly isVoice?: boolean;
  readonly poll?: NewPoll;
  /** A sticker by its name. */
  readonly sticker?: string;
}

/** https://docs.discord.com/developers/resources/message#attachment-object */
const VOICE = { duration_secs: 2, waveform: "AAAA" };

/** Everything that people do in Discord's client, with the rights that they have there. */
export class People {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A message as its sender sees it; the bot hears of it through the gateway. */
  post(userId: string, channelId: string, content: string, extras: PostExtras = {}): APIMessage {
    const world = this.#world;
    const channel = world.anyChannel(channelId);
    if (channel.type === ChannelType.GuildCategory) throw new PersonError("Not a text channel.");
    requireInChannel(world, channel, userId, sendPermission(channel));
    const { files = [], replyTo, poll, sticker, isVoice = false } = extras;
    if (files.length > 0) requireInChannel(world, channel, userId, Permission.AttachFiles);
    const hasMore = files.length > 0 || poll !== undefined || sticker !== undefined;
    if (content.trim() === "" && !hasMore) throw new PersonError("The message is empty.");
    if (content.length > 2000) throw new PersonError("A message has at most 2000 characters.");
    if (isVoice && (files.length !== 1 || content !== "")) {
      throw new PersonError("A voice message is one recording and nothing else.");
    }
    const attachments = files.map((file) => ({
      ...storeAttachment(world, channelId, file),
      ...(isVoice ? VOICE : {}),
    }));
    const reference =
      replyTo === undefined ? null : { messageId: world.message(channelId, replyTo).id, channelId };
    const message = postMessage(
      world,
      channel,
      { kind: "user", userId },
      {
        ...EMPTY_DRAFT,
        content,
        attachments,
        flags: isVoice ? MessageFlags.IsVoiceMessage : 0,
        allowedMentions: {
          ...defaultAllowedMentions("user"),
          replied_user: extras.pingsRepliedUser ?? true,
        },
      },
      {
        reference,
        ...(poll ? { poll: pollOf(world, poll) } : {}),
        ...(sticker === undefined ? {} : { stickers: [stickerOf(world, sticker)] }),
      },
    );
    return viewWholeMessage(world, message);
  }

  /** Forwards a message of another channel, or of the same. */
  forward(userId: string, channelId: string, fromChannelId: string, messageId: string): APIMessage {
    const world = this.#world;
    const channel = world.anyChannel(channelId);
    requireInChannel(world, channel, userId, sendPermission(channel));
    const source = this.#visibleMessage(userId, fromChannelId, messageId);
    const message = postMessage(world, channel, { kind: "user", userId }, EMPTY_DRAFT, {
      type: MessageType.Default,
      reference: { messageId, channelId: fromChannelId, snapshot: snapshotOf(source) },
    });
    return viewWholeMessage(world, message);
  }

  /** Takes a file away from one's own message. */
  removeFile(userId: string, channelId: string, messageId: string, fileId: string): APIMessage {
    const message = this.#ownMessage(userId, channelId, messageId);
    const attachments = message.attachments.filter(({ id }) => id !== fileId);
    if (attachments.length === message.attachments.length) {
      throw new PersonError("There is no such file.");
    }
    if (attachments.length === 0 && message.content === "") {
      throw new PersonError("The message is empty.");
    }
    editMessage(this.#world, message, { attachments });
    return viewWholeMessage(this.#world, message);
  }

  edit(userId: string, channelId: string, messageId: string, content: string): APIMessage {
    const message = this.#ownMessage(userId, channelId, messageId);
    if (content.trim() === "" && message.attachments.length === 0) {
      throw new PersonError("The message is empty.");
    }
    editMessage(this.#world, message, { content });
    return viewWholeMessage(this.#world, message);
  }

  /** One's own message, or anybody's with Manage Messages. */
  remove(userId: string, channelId: string, messageId: string): void {
    const message = this.#world.message(channelId, messageId);
    if (message.author.id !== userId && message.ephemeralFor !== userId) {
      const channel = this.#world.anyChannel(channelId);
      requireInChannel(this.#world, channel, userId, Permission.ManageMessages);
    }
    deleteMessage(this.#world, message);
  }

  /** `emoji` is a character, or `name:id`. */
  react(userId: string, channelId: string, messageId: string, emoji: string): void {
    const message = this.#visibleMessage(userId, channelId, messageId);
    const found = readEmoji(this.#world, emoji);
    if (!findReaction(message, found)) {
      const channel = this.#world.anyChannel(channelId);
      requireInChannel(this.#world, channel, userId, Permission.AddReactions);
    }
    addReaction(this.#world, message, userId, found);
  }

  unreact(userId: string, channelId: string, messageId: string, emoji: string): void {
    const message = this.#visibleMessage(userId, channelId, messageId);
    removeReaction(this.#world, message, userId, readEmoji(this.#world, emoji));
  }

  type(userId: string, channelId: string): void {
    const channel = this.#world.anyChannel(channelId);
    requireInChannel(this.#world, channel, userId, sendPermission(channel));
    publishTyping(this.#world, channel, userId);
  }

  createThread(
    userId: string,
    channelId: string,
    name: string,
    startMessageId?: string,
  ): ThreadRecord {
    const world = this.#world;
    const parent = world.channel(channelId);
    requireInChannel(world, parent, userId, Permission.CreatePublicThreads);
    return createThread(world, parent, {
      name,
      ownerId: userId,
      type: ChannelType.PublicThread,
      autoArchiveMinutes: 4320,
      ...(startMessageId === undefined
        ? {}
        : { startMessage: world.message(channelId, startMessageId) }),
    });
  }

  /** A channel or a thread, with the rights that it takes. */
  deleteChannel(userId: string, channelId: string): void {
    const channel = this.#world.anyChannel(channelId);
    if (channel.kind === "thread") {
      requireInChannel(this.#world, channel, userId, Permission.ManageThreads);
      deleteThread(this.#world, channel);
    } else {
      requireInChannel(this.#world, channel, userId, Permission.ManageChannels);
      deleteChannel(this.#world, channel);
    }
  }

  /** Runs `/path` with its options; `path` may name a subcommand: `gc start`. */
  command(
    userId: string,
    channelId: string,
    path: string,
    values: CommandValues = {},
  ): PersonInteraction {
    const channel = this.#usableChannel(userId, channelId);
    const { command, data } = slashData(this.#world, channel, path, values);
    if (!mayUseCommand(this.#world, command, channel, userId)) {
      throw new PersonError(`You may not use /${command.name}.`);
    }
    return this.#start({
      type: InteractionType.ApplicationCommand,
      userId,
      channelId,
      data,
      commandName: command.name,
      commandType: command.type,
    });
  }

  /** What is offered while `focused` is being typed; its text so far is in `values`. */
  async autocomplete(
    userId: string,
    channelId: string,
    path: string,
    focused: string,
    values: CommandValues = {},
  ): Promise<readonly APIApplicationCommandOptionChoice[]> {
    const channel = this.#usableChannel(userId, channelId);
    const { command, data } = slashData(this.#world, channel, path, values, focused);
    const interaction = this.#start({
      type: InteractionType.ApplicationCommandAutocomplete,
      userId,
      channelId,
      data,
      commandName: command.name,
      commandType: command.type,
    });
    const outcome = await interaction.answered;
    if (!outcome.choices) throw new PersonError("Loading options failed.");
    return outcome.choices;
  }

  /** Runs a message menu command on a message. */
  menu(userId: string, channelId: string, name: string, messageId: string): PersonInteraction {
    const world = this.#world;
    const channel = this.#usableChannel(userId, channelId);
    const command = findCommand(world, channel.guildId, name, ApplicationCommandType.Message);
    if (!mayUseCommand(world, command, channel, userId)) {
      throw new PersonError(`You may not use ${name}.`);
    }
    const message = world.message(channelId, messageId);
    return this.#start({
      type: InteractionType.ApplicationCommand,
      userId,
      channelId,
      data: {
        id: command.id,
        name: command.name,
        type: command.type,
        target_id: messageId,
        resolved: { messages: { [messageId]: viewWholeMessage(world, message) } },
      },
      commandName: command.name,
      commandType: command.type,
      targetMessageId: messageId,
    });
  }

  /** Presses a button, or chooses `values` in a select. */
  press(
    userId: string,
    channelId: string,
    messageId: string,
    customId: string,
    values?: readonly string[],
  ): PersonInteraction {
    const world = this.#world;
    const message = this.#visibleMessage(userId, channelId, messageId);
    const component = findComponent(message.components, customId);
    if (!component) throw new PersonError("There is no such button.");
    if (component.isDisabled) throw new PersonError("That button is disabled.");
    // Only messages of the application and its webhooks reach it with their components.
    const isOurs = [message.author.id, message.applicationId].includes(world.application.id);
    if (!isOurs) throw new PersonError("This interaction failed.");
    return this.#start({
      type: InteractionType.MessageComponent,
      userId,
      channelId,
      data: {
        custom_id: customId,
        component_type: component.type,
        id: component.id,
        ...(component.type === ComponentType.Button ? {} : { values: values ?? [] }),
      },
      message: { id: message.id, view: viewWholeMessage(world, message) },
    });
  }

  /** Fills in the modal that an interaction opened. */
  submit(
    userId: string,
    interactionId: string,
    values: Readonly<Record<string, string>>,
  ): PersonInteraction {
    const world = this.#world;
    const opener = world.interactions.get(interactionId);
    if (!opener?.modal || opener.userId !== userId) throw new PersonError("There is no form.");
    const message = opener.messageId
      ? world.messages.get(opener.channelId)?.get(opener.messageId)
      : undefined;
    return this.#start({
      type: InteractionType.ModalSubmit,
      userId,
      channelId: opener.channelId,
      data: {
        custom_id: opener.modal.custom_id,
        components: modalInputs(opener.modal, values),
      },
      ...(opener.commandName === null ? {} : { commandName: opener.commandName }),
      ...(message ? { message: { id: message.id, view: viewWholeMessage(world, message) } } : {}),
    });
  }

  /** The interaction of that id, as the person who began it follows it. */
  follow(interactionId: string): PersonInteraction {
    const record = this.#world.interactions.get(interactionId);
    if (!record) throw new PersonError("There is no such interaction.");
    return followInteraction(this.#world, record);
  }

  #start(wanted: Parameters<typeof startInteraction>[1]): PersonInteraction {
    return followInteraction(this.#world, startInteraction(this.#world, wanted));
  }

  #usableChannel(userId: string, channelId: string) {
    const channel = this.#world.anyChannel(channelId);
    requireInChannel(this.#world, channel, userId, Permission.UseApplicationCommands);
    return channel;
  }

  #ownMessage(userId: string, channelId: string, messageId: string): MessageRecord {
    const message = this.#world.message(channelId, messageId);
    if (message.author.id !== userId) throw new PersonError("That is not your message.");
    return message;
  }

  #visibleMessage(userId: string, channelId: string, messageId: string): MessageRecord {
    requireInChannel(this.#world, this.#world.anyChannel(channelId), userId);
    const message = this.#world.message(channelId, messageId);
    if (message.ephemeralFor !== null && message.ephemeralFor !== userId) {
      throw new PersonError("There is no such message.");
    }
    return message;
  }
}
