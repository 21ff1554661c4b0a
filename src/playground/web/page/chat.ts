import type {
  PlaygroundChannel,
  PlaygroundEvent,
  PlaygroundGuild,
  PlaygroundInteraction,
  PlaygroundMessage,
  PlaygroundState,
  PlaygroundUser,
} from "../../peopleApi.js";
import { api, Refusal } from "./api.js";
import { followEvents } from "./events.js";
import { Feed } from "./feed.js";
import { Dismissed, keep, kept } from "./kept.js";
import { Typing } from "./typing.js";

/** What has to be shown anew. `place`: another channel or person. */
export type Change = "place" | "channels" | "messages" | "typing" | "connection";

/** Unread messages of a channel, and how many of them notify the person. */
export interface Unread {
  readonly pings: number;
}

/** What the person sees and does; the only state of the page. */
export class Chat {
  #state: PlaygroundState = { application: { id: "", name: "" }, users: [], guilds: [] };
  #userId = "";
  #channelId = "";
  #feed: Feed | null = null;
  #isConnected = true;
  #connection: { stop(): void } | null = null;
  #fetches = 0;
  /** What happened while the world was on its way, which may not be in it. */
  readonly #held: PlaygroundEvent[] = [];
  readonly #unread = new Map<string, Unread>();
  readonly #dismissed = new Dismissed();
  readonly #typing = new Typing(() => this.#changed("typing"));
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #interactionListeners: ((interaction: PlaygroundInteraction) => void)[] = [];

  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  onInteraction(listener: (interaction: PlaygroundInteraction) => void): void {
    this.#interactionListeners.push(listener);
  }

  /** The people that one can be. */
  get people(): readonly PlaygroundUser[] {
    return this.#state.users.filter((user) => !user.isBot);
  }

  get guilds(): readonly PlaygroundGuild[] {
    return this.#state.guilds.filter((guild) =>
      guild.members.some((member) => member.userId === this.#userId),
    );
  }

  get userId(): string {
    return this.#userId;
  }

  get applicationName(): string {
    return this.#state.application.name;
  }

  get channel(): PlaygroundChannel | undefined {
    return this.findChannel(this.#channelId);
  }

  get guild(): PlaygroundGuild | undefined {
    const guildId = this.channel?.guildId;
    return this.guilds.find((guild) => guild.id === guildId) ?? this.guilds[0];
  }

  get feed(): Feed | null {
    return this.#feed;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get typingNames(): readonly string[] {
    return this.#typing.names(this.#channelId);
  }

  unread(channelId: string): Unread | undefined {
    return this.#unread.get(channelId);
  }

  findChannel(channelId: string): PlaygroundChannel | undefined {
    return this.guilds
      .flatMap((guild) => guild.channels)
      .find((channel) => channel.id === channelId);
  }

  /** Fetches the world and follows it from then on. `channelId` is where to begin. */
  async start(channelId: string): Promise<void> {
    await this.#fetchState();
    this.#channelId = channelId;
    await this.become(kept("user") ?? "");
  }

  /** Continues as another person. */
  async become(userId: string): Promise<void> {
    const owner = this.#state.guilds[0]?.ownerId;
    const known = this.people.find((person) => person.id === userId);
    this.#userId =
      (known ?? this.people.find(({ id }) => id === owner) ?? this.people[0])?.id ?? "";
    keep("user", this.#userId);
    this.#unread.clear();
    this.#connection?.stop();
    this.#connection = followEvents(this.#userId, {
      opened: () => void this.#refresh(),
      happened: (event) => this.#take(event),
      lost: () => this.#connected(false),
      refused: () => void this.#lookAgain(),
    });
    await this.open(this.channel ? this.#channelId : (this.#firstChannel()?.id ?? ""));
  }

  async open(channelId: string): Promise<void> {
    this.#channelId = channelId;
    this.#unread.delete(channelId);
    if (this.channel) keep("channel", channelId);
    const feed = this.channel
      ? new Feed(channelId, this.#userId, this.#dismissed, () => {
          if (this.#feed === feed) this.#changed("messages");
        })
      : null;
    this.#feed = feed;
    this.#changed("place");
    await feed?.load();
  }

  /** Shows what an answer to a request brought; events may be on their way still. */
  take(message: PlaygroundMessage): void {
    this.#feed?.add(message);
  }

  addChannel(channel: PlaygroundChannel): void {
    this.#take({ type: "channel", channel });
  }

  async #fetchState(): Promise<void> {
    this.#fetches += 1;
    try {
      this.#state = await api.state();
    } finally {
      this.#fetches -= 1;
      if (this.#fetches === 0) for (const event of this.#held.splice(0)) this.#take(event);
    }
  }

  /** After an interruption nothing that is shown can be trusted. */
  async #refresh(): Promise<void> {
    if (!(await this.#lookAgain())) return;
    this.#connected(true);
    this.#changed("channels");
    if (this.channel) await this.#feed?.load();
    else await this.#leaveGone();
  }

  /** Fetches the world; whether the person is still in it. Otherwise begins anew as another. */
  async #lookAgain(): Promise<boolean> {
    try {
      await this.#fetchState();
      if (this.people.some((person) => person.id === this.#userId)) return true;
      // The playground was started anew.
      await this.become("");
      return false;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#connected(false);
      return false;
    }
  }

  #take(event: PlaygroundEvent): void {
    if (this.#fetches > 0) {
      this.#held.push(event);
      return;
    }
    switch (event.type) {
      case "message":
        this.#endTyping(event.message);
        this.#note(event.message);
        this.#ofMessage(event.message.channelId, event);
        return;
      case "messageUpdate":
        this.#ofMessage(event.message.channelId, event);
        return;
      case "messageDelete":
        this.#ofMessage(event.channelId, event);
        return;
      case "typing":
        if (event.userId === this.#userId) return;
        this.#typing.begin(event.channelId, event.userId, event.name);
        return;
      case "channel":
        this.#replaceGuild(event.channel.guildId, (guild) => withChannel(guild, event.channel));
        return;
      case "channelDelete":
        this.#replaceGuild(event.guildId, (guild) => ({
          ...guild,
          channels: guild.channels.filter((channel) => channel.id !== event.channelId),
        }));
        if (event.channelId === this.#channelId) void this.#leaveGone();
        return;
      case "guild":
        this.#replaceGuild(event.guild.id, () => event.guild);
        // Who is new in it is not in the list of people yet.
        void this.#refresh();
        return;
      case "interaction":
        for (const listener of this.#interactionListeners) listener(event.interaction);
        return;
    }
  }

  /** A persona's typing is its application's. */
  #endTyping({ author, channelId }: PlaygroundMessage): void {
    if (author.kind !== "persona") {
      this.#typing.end(channelId, author.id);
      return;
    }
    for (const user of this.#state.users) if (user.isBot) this.#typing.end(channelId, user.id);
  }

  #ofMessage(channelId: string, event: Parameters<Feed["apply"]>[0]): void {
    if (channelId === this.#channelId) this.#feed?.apply(event);
  }

  /** Marks a channel as unread when a message comes that the person is not looking at. */
  #note(message: PlaygroundMessage): void {
    const isRead = message.channelId === this.#channelId && !document.hidden;
    if (isRead || message.author.id === this.#userId) return;
    const pings = this.#unread.get(message.channelId)?.pings ?? 0;
    const isPing = message.pingsUserIds.includes(this.#userId);
    this.#unread.set(message.channelId, { pings: pings + (isPing ? 1 : 0) });
    this.#changed("channels");
  }

  /** The person looks at the page again. */
  seen(): void {
    if (this.#unread.delete(this.#channelId)) this.#changed("channels");
  }

  #replaceGuild(guildId: string, change: (guild: PlaygroundGuild) => PlaygroundGuild): void {
    const guilds = this.#state.guilds.map((guild) =>
      guild.id === guildId ? change(guild) : guild,
    );
    this.#state = { ...this.#state, guilds };
    this.#changed("channels");
  }

  async #leaveGone(): Promise<void> {
    await this.open(this.#firstChannel()?.id ?? "");
  }

  /** A group's, where there is one: there people can begin. */
  #firstChannel(): PlaygroundChannel | undefined {
    const channels = this.guilds
      .flatMap((guild) => guild.channels)
      .filter((channel) => channel.kind === "text");
    return channels.find(({ topic }) => topic?.includes("Members:")) ?? channels[0];
  }

  #connected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    this.#changed("connection");
  }

  #changed(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function withChannel(guild: PlaygroundGuild, channel: PlaygroundChannel): PlaygroundGuild {
  const others = guild.channels.filter(({ id }) => id !== channel.id);
  return {
    ...guild,
    channels: [...others, channel].toSorted((a, b) => a.position - b.position),
  };
}
