/** Where a `gc` operation works, who is meant, and how what it did is told. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { chatOfGroup, type HostedChat } from "../../domain/hostedChat.js";
import { type AgentId, asId, type ChannelId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { stripAt } from "../../domain/names.js";
import { listOf } from "../../domain/phrases.js";
import type { Owed } from "../../ports/words.js";
import { sayOwed, wordsFor } from "../words.js";
import {
  type Answer,
  assertManager,
  isManager,
  mayTalk,
  type OperationContext,
} from "./operation.js";
import { isArchived, wrongChannel } from "./refusals.js";
import { bold, quoted } from "./show.js";

/** What is going on in a channel. */
export type Venue =
  | { readonly kind: "chat"; readonly chat: HostedChat; readonly group: Group | null }
  /** A group in which several speak. */
  | { readonly kind: "group"; readonly group: Group }
  /** An agent's own channel without a chat. */
  | { readonly kind: "agent"; readonly agent: Agent };

export async function venueIn(
  { storage }: Pick<OperationContext, "storage">,
  channelId: ChannelId,
): Promise<Venue> {
  const group = await storage.groups.byChannel(channelId);
  if (group !== null) {
    if (group.archivedAtMs !== null) {
      throw isArchived(group);
    }
    const chat = chatOfGroup(group);
    return chat === null ? { kind: "group", group } : { kind: "chat", chat, group };
  }
  const agent = await storage.agents.byChannel(channelId);
  if (agent === null) {
    throw wrongChannel("a group or agent");
  }
  if (agent.archivedAtMs !== null) {
    throw isArchived(agent);
  }
  const chat = await storage.hostedChats.byChannel(channelId);
  return chat === null ? { kind: "agent", agent } : { kind: "chat", chat, group: null };
}

/**
 * The place that a person named by its group, by the agent in whose channel it is, or by a link to
 * the channel; else here. A channel that the person cannot see is as if it did not exist.
 */
export async function placeOfChat(
  context: Pick<OperationContext, "storage" | "chat" | "asker" | "settings" | "place">,
  name: string | undefined,
): Promise<Place> {
  if (name === undefined) return context.place;
  const { storage, asker, place } = context;
  const [, link] = /^<#(\d+)>$/u.exec(name.trim()) ?? [];
  const text = stripAt(name).replace(/^#/u, "");
  const found =
    link === undefined
      ? ((await storage.groups.find(asker.guildId, text)) ??
        (await storage.agents.find(asker.guildId, text)))
      : await ownerOf(context, asId(link));
  if (found === null || found.guildId !== asker.guildId) throw noChatCalled(name);
  if (found.archivedAtMs !== null) {
    throw isArchived(found);
  }
  if (found.channelId === null) {
    throw new UserError("conflict", `${bold(found.displayName)} has no channel.`);
  }
  const { channelId } = found;
  if (channelId === place.channelId) return place;
  const there = { ...place, channelId, threadId: null };
  if (!(await sees(context, there))) throw noChatCalled(name);
  return there;
}

async function ownerOf(
  { storage }: Pick<OperationContext, "storage">,
  channelId: ChannelId,
): Promise<Group | Agent | null> {
  return (await storage.groups.byChannel(channelId)) ?? (await storage.agents.byChannel(channelId));
}

/** Managers know all groups and agents of their server. */
async function sees(
  context: Pick<OperationContext, "chat" | "asker" | "settings">,
  place: Place,
): Promise<boolean> {
  return isManager(context) || (await context.chat.sees(context.asker.userId, place));
}

function noChatCalled(name: string): UserError {
  return new UserError("unknown", `There is no group or agent called ${quoted(stripAt(name))}.`);
}

/**
 * The place that is meant where an agent acts and names none: it is in its own channel, so that it
 * means the one chat or group in which it takes part. Of several it has to name one.
 */
export async function placeOfSelf(context: OperationContext): Promise<Place> {
  const { storage, asker, actingAgentId, place } = context;
  if (actingAgentId === undefined) return place;
  const groups = await storage.groups.withMember(actingAgentId);
  const chats = await storage.hostedChats.list(asker.guildId);
  const known: { readonly name: string; readonly place: Place }[] = [];
  for (const channelId of [
    ...groups.map((group) => group.channelId),
    ...chats
      .filter(({ participants }) => participants.includes(actingAgentId))
      .map((chat) => chat.channelId),
  ]) {
    const owner = channelId === null ? null : await ownerOf(context, channelId);
    // A chat rests while its host is archived.
    if (owner === null || owner.archivedAtMs !== null || channelId === null) continue;
    const there = { ...place, channelId, threadId: null };
    if (await sees(context, there)) known.push({ name: nameOfVenue(owner), place: there });
  }
  const [only, ...more] = known;
  if (only === undefined) throw new UserError("conflict", "You take part in no chat.");
  if (more.length > 0) {
    throw new UserError(
      "invalid",
      `You take part in ${listOf(known.map(({ name }) => name))}; say which one with \`chat\`.`,
    );
  }
  return only.place;
}

function nameOfVenue(owner: Group | Agent): string {
  const name = bold(owner.displayName);
  return "members" in owner ? name : `the chat in ${name}'s channel`;
}

/** Whoever may write in a chat may use it, unless the settings leave that to managers. */
export async function assertMayUse(context: OperationContext, place: Place): Promise<void> {
  if (context.settings.isGcForManagers) return assertManager(context, "do that");
  const { chat, settings } = context;
  const isHere = conversationOf(place) === conversationOf(context.place);
  const asker = isHere ? context.asker : await chat.asker(context.asker.userId, place);
  if (asker !== null && mayTalk({ asker, settings })) return;
  throw new UserError("forbidden", "Only people who may talk to the agents there can do that.");
}

/**
 * The same for who takes part. In a group in which several speak these are its members, and to
 * change them takes the same right in every way in which it is done.
 */
export async function assertMayChange(context: OperationContext, place: Place): Promise<void> {
  const group = await context.storage.groups.byChannel(place.channelId);
  if (group !== null && group.kind !== "hosted") assertManager(context);
  await assertMayUse(context, place);
}

/** A chat or group; an agent's own channel without a chat has nobody who could come or go. */
export function chatHere(
  { place }: Pick<OperationContext, "place">,
  venue: Venue,
): Exclude<Venue, { kind: "agent" }> {
  if (venue.kind !== "agent") return venue;
  const isHere = venue.agent.channelId === place.channelId;
  throw new UserError(
    "conflict",
    isHere
      ? "There is no group chat here. `!gc start <agent> <agent> …` starts one."
      : `There is no group chat in ${bold(venue.agent.displayName)}'s channel.`,
  );
}

/** Everybody who is there, the host among them. */
export function idsIn(venue: Exclude<Venue, { kind: "agent" }>): readonly AgentId[] {
  return venue.kind === "chat"
    ? [venue.chat.hostId, ...venue.chat.participants]
    : venue.group.members;
}

/** A sentence about a chat: as it stands in its channel, and as somebody elsewhere is answered. */
export interface Said {
  readonly there: string;
  readonly elsewhere: string;
}

/**
 * Makes a change and says it in the channel of the chat; the asker is answered the same. What is
 * said is stored together with the change, so that neither is without the other.
 */
export async function announced(
  context: OperationContext,
  place: Place,
  { there, elsewhere }: Said,
  change: (owed: Owed) => Promise<void>,
): Promise<Answer> {
  const { commandId, clock } = context;
  const words = (at: Place) => wordsFor(context, { place: at, text: there });
  // Who takes part is the same in the whole channel.
  const channel = { ...place, threadId: null };
  const owed: Owed = {
    words: await Promise.all((place.threadId === null ? [place] : [place, channel]).map(words)),
    obeyed: commandId ?? null,
    atMs: clock.now(),
  };
  await change(owed);
  sayOwed(context, owed.words);
  const isHere = place.channelId === context.place.channelId;
  return { text: isHere ? there : elsewhere, isSaid: true };
}
