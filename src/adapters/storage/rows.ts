/** Rows of the tables and the domain's values, in both directions. */
import type { Agent } from "../../domain/agent.js";
import type { Group } from "../../domain/group.js";
import { asId } from "../../domain/ids.js";
import type { Author, Message, Place } from "../../domain/message.js";
import { conversationOf } from "../../domain/message.js";
import { displayNameKey } from "../../domain/names.js";
import type { Round } from "../../domain/round/round.js";
import type { Purpose } from "../../ports/model.js";
import type { UsageRow } from "../../ports/storage.js";
import type { Tables } from "./database.js";

export type Row<Name extends keyof Tables> = Tables[Name]["$inferSelect"];
type NewRow<Name extends keyof Tables> = Tables[Name]["$inferInsert"];

/** The longest snowflake: 2^64 has 20 digits. */
const SNOWFLAKE_DIGITS = 20;

/** A snowflake as a text that sorts in the order of the ids, whatever their length. */
export function orderKey(id: string): string {
  return id.padStart(SNOWFLAKE_DIGITS, "0");
}

/**
 * Text as both databases can hold it: PostgreSQL has no place for NUL, and neither has one for half
 * a surrogate pair. JSON columns need no such care, since JSON escapes both.
 */
export function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, "\u{FFFD}");
}

export function toAgentRow(agent: Agent): NewRow<"agents"> {
  return {
    id: agent.id,
    guildId: agent.guildId,
    name: agent.name,
    ...toDisplayName(agent.displayName),
    prompt: storable(agent.prompt),
    model: agent.model,
    pictureEmojiId: agent.picture?.emojiId ?? null,
    pictureUrl: agent.picture?.url ?? null,
    category: agent.category,
    channelId: agent.channelId,
    tokenBudget: agent.tokenBudget,
    createdAtMs: agent.createdAtMs,
    archivedAtMs: agent.archivedAtMs,
  };
}

/** The columns of the fields given; a field that is absent gives none. */
export function toAgentChange(
  change: Partial<
    Pick<Agent, "displayName" | "prompt" | "model" | "picture" | "channelId" | "tokenBudget">
  >,
): Partial<NewRow<"agents">> {
  const { displayName, prompt, model, picture, channelId, tokenBudget } = change;
  return {
    ...(displayName !== undefined && toDisplayName(displayName)),
    ...(prompt !== undefined && { prompt: storable(prompt) }),
    ...(model !== undefined && { model }),
    ...(picture !== undefined && {
      pictureEmojiId: picture?.emojiId ?? null,
      pictureUrl: picture?.url ?? null,
    }),
    ...(channelId !== undefined && { channelId }),
    ...(tokenBudget !== undefined && { tokenBudget }),
  };
}

export function toAgent(row: Row<"agents">): Agent {
  return {
    id: asId(row.id),
    guildId: asId(row.guildId),
    name: row.name,
    displayName: row.displayName,
    prompt: row.prompt,
    model: row.model,
    picture:
      row.pictureEmojiId === null || row.pictureUrl === null
        ? null
        : { emojiId: row.pictureEmojiId, url: row.pictureUrl },
    category: row.category,
    channelId: idOrNull(row.channelId),
    tokenBudget: row.tokenBudget,
    createdAtMs: row.createdAtMs,
    archivedAtMs: row.archivedAtMs,
  };
}

export function toGroupRow(group: Group): NewRow<"groups"> {
  return {
    id: group.id,
    guildId: group.guildId,
    name: group.name,
    ...toDisplayName(group.displayName),
    kind: group.kind,
    category: group.category,
    channelId: group.channelId,
    hostId: group.hostId,
    createdAtMs: group.createdAtMs,
    archivedAtMs: group.archivedAtMs,
  };
}

/** The columns of the fields given; members and muted ones have rows of their own. */
export function toGroupChange(
  change: Partial<Pick<Group, "displayName" | "hostId">>,
): Partial<NewRow<"groups">> {
  const { displayName, hostId } = change;
  return {
    ...(displayName !== undefined && toDisplayName(displayName)),
    ...(hostId !== undefined && { hostId }),
  };
}

/** A group of its row and the rows of its members, in their order. */
export function toGroup(row: Row<"groups">, members: readonly Row<"groupMembers">[]): Group {
  return {
    id: asId(row.id),
    guildId: asId(row.guildId),
    name: row.name,
    displayName: row.displayName,
    kind: row.kind,
    category: row.category,
    channelId: idOrNull(row.channelId),
    members: members.map((member) => asId(member.agentId)),
    hostId: asId(row.hostId),
    muted: members.filter((member) => member.isMuted).map((member) => asId(member.agentId)),
    createdAtMs: row.createdAtMs,
    archivedAtMs: row.archivedAtMs,
  };
}

export function toMessageRow(message: Message, isPending: boolean): NewRow<"messages"> {
  const { author } = message;
  return {
    id: message.id,
    orderKey: orderKey(message.id),
    ...toPlaceColumns(message.place),
    userId: author.kind === "person" ? author.userId : null,
    agentId: author.kind === "agent" ? author.agentId : null,
    authorName: storable(author.name),
    text: storable(message.text),
    attachments: message.attachments,
    replyToId: message.replyToId,
    askedId: message.askedId,
    debatePasses: message.debatePasses ?? null,
    chain: message.chain ?? null,
    createdAtMs: message.createdAtMs,
    editedAtMs: message.editedAtMs,
    deletedAtMs: message.deletedAtMs,
    roundId: message.roundId,
    turn: message.turn,
    seenThroughId: message.seenThroughId,
    isPending,
  };
}

export function toMessage(row: Row<"messages">): Message {
  return {
    id: asId(row.id),
    place: toPlace(row),
    author: toAuthor(row),
    text: row.text,
    attachments: row.attachments,
    replyToId: idOrNull(row.replyToId),
    askedId: idOrNull(row.askedId),
    ...(row.debatePasses === null ? {} : { debatePasses: row.debatePasses }),
    ...(row.chain === null ? {} : { chain: row.chain }),
    createdAtMs: row.createdAtMs,
    editedAtMs: row.editedAtMs,
    deletedAtMs: row.deletedAtMs,
    roundId: idOrNull(row.roundId),
    turn: row.turn,
    seenThroughId: idOrNull(row.seenThroughId),
  };
}

export function toPlace(row: Pick<Row<"messages">, "guildId" | "channelId" | "threadId">): Place {
  return {
    guildId: asId(row.guildId),
    channelId: asId(row.channelId),
    threadId: idOrNull(row.threadId),
  };
}

export function toRoundRow(round: Round): NewRow<"rounds"> {
  return {
    id: round.id,
    groupId: round.groupId ?? "",
    kind: round.kind,
    ...toPlaceColumns(round.place),
    triggerId: round.triggerId,
    triggerKey: orderKey(round.triggerId),
    openedAtMs: round.openedAtMs,
    closedAtMs: round.closedAtMs,
    length: 1,
  };
}

export function toRound(row: Row<"rounds">): Round {
  return {
    id: asId(row.id),
    groupId: row.groupId === "" ? null : asId(row.groupId),
    kind: row.kind,
    place: toPlace(row),
    triggerId: asId(row.triggerId),
    openedAtMs: row.openedAtMs,
    closedAtMs: row.closedAtMs,
  };
}

export function toUsageRow({ tokens, ...row }: UsageRow): NewRow<"usage"> {
  return {
    ...row,
    inputTokens: tokens?.inputTokens ?? null,
    outputTokens: tokens?.outputTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    durationMs: Math.round(row.durationMs),
  };
}

export function fromUsageRow(row: Row<"usage">): UsageRow {
  const { inputTokens, outputTokens, cachedTokens } = row;
  return {
    atMs: row.atMs,
    guildId: asId(row.guildId),
    groupId: idOrNull(row.groupId),
    roundId: idOrNull(row.roundId),
    agentId: idOrNull(row.agentId),
    userId: idOrNull(row.userId),
    purpose: row.purpose as Purpose,
    model: row.model,
    tokens:
      inputTokens === null || outputTokens === null || cachedTokens === null
        ? null
        : { inputTokens, outputTokens, cachedTokens },
    durationMs: row.durationMs,
    outcome: row.outcome,
  };
}

export function toPlaceColumns(place: Place) {
  const { guildId, channelId, threadId } = place;
  return { guildId, channelId, threadId, conversationId: conversationOf(place) };
}

function idOrNull<Id extends ReturnType<typeof asId>>(value: string | null): Id | null {
  return value === null ? null : asId<Id>(value);
}

function toDisplayName(displayName: string): { displayName: string; displayKey: string } {
  const stored = storable(displayName);
  return { displayName: stored, displayKey: displayNameKey(stored) };
}

function toAuthor(row: Row<"messages">): Author {
  if (row.agentId !== null) {
    return { kind: "agent", agentId: asId(row.agentId), name: row.authorName };
  }
  if (row.userId !== null) {
    return { kind: "person", userId: asId(row.userId), name: row.authorName };
  }
  throw new Error(`Message ${row.id} has no author`);
}
