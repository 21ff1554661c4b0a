/**
 * Everything that survives the process. A method is the atomic unit: it happens as a whole or not
 * at all. Methods reject with `StorageError`; a rule that a person can break (a taken name) is a
 * returned value, not an error.
 */
import type { Agent } from "../domain/agent.js";
import type { Group } from "../domain/group.js";
import type {
  AgentId,
  ChannelId,
  ConversationId,
  GroupId,
  GuildId,
  MessageId,
  RoundId,
  UserId,
  WebhookId,
} from "../domain/ids.js";
import type { Attachment, Message, Place } from "../domain/message.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import type { UsageSum } from "../domain/usageReport.js";
import type { ExchangeStore } from "./exchanges.js";
import type { FeedStore } from "./feed.js";
import type { FloorStore } from "./floors.js";
import type { HostedChatStore, ObeyedStore } from "./hostedChats.js";
import type { Purpose, TokenUsage } from "./model.js";
import type { NewChannelStore } from "./newChannels.js";
import type { ReplyChangeStore } from "./replyChanges.js";
import type { Owed, WordsStore } from "./words.js";

export interface Storage {
  readonly agents: AgentStore;
  readonly groups: GroupStore;
  readonly archive: ArchiveStore;
  readonly newChannels: NewChannelStore;
  readonly messages: MessageStore;
  readonly replyChanges: ReplyChangeStore;
  readonly rounds: RoundStore;
  readonly usage: UsageStore;
  readonly webhooks: WebhookStore;
  readonly statusLines: StatusLineStore;
  readonly hostedChats: HostedChatStore;
  readonly obeyed: ObeyedStore;
  readonly words: WordsStore;
  readonly exchanges: ExchangeStore;
  readonly floors: FloorStore;
  readonly feed: FeedStore;
  readonly settings: SettingStore;
  /** After this nothing else may be called. */
  close(): Promise<void>;
}

/** The database could not do it. `isTransient`: locked, full or away, so that trying later may help. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly isTransient: boolean;
  constructor(
    message: string,
    options: { readonly isTransient: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.isTransient = options.isTransient;
  }
}

/** The right to act on a database, which one process at a time has. It ends with the process. */
export interface Claim {
  /** Resolves when another process has it now: this one has to end. */
  readonly lost: Promise<StorageError>;
  /** Asked before anything that others see or build on. Rejects when the claim is lost or cannot be checked. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** What stands in the way of storing an agent or group: nothing is stored then. */
export type NameConflict = "name" | "displayName";
/** The same for a group; "member": one of its members is archived, or does not exist. */
export type GroupConflict = NameConflict | "member";

export interface AgentStore {
  /** Stores it and claims its name in the server's one namespace, in one transaction. */
  create(agent: Agent): Promise<NameConflict | null>;
  /** Changes only the fields given. Resolves to "displayName" when another agent that is not archived has it. */
  update(
    id: AgentId,
    change: Partial<
      Pick<Agent, "displayName" | "prompt" | "model" | "picture" | "channelId" | "tokenBudget">
    >,
  ): Promise<NameConflict | null>;
  get(id: AgentId): Promise<Agent | null>;
  /** By name or display name, ignoring case and Unicode form; one that is not archived wins, then a name. */
  find(guildId: GuildId, nameOrDisplayName: string): Promise<Agent | null>;
  byChannel(channelId: ChannelId): Promise<Agent | null>;
  /** All of a server, oldest first, archived ones included. */
  list(guildId: GuildId): Promise<readonly Agent[]>;
  /** The servers that have an agent, archived ones included. */
  servers(): Promise<readonly GuildId[]>;
}

export interface GroupStore {
  create(group: Group): Promise<GroupConflict | null>;
  /** Changes only the fields given; a list replaces the old one as a whole. What is `owed` is stored with it. */
  update(
    id: GroupId,
    change: Partial<Pick<Group, "displayName" | "members" | "hostId" | "muted">>,
    owed?: Owed,
  ): Promise<GroupConflict | null>;
  /** False when nothing changes: it was so already, or the agent is not a member. */
  setMuted(id: GroupId, agentId: AgentId, isMuted: boolean): Promise<boolean>;
  get(id: GroupId): Promise<Group | null>;
  find(guildId: GuildId, nameOrDisplayName: string): Promise<Group | null>;
  byChannel(channelId: ChannelId): Promise<Group | null>;
  /** Groups of which the agent is a member, archived ones excluded. */
  withMember(agentId: AgentId): Promise<readonly Group[]>;
  list(guildId: GuildId): Promise<readonly Group[]>;
}

/** What is put away and brought back. Nothing is ever deleted, and names stay taken. */
export interface ArchiveStore {
  /**
   * Archives an agent and what follows from it: it leaves its groups and the hosted chats in which
   * it takes part; where it was the host of a group, the first member that remains is host; a group
   * left with fewer than two members is archived too, with its members as they were; a hosted one
   * only when nobody is left, since its host may be there alone. The channels of all that is archived are noted as unmoved.
   * Gives the groups that it was in, as they are now, or null when it is archived already.
   */
  archiveAgent(id: AgentId, atMs: number): Promise<readonly LeftGroup[] | null>;
  /** Archives a group with its members as they are, and notes its channel as unmoved. False: it is archived already. */
  archiveGroup(id: GroupId, atMs: number): Promise<boolean>;
  /** The groups that an agent was in when it was last archived, as they are now, oldest first. */
  leftGroups(agentId: AgentId): Promise<readonly LeftGroup[]>;
  /** Brings an agent back, with this channel. It is a member of no group by that. */
  restoreAgent(id: AgentId, channelId: ChannelId): Promise<RestoreConflict | null>;
  /** Brings a group back, with this channel, these of its members and this host. */
  restoreGroup(
    id: GroupId,
    state: Pick<Group, "members" | "hostId"> & { readonly channelId: ChannelId },
  ): Promise<RestoreConflict | null>;
  /** Channels of a server that belong to the archive and may not be in its category yet. */
  unmovedChannels(guildId: GuildId): Promise<readonly ChannelId[]>;
  /** A channel of the archive is about to be taken out: unless that is completed, it goes back. */
  unsettleChannel(guildId: GuildId, channelId: ChannelId): Promise<void>;
  /** The channel is gone: who had it has none now. */
  loseChannel(channelId: ChannelId): Promise<void>;
  /** The channel is where it belongs. */
  settleChannel(channelId: ChannelId): Promise<void>;
}

/** A group that an agent left by being archived. */
export interface LeftGroup {
  readonly group: Group;
  readonly wasHost: boolean;
  /** Too few remained, so that it was archived with the agent. */
  readonly isEnded: boolean;
}

/**
 * What stands in the way of bringing something back: nothing is changed then. "changed": it is not
 * archived any more, or one of the members has been archived.
 */
export type RestoreConflict = "displayName" | "changed";

export interface MessageStore {
  /**
   * Stores a message unless its id is known: false then, and nothing changes. This is the
   * deduplication of events. With `isPending` the message waits for a round (see `pending`).
   */
  record(message: Message, options: { readonly isPending: boolean }): Promise<boolean>;
  get(id: MessageId): Promise<Message | null>;
  /** False when the message is unknown, its text is the same, or a newer edit is stored. */
  edit(id: MessageId, text: string, editedAtMs: number): Promise<boolean>;
  /** Puts another text in the place of a message's own and keeps the old one. False when it is unknown. */
  replaceText(id: MessageId, text: string, atMs: number): Promise<boolean>;
  /** The texts that a message had before, oldest first. */
  formerTexts(id: MessageId): Promise<readonly string[]>;
  /** What could be made of a message's files. */
  setAttachments(id: MessageId, attachments: readonly Attachment[]): Promise<void>;
  /** The messages of one turn of a round, oldest first, deleted ones left out. */
  ofTurn(roundId: RoundId, turn: number): Promise<readonly Message[]>;
  /** Marks as deleted and no longer pending; unknown and already deleted ids are passed over. Returns those marked. */
  markDeleted(ids: readonly MessageId[], deletedAtMs: number): Promise<readonly MessageId[]>;
  /**
   * A conversation, oldest first, deleted messages left out. When there are more than `limit`,
   * the oldest are left out in whole blocks of `limit / 4` and counted in `omitted`, so that the
   * beginning moves rarely. With `throughId` it ends with that message, or the newest before it.
   */
  transcript(
    conversationId: ConversationId,
    limit: number,
    throughId?: MessageId,
  ): Promise<{ readonly messages: readonly Message[]; readonly omitted: number }>;
  /** The newest `limit` messages older than `before` (exclusive; null: all), oldest first, deleted ones left out. */
  recent(
    conversationId: ConversationId,
    options: { readonly before: MessageId | null; readonly limit: number },
  ): Promise<readonly Message[]>;
  /** Id of the newest stored message of a conversation, deleted ones included. */
  newestId(conversationId: ConversationId): Promise<MessageId | null>;
  /** Messages of people that wait for a round, oldest first, deleted ones left out. */
  pending(conversationId: ConversationId): Promise<readonly Message[]>;
  /** Every place with a pending message, each once. */
  pendingPlaces(): Promise<readonly Place[]>;
  /** These no longer wait. */
  settle(ids: readonly MessageId[]): Promise<void>;
}

/** The journal. */
export interface RoundStore {
  /**
   * Stores the round with its `opened` event and settles the trigger messages, in one
   * transaction. False when a round with this trigger exists: nothing is stored then.
   */
  open(round: Round, opened: Extract<RoundEvent, { type: "opened" }>): Promise<boolean>;
  /**
   * Appends events at the end. `seq` is the number of events stored before: a mismatch rejects,
   * since two writers would both have acted. A `posted` event is stored together with `message`,
   * the agent's message that it made, in one transaction; so is a `sent` event, and a message with
   * a chain that may go on waits for a round from then on. A `closed` event closes the round.
   */
  append(
    roundId: RoundId,
    seq: number,
    events: readonly RoundEvent[],
    options: { readonly atMs: number; readonly message?: Message },
  ): Promise<void>;
  journal(roundId: RoundId): Promise<readonly JournalEntry[]>;
  /** The rounds of a conversation that this message or a newer one started, with their journals, oldest first. */
  since(
    conversationId: ConversationId,
    triggerId: MessageId,
  ): Promise<readonly { readonly round: Round; readonly events: readonly RoundEvent[] }[]>;
  get(roundId: RoundId): Promise<Round | null>;
  /** Rounds that are not closed, oldest first. */
  unfinished(): Promise<readonly Round[]>;
  /** The newest round of a conversation, or null. */
  latest(conversationId: ConversationId): Promise<Round | null>;
  /** The round that a message started or in which it was posted. */
  ofMessage(messageId: MessageId): Promise<Round | null>;
}

export interface JournalEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly event: RoundEvent;
}

/** One model call, failed ones included. */
export interface UsageRow {
  readonly atMs: number;
  readonly guildId: GuildId;
  readonly groupId: GroupId | null;
  readonly roundId: RoundId | null;
  readonly agentId: AgentId | null;
  /** The person at the start of the chain. */
  readonly userId: UserId | null;
  readonly purpose: Purpose;
  readonly model: string;
  readonly tokens: TokenUsage | null;
  readonly durationMs: number;
  /** "ok", or the kind of the error; with `ESTIMATE_MARK` after it when the tokens are an estimate. */
  readonly outcome: string;
}

/** Tokens of input and output together. */
export interface Spent {
  readonly server: number;
  readonly group: number;
  readonly person: number;
}

export interface UsageStore {
  add(row: UsageRow): Promise<void>;
  ofRound(roundId: RoundId): Promise<readonly UsageRow[]>;
  /** What a server, or one group of it, used since a moment, added up by day, group, agent, purpose and model. */
  sums(guildId: GuildId, sinceMs: number, groupId: GroupId | null): Promise<readonly UsageSum[]>;
  /** Tokens since a moment: of a server, of a group in it and of a person in it (null: 0). */
  spent(
    of: {
      readonly guildId: GuildId;
      readonly groupId: GroupId | null;
      readonly userId: UserId | null;
    },
    sinceMs: number,
  ): Promise<Spent>;
  /** Rows of a server since a moment, oldest first. */
  since(guildId: GuildId, sinceMs: number): Promise<readonly UsageRow[]>;
}

/** Only ids: a webhook's token is read from Discord. */
export interface WebhookStore {
  get(channelId: ChannelId): Promise<WebhookId | null>;
  set(channelId: ChannelId, webhookId: WebhookId): Promise<void>;
  remove(channelId: ChannelId): Promise<void>;
}

/** Status lines that stand in channels, or are about to: what is left over after a crash is removed. */
export interface StatusLineStore {
  /** Known by its button: the same one replaces what was stored. */
  set(line: StoredStatusLine): Promise<void>;
  remove(buttonId: string): Promise<void>;
  list(): Promise<readonly StoredStatusLine[]>;
}

export interface StoredStatusLine {
  readonly place: Place;
  /** Of its Stop button: by it the message can be found. */
  readonly buttonId: string;
  /** The message is younger than this one. */
  readonly afterId: MessageId;
  /** Null: it may not have been posted. */
  readonly messageId: MessageId | null;
}

/** Small facts of the program itself, such as the fingerprint of the registered commands. */
export interface SettingStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
}
