import type { GatewayDispatchPayload } from "discord-api-types/v10";
import type { LoopbackClock } from "../clock.js";
import { type ApiError, unknown } from "../errors.js";
import type {
  AnyChannelRecord,
  ChannelRecord,
  CommandRecord,
  EmojiRecord,
  GuildRecord,
  InteractionRecord,
  MemberRecord,
  MessageRecord,
  StoredFile,
  ThreadRecord,
  UserRecord,
  WebhookRecord,
} from "./records.js";
import { createSnowflakes, type Snowflakes } from "./snowflakes.js";

/** A gateway event before it has a sequence number. */
export type Dispatch = GatewayDispatchPayload extends infer Payload
  ? Payload extends { t: infer Name; d: infer Data }
    ? { readonly t: Name; readonly d: Data }
    : never
  : never;

export type WorldEvent =
  | {
      readonly kind: "dispatch";
      readonly dispatch: Dispatch;
      readonly guildId: string;
      /** Set when only those who see the channel receive the event. */
      readonly channelId: string | null;
      /** Set when the event concerns a message that one user alone sees. */
      readonly onlyFor: string | null;
    }
  | { readonly kind: "interaction"; readonly interaction: InteractionRecord };

export interface ApplicationRecord {
  readonly id: string;
  readonly name: string;
  /** The bot user; Discord gives it the id of the application. */
  readonly botUserId: string;
  readonly ownerId: string;
  /** Privileged intents that are switched on for it. */
  readonly privilegedIntents: number;
}

/** What a server's own filters refuse. */
export interface WordFilters {
  /** Not in channel names: 20031. */
  readonly channelNames: readonly string[];
  /** Not in messages of the application: 200000. */
  readonly messages: readonly string[];
}

export interface WorldOptions {
  readonly clock: LoopbackClock;
  readonly applicationName: string;
  readonly botUsername: string;
  readonly privilegedIntents: number;
}

/** Everything that Discord would remember. Owned by one loopback server. */
export class World {
  readonly clock: LoopbackClock;
  readonly ids: Snowflakes;
  readonly application: ApplicationRecord;
  /** Where files are served from; set once the server listens. */
  cdnUrl = "http://127.0.0.1";
  wordFilters: WordFilters = { channelNames: [], messages: [] };

  readonly users = new Map<string, UserRecord>();
  readonly guilds = new Map<string, GuildRecord>();
  readonly channels = new Map<string, AnyChannelRecord>();
  /** Per channel, oldest first. */
  readonly messages = new Map<string, Map<string, MessageRecord>>();
  readonly webhooks = new Map<string, WebhookRecord>();
  readonly emojis = new Map<string, EmojiRecord>();
  readonly commands = new Map<string, CommandRecord>();
  readonly interactions = new Map<string, InteractionRecord>();
  /** Attachments by id. */
  readonly files = new Map<string, StoredFile>();
  /** Times of command creations, by scope: the daily limit counts them. */
  readonly commandCreations = new Map<string, number[]>();

  #listeners = new Set<(event: WorldEvent) => void>();

  constructor(options: WorldOptions) {
    this.clock = options.clock;
    this.ids = createSnowflakes(() => options.clock.now());
    const owner = this.addUser("application-owner", null, false);
    const bot = this.addUser(options.botUsername, null, true);
    this.application = {
      id: bot.id,
      name: options.applicationName,
      botUserId: bot.id,
      ownerId: owner.id,
      privilegedIntents: options.privilegedIntents,
    };
  }

  addUser(username: string, globalName: string | null, bot: boolean): UserRecord {
    const user: UserRecord = { id: this.ids.next(), username, globalName, bot };
    this.users.set(user.id, user);
    return user;
  }

  /** Calls `listener` for every event from now on; the returned function ends that. */
  subscribe(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: WorldEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  dispatch(dispatch: Dispatch, guildId: string, channelId: string | null = null): void {
    this.publish({ kind: "dispatch", dispatch, guildId, channelId, onlyFor: null });
  }

  user(id: string): UserRecord {
    return this.users.get(id) ?? raise(unknown("user"));
  }

  guild(id: string): GuildRecord {
    return this.guilds.get(id) ?? raise(unknown("guild"));
  }

  member(guildId: string, userId: string): MemberRecord {
    return this.guild(guildId).members.get(userId) ?? raise(unknown("member"));
  }

  anyChannel(id: string): AnyChannelRecord {
    return this.channels.get(id) ?? raise(unknown("channel"));
  }

  channel(id: string): ChannelRecord {
    const channel = this.anyChannel(id);
    return channel.kind === "channel" ? channel : raise(unknown("channel"));
  }

  thread(id: string): ThreadRecord {
    const channel = this.anyChannel(id);
    return channel.kind === "thread" ? channel : raise(unknown("channel"));
  }

  message(channelId: string, messageId: string): MessageRecord {
    return this.messages.get(channelId)?.get(messageId) ?? raise(unknown("message"));
  }

  channelsOf(guildId: string): ChannelRecord[] {
    return [...this.channels.values()].filter(
      (channel): channel is ChannelRecord =>
        channel.kind === "channel" && channel.guildId === guildId,
    );
  }

  threadsOf(guildId: string): ThreadRecord[] {
    return [...this.channels.values()].filter(
      (channel): channel is ThreadRecord =>
        channel.kind === "thread" && channel.guildId === guildId,
    );
  }
}

function raise(error: ApiError): never {
  throw error;
}
