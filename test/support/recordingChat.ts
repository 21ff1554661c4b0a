/**
 * The whole `Chat` port in memory. It keeps what people would see and records every visible effect
 * in order. Any call can be made to fail, before or after it was performed, or to wait.
 */
import type { Picture } from "../../src/domain/agent.js";
import {
  asId,
  type ChannelId,
  compareSnowflakes,
  type GuildId,
  type MessageId,
  snowflakeTimeMs,
  type ThreadId,
  type UserId,
} from "../../src/domain/ids.js";
import { MESSAGE_CHARACTERS, TOPIC_CHARACTERS } from "../../src/domain/limits.js";
import type { Place } from "../../src/domain/message.js";
import {
  type Announcement,
  type Asker,
  type Chat,
  ChatError,
  type FoundChannel,
  type NewChannel,
  type PersonaPost,
  type Reading,
  type SeenMessage,
  type WantedPost,
  type WantedThread,
} from "../../src/ports/chat.js";
import { CallPlans, type FailureTime, type Held } from "./callPlans.js";
import type { Effect, ShownMessage } from "./chatEffects.js";

/** The methods that reach the chat service. */
export type ChatMethod = Exclude<keyof Chat, "topic" | "link" | "lobby">;
/** Emojis of applications hold at most 256 KiB (Discord API, "Create Application Emoji"). */
const PICTURE_BYTES = 256 * 1024;
/** Discord API, "Channel Object". */
const CHANNELS_PER_CATEGORY = 50;
const FIRST_ID = 1_200_000_000_000_000_000n;

export class RecordingChat implements Chat {
  /** In the order in which they happened. */
  readonly effects: Effect[] = [];
  /** The pictures that exist, by emoji id. */
  readonly pictures = new Map<string, Picture>();
  /** The channels that exist. */
  readonly channels = new Map<ChannelId, NewChannel>();
  /** Gives the next snowflake; people's messages of a test take theirs here too, so that order is true. */
  readonly nextId: () => string;

  /** The threads that the bot has made, by id. */
  readonly threads = new Map<ThreadId, WantedThread>();
  /** People as they are known to the service: what each may do now. */
  readonly people = new Map<UserId, Asker>();
  /** Channels that a person may not read. */
  readonly secret = new Set<ChannelId>();

  readonly #shown = new Map<MessageId, ShownMessage>();
  readonly #categories = new Set<string>();
  readonly #hidden = new Set<ChannelId>();
  readonly #closedThreads = new Set<ThreadId>();
  readonly #nonces = new Map<string, MessageId>();
  readonly #plans = new CallPlans<ChatMethod>();

  constructor(options: { readonly nextId?: () => string } = {}) {
    let last = FIRST_ID;
    this.nextId =
      options.nextId ??
      (() => {
        last += 1n;
        return last.toString();
      });
  }

  // What tests say and ask.

  /** What the bot lacks in every channel. */
  lacks: readonly string[] = [];

  /** Every call, in order, also those that failed. */
  get calls(): readonly ChatMethod[] {
    return this.#plans.calls;
  }

  /** The next call of the method rejects with this error. Several are used one after another. */
  failNext(method: ChatMethod, error: Error, time: FailureTime = "before"): void {
    this.#plans.failNext(method, error, time);
  }

  /** The next call of the method waits, before it does anything, until released or its signal is aborted. */
  holdNext(method: ChatMethod): Held {
    return this.#plans.holdNext(method);
  }

  /** A channel that is there already, without an effect being recorded. */
  addChannel(channel: Partial<NewChannel> & { readonly id?: ChannelId } = {}): ChannelId {
    const { id = asId<ChannelId>(this.nextId()), ...rest } = channel;
    this.channels.set(id, {
      guildId: asId<GuildId>("900000000000000001"),
      name: "channel",
      category: "Groups",
      topic: "",
      ...rest,
    });
    return id;
  }

  /** A person deletes a channel: every later call for it is "gone". */
  dropChannel(channelId: ChannelId): void {
    this.channels.delete(channelId);
    for (const [id, message] of this.#shown) {
      if (placeOf(message).channelId === channelId) this.#shown.delete(id);
    }
  }

  /** The bot loses the permission to see a channel: it is there, and not known. */
  hideChannel(channelId: ChannelId): void {
    this.#hidden.add(channelId);
  }

  /** A person deletes a thread. */
  dropThread(threadId: ThreadId): void {
    this.#closedThreads.add(threadId);
  }

  /** A person deletes a message. */
  dropMessage(messageId: MessageId): void {
    this.#shown.delete(messageId);
  }

  /** The minutes are over in which the service knows a nonce. */
  forgetNonces(): void {
    this.#nonces.clear();
  }

  /** What stands in a channel or thread now, oldest first. */
  shown(place: Pick<Place, "channelId"> & Partial<Place>): readonly ShownMessage[] {
    return [...this.#shown.values()].filter((message) => {
      const at = placeOf(message);
      return at.channelId === place.channelId && at.threadId === (place.threadId ?? null);
    });
  }

  /** The same as lines to compare with: `Editor: text`, and `(bot) text`. */
  lines(place: Pick<Place, "channelId"> & Partial<Place>): readonly string[] {
    return this.shown(place).map((message) =>
      message.by === "persona"
        ? `${message.post.persona.name}: ${message.post.text}`
        : `(bot) ${message.announcement.text}`,
    );
  }

  /** The effects of one kind. */
  effectsOf<K extends Effect["do"]>(kind: K): readonly Extract<Effect, { readonly do: K }>[] {
    return this.effects.filter(
      (effect): effect is Extract<Effect, { readonly do: K }> => effect.do === kind,
    );
  }

  // The port.

  async post(post: PersonaPost, signal: AbortSignal): Promise<MessageId> {
    signal.throwIfAborted();
    return this.#plans.perform("post", null, () => {
      this.#assertOpen(post.place);
      assertLength("text", post.text, MESSAGE_CHARACTERS);
      assertLength("persona name", post.persona.name, 80);
      const id = asId<MessageId>(this.nextId());
      this.#shown.set(id, { by: "persona", id, post });
      this.effects.push({ do: "post", messageId: id, post });
      return id;
    });
  }

  findPost(wanted: WantedPost, signal: AbortSignal): Promise<MessageId | null> {
    return this.#plans.perform("findPost", signal, () => {
      this.#assertOpen(wanted.place);
      const found = this.shown(wanted.place).find(
        (message) =>
          message.by === "persona" &&
          message.post.persona.name === wanted.personaName &&
          message.post.text.trim() === wanted.text.trim() &&
          compareSnowflakes(message.id, wanted.afterId) > 0 &&
          !wanted.except.includes(message.id),
      );
      return found?.id ?? null;
    });
  }

  async announce(announcement: Announcement, signal: AbortSignal): Promise<MessageId> {
    signal.throwIfAborted();
    return this.#plans.perform("announce", null, () => {
      this.#assertOpen(announcement.place);
      assertLength("text", announcement.text, MESSAGE_CHARACTERS);
      assertLength("nonce", announcement.nonce, 25);
      const known = this.#nonces.get(announcement.nonce) ?? this.#saidBefore(announcement);
      if (known !== undefined) return known;
      const id = asId<MessageId>(this.nextId());
      this.#nonces.set(announcement.nonce, id);
      this.#shown.set(id, { by: "bot", id, announcement });
      this.effects.push({ do: "announce", messageId: id, announcement });
      return id;
    });
  }

  findOwn(
    wanted: { readonly place: Place; readonly buttonId: string; readonly afterId: MessageId },
    signal: AbortSignal,
  ): Promise<MessageId | null> {
    return this.#plans.perform("findOwn", signal, () => {
      this.#assertOpen(wanted.place);
      const found = this.shown(wanted.place).find(
        (message) =>
          message.by === "bot" &&
          message.announcement.buttons.some((button) => button.id === wanted.buttonId) &&
          compareSnowflakes(message.id, wanted.afterId) > 0,
      );
      return found?.id ?? null;
    });
  }

  editPost(
    place: Place,
    messageId: MessageId,
    change: Pick<PersonaPost, "text" | "file">,
  ): Promise<void> {
    return this.#plans.perform("editPost", null, () => {
      this.#assertOpen(place);
      assertLength("text", change.text, MESSAGE_CHARACTERS);
      const message = this.#shown.get(messageId);
      if (message?.by !== "persona")
        throw new ChatError("gone", "That message is no longer there.");
      const post = { ...message.post, ...change };
      this.#shown.set(messageId, { by: "persona", id: messageId, post });
      this.effects.push({ do: "editPost", messageId, change });
    });
  }

  editAnnouncement(
    place: Place,
    messageId: MessageId,
    change: Pick<Announcement, "text" | "buttons">,
  ): Promise<void> {
    return this.#plans.perform("editAnnouncement", null, () => {
      this.#assertOpen(place);
      assertLength("text", change.text, MESSAGE_CHARACTERS);
      const message = this.#shown.get(messageId);
      if (message?.by !== "bot") throw new ChatError("gone", "That message is no longer there.");
      const announcement = { ...message.announcement, ...change };
      this.#shown.set(messageId, { by: "bot", id: messageId, announcement });
      this.effects.push({ do: "editAnnouncement", messageId, change });
    });
  }

  remove(_place: Place, messageId: MessageId): Promise<void> {
    return this.#plans.perform("remove", null, () => {
      if (!this.#shown.delete(messageId)) return;
      this.effects.push({ do: "remove", messageId });
    });
  }

  /** As the port says, a failure that was asked for has no consequence. */
  async showTyping(place: Place): Promise<void> {
    try {
      await this.#plans.perform("showTyping", null, () => {
        this.#assertOpen(place);
        this.effects.push({ do: "showTyping", place });
      });
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
    }
  }

  createChannel(channel: NewChannel): Promise<ChannelId> {
    return this.#plans.perform("createChannel", null, () => {
      assertLength("channel name", channel.name, 100);
      assertLength("category", channel.category, 100);
      assertTopic(channel.topic);
      const { guildId, category } = channel;
      if (!this.hasCategory(guildId, category)) {
        this.#categories.add(categoryKey(guildId, category));
        this.effects.push({ do: "createCategory", guildId, name: category });
      }
      const channelId = asId<ChannelId>(this.nextId());
      this.channels.set(channelId, channel);
      this.effects.push({ do: "createChannel", channelId, channel });
      return channelId;
    });
  }

  findChannels(wanted: NewChannel, sinceMs: number): Promise<readonly FoundChannel[]> {
    return this.#plans.perform("findChannels", null, () =>
      [...this.channels].flatMap(([channelId, { guildId, name, topic }]) =>
        guildId === wanted.guildId &&
        name === wanted.name &&
        topic === wanted.topic &&
        snowflakeTimeMs(channelId) >= sinceMs
          ? [{ channelId, isUnused: this.shown({ channelId }).length === 0 }]
          : [],
      ),
    );
  }

  discardChannel(channelId: ChannelId): Promise<void> {
    return this.#plans.perform("discardChannel", null, () => {
      if (!this.channels.has(channelId)) throw gone();
      this.dropChannel(channelId);
      this.effects.push({ do: "discardChannel", channelId });
    });
  }

  moveChannel(
    channelId: ChannelId,
    category: string,
    whenFull: "refuse" | "another",
  ): Promise<void> {
    return this.#plans.perform("moveChannel", null, () => {
      const channel = this.channels.get(channelId);
      if (channel === undefined) throw gone();
      assertLength("category", category, 100);
      const { guildId } = channel;
      const others = [...this.channels.values()].filter(
        (other) => other !== channel && other.guildId === guildId && other.category === category,
      );
      const isFull = others.length > 0 && others.length % CHANNELS_PER_CATEGORY === 0;
      if (isFull && whenFull === "refuse") {
        throw new ChatError("full", "The category has 50 channels.");
      }
      if (isFull || !this.hasCategory(guildId, category)) {
        this.#categories.add(categoryKey(guildId, category));
        this.effects.push({ do: "createCategory", guildId, name: category });
      }
      this.channels.set(channelId, { ...channel, category });
      this.effects.push({ do: "moveChannel", channelId, category });
    });
  }

  hasChannel(channelId: ChannelId): Promise<boolean> {
    return this.#plans.perform("hasChannel", null, () => this.channels.has(channelId));
  }

  setTopic(channelId: ChannelId, topic: string): Promise<void> {
    return this.#plans.perform("setTopic", null, () => {
      const channel = this.channels.get(channelId);
      if (channel === undefined) throw gone();
      assertTopic(topic);
      this.channels.set(channelId, { ...channel, topic });
      this.effects.push({ do: "setTopic", channelId, topic });
    });
  }

  lacking(_channelId: ChannelId | ThreadId): readonly string[] {
    return this.lacks;
  }

  lobby(guildId: GuildId): ChannelId | null {
    return [...this.channels].find(([, channel]) => channel.guildId === guildId)?.[0] ?? null;
  }

  topic(channelId: ChannelId): string | null {
    return this.#hidden.has(channelId) ? null : (this.channels.get(channelId)?.topic ?? null);
  }

  uploadPicture(name: string, image: Uint8Array): Promise<Picture> {
    return this.#plans.perform("uploadPicture", null, () => {
      if (!/^\w{2,32}$/.test(name)) throw refused(`"${name}" is no name for a picture.`);
      if (image.length === 0 || image.length > PICTURE_BYTES) {
        throw refused(`A picture of ${image.length} bytes is not taken.`);
      }
      const emojiId = this.nextId();
      const picture = { emojiId, url: `https://cdn.discordapp.com/emojis/${emojiId}.png` };
      this.pictures.set(emojiId, picture);
      this.effects.push({ do: "uploadPicture", picture, name, image });
      return picture;
    });
  }

  discardPicture(picture: Picture): Promise<void> {
    return this.#plans.perform("discardPicture", null, () => {
      if (!this.pictures.delete(picture.emojiId)) return;
      this.effects.push({ do: "discardPicture", picture });
    });
  }

  openThread(thread: WantedThread): Promise<ThreadId> {
    return this.#plans.perform("openThread", null, () => {
      assertLength("thread name", thread.name, 100);
      const { channelId, name, known } = thread;
      this.#assertOpen({ guildId: thread.guildId, channelId, threadId: null });
      const isOpen = (id: ThreadId) => !this.#closedThreads.has(id);
      if (known !== null && this.threads.has(known) && isOpen(known)) {
        this.threads.set(known, thread);
        return known;
      }
      for (const [id, one] of this.threads) {
        if (one.channelId === channelId && one.name === name && isOpen(id)) return id;
      }
      const threadId = asId<ThreadId>(this.nextId());
      this.threads.set(threadId, thread);
      this.effects.push({ do: "openThread", threadId, thread });
      return threadId;
    });
  }

  asker(userId: UserId, place: Place): Promise<Asker | null> {
    return this.#plans.perform("asker", null, () => {
      const person = this.people.get(userId);
      return person === undefined || person.guildId !== place.guildId ? null : person;
    });
  }

  sees(userId: UserId, { guildId, channelId }: Place): Promise<boolean> {
    return this.#plans.perform("sees", null, () => {
      const isMember = this.people.get(userId)?.guildId === guildId;
      return isMember && this.channels.has(channelId) && !this.secret.has(channelId);
    });
  }

  read(reading: Reading): Promise<readonly SeenMessage[] | null> {
    return this.#plans.perform("read", null, () => {
      const name = reading.channel.replace(/^<?#?|>$/gu, "");
      const found = [...this.channels].find(
        ([id, channel]) =>
          channel.guildId === reading.guildId && (id === name || channel.name === name),
      );
      if (found === undefined || this.secret.has(found[0])) return null;
      return this.shown({ channelId: found[0] })
        .slice(-reading.limit)
        .map((message) => ({
          id: message.id,
          authorName: message.by === "persona" ? message.post.persona.name : "Parley",
          userId: null,
          text: message.by === "persona" ? message.post.text : message.announcement.text,
          files: [],
          createdAtMs: 0,
        }));
    });
  }

  link(place: Place, messageId: MessageId): string {
    const channelId = place.threadId ?? place.channelId;
    return `https://discord.com/channels/${place.guildId}/${channelId}/${messageId}`;
  }

  /** Whether there is a category of this name, made here or holding a channel that was added. */
  hasCategory(guildId: GuildId, name: string): boolean {
    return (
      this.#categories.has(categoryKey(guildId, name)) ||
      [...this.channels.values()].some(
        (channel) => channel.guildId === guildId && channel.category === name,
      )
    );
  }

  #assertOpen(place: Place): void {
    if (!this.channels.has(place.channelId)) throw gone();
    if (place.threadId !== null && this.#closedThreads.has(place.threadId)) throw gone();
  }

  #saidBefore({ place, text, isDoubtful, afterId }: Announcement): MessageId | undefined {
    if (!isDoubtful) return undefined;
    return this.shown(place).find(
      (message) =>
        message.by === "bot" &&
        message.announcement.text.trim() === text.trim() &&
        (afterId === null || compareSnowflakes(message.id, afterId) > 0),
    )?.id;
  }
}

function placeOf(message: ShownMessage): Place {
  return message.by === "persona" ? message.post.place : message.announcement.place;
}

function categoryKey(guildId: GuildId, name: string): string {
  return `${guildId} ${name}`;
}

function assertLength(what: string, text: string, limit: number): void {
  if (text.trim() === "" || text.length > limit) {
    throw refused(`The ${what} must have 1 to ${limit} characters, not ${text.length}.`);
  }
}

function assertTopic(topic: string): void {
  if (topic.length > TOPIC_CHARACTERS) throw refused(`A topic of ${topic.length} characters.`);
}

function refused(detail: string): ChatError {
  return new ChatError("refused", detail);
}

function gone(): ChatError {
  return new ChatError("gone", "That channel is no longer there.");
}
