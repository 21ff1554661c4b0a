/** Where a `gc` operation works, who is meant, and how what it did is told. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { chatOfGroup, type HostedChat } from "../../domain/hostedChat.js";
import type { ChannelId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { findNamed, stripAt } from "../../domain/names.js";
import { plain } from "../../domain/plain.js";
import { shorten } from "../../domain/shorten.js";
import { hasOpenQuote, type NamePiece, namePieces } from "../../domain/textCommand.js";
import { sayThere } from "../chatNews.js";
import { type Answer, isManager, mayTalk, type OperationContext } from "./operation.js";
import { bold } from "./show.js";

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
      throw new UserError("conflict", `The group ${bold(group.displayName)} is archived.`);
    }
    const chat = chatOfGroup(group);
    return chat === null ? { kind: "group", group } : { kind: "chat", chat, group };
  }
  const agent = await storage.agents.byChannel(channelId);
  if (agent === null) {
    throw new UserError(
      "conflict",
      "This works in the channel of a group or of an agent, or in one of its threads.",
    );
  }
  if (agent.archivedAtMs !== null) {
    throw new UserError("conflict", `${bold(agent.displayName)} is archived.`);
  }
  const chat = await storage.hostedChats.byChannel(channelId);
  return chat === null ? { kind: "agent", agent } : { kind: "chat", chat, group: null };
}

/** The place that a person named by its group, or by the agent in whose channel it is; else here. */
export async function placeOfChat(
  context: Pick<OperationContext, "storage" | "asker" | "place">,
  name: string | undefined,
): Promise<Place> {
  if (name === undefined) return context.place;
  const { storage, asker, place } = context;
  const group = await storage.groups.find(asker.guildId, stripAt(name));
  const found = group ?? (await agentNamed(context, name));
  if (found.channelId === null) {
    throw new UserError("conflict", `${bold(found.displayName)} has no channel.`);
  }
  const { channelId } = found;
  return channelId === place.channelId ? place : { ...place, channelId, threadId: null };
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
  const channels = [
    ...groups.map(({ channelId }) => channelId),
    ...chats
      .filter(({ participants }) => participants.includes(actingAgentId))
      .map(({ channelId }) => channelId),
  ].filter((id) => id !== null);
  const [only, ...more] = channels;
  if (only === undefined) throw new UserError("conflict", "You take part in no chat.");
  if (more.length > 0) {
    throw new UserError("invalid", "You take part in several chats; say which one with `chat`.");
  }
  return { ...place, channelId: only, threadId: null };
}

/** Whoever may write in a chat may change who takes part, unless that is for managers. */
export async function assertMayChange(context: OperationContext, place: Place): Promise<void> {
  const { chat, settings } = context;
  const isHere = conversationOf(place) === conversationOf(context.place);
  const asker = isHere ? context.asker : await chat.asker(context.asker.userId, place);
  if (settings.isGcForManagers) {
    if (isManager(context)) return;
    throw new UserError("forbidden", "Only people who may manage channels here can do that.");
  }
  if (asker !== null && mayTalk({ asker, settings })) return;
  throw new UserError("forbidden", "Only people who may talk to the agents there can do that.");
}

/** What goes on elsewhere is told to those who may write there, and to managers. */
export async function assertMaySee(context: OperationContext, place: Place): Promise<void> {
  const isHere = conversationOf(place) === conversationOf(context.place);
  if (isHere || isManager(context)) return;
  const asker = await context.chat.asker(context.asker.userId, place);
  if (asker?.canWriteHere === true) return;
  throw new UserError("forbidden", "Only people who may write there can ask that.");
}

/** The agent that is meant by a whole text. */
export async function agentNamed(
  context: Pick<OperationContext, "storage" | "asker">,
  text: string,
): Promise<Agent> {
  const [agent, ...more] = await agentsNamed(context, text);
  if (agent !== undefined && more.length === 0) return agent;
  throw more.length === 0 ? notFound(text) : new UserError("invalid", "Name one agent.");
}

/** The agents of a list, each once. The first that there is not is a `UserError` to the letter of the contract. */
export async function agentsNamed(
  { storage, asker }: Pick<OperationContext, "storage" | "asker">,
  text: string,
): Promise<readonly Agent[]> {
  if (hasOpenQuote(text)) {
    throw new UserError(
      "invalid",
      "A quote is opened and not closed: put one at both ends of a name.",
    );
  }
  const all = await storage.agents.list(asker.guildId);
  const active = all.filter(({ archivedAtMs }) => archivedAtMs === null);
  const pieces = namePieces(text);
  const found: Agent[] = [];
  let unknown: string[] = [];
  for (let at = 0; at < pieces.length; ) {
    const hit = longestName(pieces.slice(at), active);
    if (hit !== null) {
      if (unknown.length > 0) break;
      if (!found.includes(hit.agent)) found.push(hit.agent);
    } else unknown.push(pieces[at]?.text ?? "");
    at += hit?.length ?? 1;
    if (hit === null && pieces[at - 1]?.isWhole === true) break;
  }
  if (unknown.length === 0) return found;
  const name = unknown.join(" ");
  unknown = [];
  const archived = findNamed(name, all);
  throw archived === undefined
    ? notFound(name)
    : new UserError("conflict", `${bold(archived.displayName)} is archived.`);
}

/** Words may be one name together: the longest that there is counts. */
function longestName(
  pieces: readonly NamePiece[],
  agents: readonly Agent[],
): { readonly agent: Agent; readonly length: number } | null {
  const loose = pieces.findIndex(({ isWhole }) => isWhole);
  const longest = Math.max(1, loose < 0 ? pieces.length : loose);
  // Names of old may have commas.
  const wholes = pieces.findIndex(({ isWhole }) => !isWhole);
  for (let length = wholes < 0 ? pieces.length : wholes; length > 1; length -= 1) {
    const agent = findNamed(textsOf(pieces, length).join(", "), agents);
    if (agent !== undefined) return { agent, length };
  }
  for (let length = longest; length > 0; length -= 1) {
    const agent = findNamed(textsOf(pieces, length).join(" "), agents);
    if (agent !== undefined) return { agent, length };
  }
  return null;
}

function textsOf(pieces: readonly NamePiece[], length: number): readonly string[] {
  return pieces.slice(0, length).map((piece) => piece.text);
}

const SHOWN_CHARACTERS = 60;

function notFound(text: string): UserError {
  return new UserError(
    "unknown",
    `Agent ${plain(shorten(stripAt(text), SHOWN_CHARACTERS))} not found.`,
  );
}

/** Says in the channel of the chat what has changed there; the answer says the same to the asker. */
export async function tell(context: OperationContext, place: Place, text: string): Promise<Answer> {
  const isHere = conversationOf(place) === conversationOf(context.place);
  if (!(context.isAnsweredInPublic === true && isHere)) await sayThere(context, place, text);
  // Who takes part is the same in the whole channel.
  if (place.threadId !== null) await sayThere(context, { ...place, threadId: null }, text);
  return { text };
}
