import type {
  APIAllowedMentions,
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIAttachment,
  APIEmbed,
  APIMessageSnapshot,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
  APIPoll,
  APIStickerItem,
  APIUser,
  ChannelType,
  InteractionType,
  MessageType,
} from "discord-api-types/v10";

/** What the world remembers. Records are mutable; only functions of `world/` change them. */
export interface UserRecord {
  readonly id: string;
  username: string;
  globalName: string | null;
  readonly bot: boolean;
}

export interface RoleRecord {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  mentionable: boolean;
  readonly managed: boolean;
}

export interface MemberRecord {
  readonly userId: string;
  nick: string | null;
  readonly roleIds: Set<string>;
  readonly joinedAtMs: number;
}

export interface GuildRecord {
  readonly id: string;
  name: string;
  readonly ownerId: string;
  readonly roles: Map<string, RoleRecord>;
  readonly members: Map<string, MemberRecord>;
  unavailable: boolean;
}

export interface OverwriteRecord {
  readonly id: string;
  /** 0 is a role, 1 a member. */
  readonly type: 0 | 1;
  readonly allow: bigint;
  readonly deny: bigint;
}

export type PlainChannelType =
  | ChannelType.GuildText
  | ChannelType.GuildVoice
  | ChannelType.GuildCategory
  | ChannelType.GuildAnnouncement;

export interface ChannelRecord {
  readonly kind: "channel";
  readonly id: string;
  readonly guildId: string;
  readonly type: PlainChannelType;
  name: string;
  topic: string | null;
  parentId: string | null;
  position: number;
  nsfw: boolean;
  slowmodeSeconds: number;
  overwrites: Map<string, OverwriteRecord>;
  lastMessageId: string | null;
}

export interface ThreadRecord {
  readonly kind: "thread";
  readonly id: string;
  readonly guildId: string;
  readonly type:
    | ChannelType.PublicThread
    | ChannelType.PrivateThread
    | ChannelType.AnnouncementThread;
  readonly parentId: string;
  readonly ownerId: string;
  name: string;
  archived: boolean;
  locked: boolean;
  invitable: boolean;
  autoArchiveMinutes: 60 | 1440 | 4320 | 10080;
  archiveTimestampMs: number;
  readonly createdAtMs: number;
  slowmodeSeconds: number;
  /** User id to the time of joining. */
  readonly members: Map<string, number>;
  messageCount: number;
  totalMessageSent: number;
  lastMessageId: string | null;
}

export type AnyChannelRecord = ChannelRecord | ThreadRecord;

export interface ReactionRecord {
  readonly emoji: { readonly id: string | null; readonly name: string };
  readonly userIds: Set<string>;
}

export interface InteractionSource {
  readonly id: string;
  readonly type: InteractionType;
  readonly guildId: string;
  readonly userId: string;
  readonly commandName: string | null;
  readonly originalResponseId: string | null;
  readonly interactedMessageId: string | null;
  readonly targetMessageId: string | null;
}

export interface MessageRecord {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly type: MessageType;
  /** The user, or the persona of a webhook message. */
  readonly author: APIUser;
  readonly webhookId: string | null;
  readonly applicationId: string | null;
  /** The picture that a webhook message asked for. */
  readonly avatarUrl: string | null;
  content: string;
  editedAtMs: number | null;
  readonly createdAtMs: number;
  readonly tts: boolean;
  mentionEveryone: boolean;
  mentionUserIds: readonly string[];
  mentionRoleIds: readonly string[];
  attachments: readonly APIAttachment[];
  embeds: readonly APIEmbed[];
  components: readonly APIMessageTopLevelComponent[];
  flags: number;
  pinned: boolean;
  readonly nonce: string | number | null;
  readonly reference: MessageReference | null;
  /** Only people send these. */
  readonly poll: APIPoll | null;
  readonly stickers: readonly APIStickerItem[];
  readonly reactions: ReactionRecord[];
  threadId: string | null;
  readonly source: InteractionSource | null;
  /** Set for a message that only this user sees. */
  readonly ephemeralFor: string | null;
}

export interface MessageReference {
  readonly messageId: string;
  readonly channelId: string;
  /** Of a forward: what the message said at that moment. */
  readonly snapshot?: APIMessageSnapshot;
}

export interface WebhookRecord {
  readonly id: string;
  readonly guildId: string;
  channelId: string;
  name: string;
  avatar: string | null;
  readonly token: string;
  /** null when a person made it. */
  readonly applicationId: string | null;
  readonly userId: string;
}

export interface EmojiRecord {
  readonly id: string;
  name: string;
  readonly animated: boolean;
  readonly userId: string;
  readonly image: StoredFile;
}

export interface StoredFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

export interface UploadedFile extends StoredFile {
  readonly filename: string;
}

export type CommandRecord = APIApplicationCommand;

export interface InteractionRecord {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly userId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly createdAtMs: number;
  readonly commandName: string | null;
  readonly commandType: number | null;
  /** The message whose button was pressed. */
  readonly messageId: string | null;
  readonly targetMessageId: string | null;
  state: "pending" | "deferred" | "answered" | "failed";
  /** Ephemeral as decided by the first response. */
  ephemeral: boolean;
  /** The answer is an update of the message whose component was used. */
  updatesMessage: boolean;
  originalMessageId: string | null;
  /** Answers after the first, in order. */
  readonly followUpIds: string[];
  modal: APIModalInteractionResponseCallbackData | null;
  choices: readonly APIApplicationCommandOptionChoice[] | null;
}

/** What every way of posting has in common. */
export interface MessageDraft {
  readonly content: string;
  readonly allowedMentions: APIAllowedMentions | null;
  readonly attachments: readonly APIAttachment[];
  readonly embeds: readonly APIEmbed[];
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly flags: number;
  readonly tts: boolean;
}
