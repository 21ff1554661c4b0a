import type {
  APIApplicationCommandOption,
  APIApplicationCommandOptionChoice,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from "discord-api-types/v10";

/**
 * The HTTP interface of the playground's page, below `/playground/api`. All ids are Discord ids.
 * A refusal is status 4xx with a `PlaygroundError`.
 *
 * GET    /state                                            PlaygroundState
 * GET    /channels/:channel/messages?user&before&limit     PlaygroundMessage[], oldest first
 * POST   /channels/:channel/messages                       NewMessage -> PlaygroundMessage
 * PATCH  /channels/:channel/messages/:message              { user, content } -> PlaygroundMessage
 * DELETE /channels/:channel/messages/:message?user         204
 * PUT    /channels/:channel/messages/:message/reactions/:emoji?user     204
 * DELETE /channels/:channel/messages/:message/reactions/:emoji?user     204
 * POST   /channels/:channel/threads                        NewThreadRequest -> PlaygroundChannel
 * DELETE /channels/:channel?user                           204 (a channel or a thread)
 * POST   /channels/:channel/typing                         { user } -> 204
 * GET    /guilds/:guild/commands?user&channel              PlaygroundCommand[]
 * POST   /interactions/command                             RunCommand -> PlaygroundInteraction
 * POST   /interactions/autocomplete                        Autocomplete -> PlaygroundChoices
 * POST   /interactions/component                           UseComponent -> PlaygroundInteraction
 * POST   /interactions/modal                               SubmitModal -> PlaygroundInteraction
 * GET    /interactions/:interaction                        PlaygroundInteraction
 * GET    /events?user                                      server-sent events, `data:` PlaygroundEvent
 *
 * Requests that carry files (`NewMessage`, `RunCommand`) are multipart: the JSON in `payload`, each
 * file in a field of its own; for a command the field is named as the option.
 * The interaction routes answer once the application has responded or failed to; after `deferred`
 * the rest comes through the events.
 */
export interface PlaygroundState {
  readonly application: { readonly id: string; readonly name: string };
  readonly users: readonly PlaygroundUser[];
  readonly guilds: readonly PlaygroundGuild[];
}

export interface PlaygroundError {
  readonly message: string;
}

export interface PlaygroundUser {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
}

export interface PlaygroundGuild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly members: readonly PlaygroundMember[];
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  /** Channels by position, categories and active threads included. */
  readonly channels: readonly PlaygroundChannel[];
}

export interface PlaygroundMember {
  readonly userId: string;
  /** Nickname, else display name, else username. */
  readonly name: string;
  readonly isBot: boolean;
  readonly roleIds: readonly string[];
}

export interface PlaygroundChannel {
  readonly id: string;
  readonly guildId: string;
  readonly kind: "text" | "announcement" | "voice" | "category" | "thread";
  readonly name: string;
  readonly topic: string | null;
  /** The category of a channel, the channel of a thread. */
  readonly parentId: string | null;
  readonly position: number;
  readonly isArchived: boolean;
}

export interface PlaygroundAuthor {
  readonly id: string;
  readonly name: string;
  /** A persona is a webhook's name and picture. */
  readonly kind: "person" | "bot" | "persona";
  /** A path on this server; null when it does not hold the picture. */
  readonly avatarUrl: string | null;
}

export interface PlaygroundAttachment {
  readonly id: string;
  readonly filename: string;
  /** A path on this server. */
  readonly url: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
}

export interface PlaygroundMessage {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  /** Discord's message type: 0 message, 19 reply, 20 and 23 command answers, others are notices. */
  readonly type: number;
  readonly author: PlaygroundAuthor;
  readonly content: string;
  readonly createdAt: string;
  readonly editedAt: string | null;
  readonly replyTo: {
    readonly messageId: string;
    /** null when the message is gone. */
    readonly authorName: string | null;
    readonly excerpt: string | null;
  } | null;
  /** Who ran the command that this answers. */
  readonly command: { readonly name: string | null; readonly userName: string } | null;
  readonly attachments: readonly PlaygroundAttachment[];
  readonly embeds: readonly APIEmbed[];
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly reactions: readonly {
    readonly emoji: { readonly id: string | null; readonly name: string };
    readonly userIds: readonly string[];
  }[];
  /** Names for the ids in `<@id>`, `<@&id>` and `<#id>` of the content. */
  readonly mentionNames: Readonly<Record<string, string>>;
  /** Names everybody who is notified. */
  readonly pingsUserIds: readonly string[];
  readonly isEphemeral: boolean;
  /** The application is "thinking". */
  readonly isLoading: boolean;
  readonly threadId: string | null;
}

export interface NewMessage {
  readonly user: string;
  readonly content: string;
  readonly replyTo?: string;
}

export interface NewThreadRequest {
  readonly user: string;
  readonly name: string;
  /** The message that the thread grows from. */
  readonly message?: string;
}

export interface PlaygroundCommand {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** 1 slash command, 3 message menu. */
  readonly type: number;
  readonly options: readonly APIApplicationCommandOption[];
}

export type OptionValue = string | number | boolean;

export interface RunCommand {
  readonly user: string;
  readonly channel: string;
  /** `round_stop`, or with a subcommand `gc start`. */
  readonly command: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** For a message menu: its target. */
  readonly targetMessage?: string;
}

export interface Autocomplete {
  readonly user: string;
  readonly channel: string;
  readonly command: string;
  /** The option being typed in. */
  readonly focused: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
}

export interface PlaygroundChoices {
  readonly choices: readonly APIApplicationCommandOptionChoice[];
}

export interface UseComponent {
  readonly user: string;
  readonly channel: string;
  readonly message: string;
  readonly customId: string;
  /** For a select. */
  readonly values?: readonly string[];
}

export interface SubmitModal {
  readonly user: string;
  /** The interaction that opened the modal. */
  readonly interaction: string;
  /** Values by the custom id of the input. */
  readonly values: Readonly<Record<string, string>>;
}

export interface PlaygroundInteraction {
  readonly id: string;
  readonly userId: string;
  readonly channelId: string;
  /** `failed`: no answer came within three seconds. */
  readonly state: "pending" | "deferred" | "answered" | "failed";
  readonly isEphemeral: boolean;
  /** The first answer, when it is a message. */
  readonly message: PlaygroundMessage | null;
  readonly followUps: readonly PlaygroundMessage[];
  readonly modal: APIModalInteractionResponseCallbackData | null;
}

export type PlaygroundEvent =
  | { readonly type: "message"; readonly message: PlaygroundMessage }
  | { readonly type: "messageUpdate"; readonly message: PlaygroundMessage }
  | {
      readonly type: "messageDelete";
      readonly channelId: string;
      readonly messageIds: readonly string[];
    }
  | { readonly type: "channel"; readonly channel: PlaygroundChannel }
  | { readonly type: "channelDelete"; readonly guildId: string; readonly channelId: string }
  | {
      readonly type: "typing";
      readonly channelId: string;
      readonly userId: string;
      readonly name: string;
    }
  | { readonly type: "interaction"; readonly interaction: PlaygroundInteraction }
  /** Members or roles of the server changed. */
  | { readonly type: "guild"; readonly guild: PlaygroundGuild };
