/** The view of a round with everything that it is made of, for those who may see it. */
import { UserError } from "../../domain/errors.js";
import { type AgentId, asId, type MessageId } from "../../domain/ids.js";
import { conversationOf, type Message, type Place } from "../../domain/message.js";
import type { Round, RoundEvent } from "../../domain/round/round.js";
import { type WhyTrigger, whyText } from "../../domain/why.js";
import { wasJudged } from "../explain.js";
import { type Answer, isManager, mayTalk, type OperationContext } from "./operation.js";

/**
 * People see what belongs to the channel or thread where they ask, since they can read that one;
 * managers also what belongs to others of their server.
 */
export function assertSeesPlace(context: OperationContext, place: Place): void {
  if (place.guildId !== context.asker.guildId) throw unknownMessage();
  if (isManager(context) || conversationOf(place) === conversationOf(context.place)) return;
  throw new UserError(
    "forbidden",
    "That message is in another channel or thread. Use this command there.",
  );
}

export function unknownMessage(): UserError {
  return new UserError(
    "unknown",
    "I know nothing about that message: only what is said to the agents of a group, and by them, is kept.",
  );
}

/** The round that a button belongs to. */
export async function roundOfButton(context: OperationContext, id: string): Promise<Round> {
  const round = await context.storage.rounds.get(asId(id));
  if (round === null || round.place.guildId !== context.asker.guildId) {
    throw new UserError("unknown", "What this button belongs to is not there any more.");
  }
  assertSeesPlace(context, round.place);
  return round;
}

/** `about`: the message that was asked about; null: the round as a whole. */
export async function whyView(
  context: OperationContext,
  round: Round,
  about: MessageId | null,
): Promise<Answer> {
  const { storage } = context;
  const entries = await storage.rounds.journal(round.id);
  const journal = entries.map((entry) => entry.event);
  const [opening] = journal;
  if (opening?.type !== "opened") throw new Error(`Round ${round.id} has no beginning.`);
  const agentIds = [...opening.members, ...opening.named].map(({ agentId }) => agentId);
  const closedAtMs = entries.find(({ event }) => event.type === "closed")?.atMs;
  const text = whyText({
    kind: round.kind,
    journal,
    triggers: await triggersOf(context, round, opening.triggerIds),
    calls: await storage.usage.ofRound(round.id),
    present: await presentNames(context, agentIds),
    about,
    durationMs: closedAtMs === undefined ? null : closedAtMs - round.openedAtMs,
  });
  return round.kind === "open" && canExplain(journal) && mayTalk(context)
    ? { text, buttons: [{ id: `explain:${round.id}`, label: "Explain", style: "plain" }] }
    : { text };
}

/** The judge can say something about members that it was asked about, once, after the round. */
function canExplain(journal: readonly RoundEvent[]): boolean {
  return (
    journal.some((event) => event.type === "closed") &&
    wasJudged(journal) &&
    !journal.some((event) => event.type === "explained") &&
    journal[0]?.type === "opened" &&
    journal[0].members.some((member) => !member.isMuted)
  );
}

async function triggersOf(
  { storage, chat }: OperationContext,
  round: Round,
  ids: readonly MessageId[],
): Promise<readonly WhyTrigger[]> {
  const messages = await Promise.all(ids.map((id) => storage.messages.get(id)));
  return messages
    .filter((message) => message !== null)
    .map((message) => ({
      messageId: message.id,
      author: message.author.name,
      text: message.deletedAtMs === null ? saidIn(message) : null,
      link: chat.link(round.place, message.id),
    }));
}

/** With its files by name. */
function saidIn({ text, attachments }: Message): string {
  return [text, ...attachments.map(({ name }) => `[${name}]`)].join(" ");
}

async function presentNames(
  { storage }: OperationContext,
  ids: readonly AgentId[],
): Promise<ReadonlyMap<AgentId, string | null>> {
  const agents = await Promise.all([...new Set(ids)].map((id) => storage.agents.get(id)));
  return new Map(
    agents
      .filter((agent) => agent !== null)
      .map(({ id, displayName, archivedAtMs }) => [id, archivedAtMs === null ? displayName : null]),
  );
}
