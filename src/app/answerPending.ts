import type { Agent } from "../domain/agent.js";
import { type ConversationId, compareSnowflakes } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Message, type Place, writtenId } from "../domain/message.js";
import { pendingWithFiles } from "./attachments.js";
import { sayDebateIsOff, whyDebateIsOff } from "./debateOff.js";
import { hostedChatIn } from "./hostedChats.js";
import { lasting } from "./patientStorage.js";
import { startDirectRound, startHostedRound, startRound } from "./scheduler.js";
import type { Services } from "./services.js";

/**
 * Queues the rounds for what waits in this conversation: everything that waits starts one together,
 * but a question of `/ask` and a debate have one of their own, when their turn comes. With
 * `isInOrder`, what was written after the command of a debate whose opening is being said waits for
 * that: its end queues what waits.
 */
export function answerPending(
  given: Services,
  place: Place,
  { isInOrder = true }: { readonly isInOrder?: boolean } = {},
): void {
  const services = lasting(given, place);
  const conversationId = conversationOf(place);
  services.mailboxes.run(conversationId, async (signal) => {
    const { storage, clock } = services;
    // They stay pending, and the next start takes them up.
    if (services.mailboxes.isClosing) return;
    await services.recheck.of(place, services.mailboxes.cutOff);
    const group = await storage.groups.byChannel(place.channelId);
    const waiting = await pendingWithFiles(services, conversationId, signal);
    const ordered = waiting.toSorted((a, b) => compareSnowflakes(writtenId(a), writtenId(b)));
    const pending = isInOrder ? await beforeOpenings(services, conversationId, ordered) : ordered;
    if (pending.length === 0 || services.mailboxes.isClosing) return;
    const agent = await ownerOf(services, place, pending[0]);
    const chat = await hostedChatIn(services, place.channelId);
    // Another agent's message is for this agent alone, whatever else goes on in its channel.
    const isDirect = agent !== null && (chat === null || pending[0]?.chain !== undefined);
    const triggers = isDirect ? nextDirectTriggers(pending) : nextTriggers(pending);
    const [first] = triggers;
    if (triggers.length < pending.length) answerPending(services, place);
    const isStale = (message: Message) => clock.now() - message.createdAtMs > STALE_ROUND_MS;
    const isTooOld = triggers.every(isStale);
    // What agents write to each other is not passed over in silence: somebody waits for it.
    const isDropped = isTooOld && (!isDirect || triggers[0]?.chain === undefined);
    const isGroup = group !== null && group.archivedAtMs === null;
    if ((!isGroup && chat === null && !isDirect) || isDropped) {
      await storage.messages.settle(triggers.map((message) => message.id));
      return;
    }
    const whyOff =
      first?.debatePasses === undefined ? null : await whyDebateIsOff(services, chat, first);
    if (first !== undefined && whyOff !== null) {
      await sayDebateIsOff(services, first, whyOff, services.mailboxes.cutOff);
      await storage.messages.settle([first.id]);
    } else if (isDirect && (await isCalledOff(services, place, triggers))) {
      await storage.messages.settle(triggers.map((message) => message.id));
    } else if (isDirect) {
      await startDirectRound(services, { agent, place, triggers, isTooOld }, signal, (there) =>
        answerPending(services, there),
      );
    } else if (chat !== null) await startHostedRound(services, { chat, place, triggers }, signal);
    else if (isGroup) await startRound(services, { group, place, triggers }, signal);
  });
}

/** Those that were written before the first debate whose opening is being said. */
async function beforeOpenings(
  { storage, mailboxes }: Services,
  conversationId: ConversationId,
  ordered: readonly Message[],
): Promise<readonly Message[]> {
  if (!mailboxes.isBusy(`words of ${conversationId}`)) return ordered;
  const commands = (await storage.words.list()).flatMap(({ place, afterId, trigger }) =>
    trigger?.debatePasses === undefined || conversationOf(place) !== conversationId
      ? []
      : [writtenId({ ...trigger, id: afterId })],
  );
  return ordered.filter((message) =>
    commands.every((id) => compareSnowflakes(writtenId(message), id) < 0),
  );
}

/**
 * An answer of another agent comes back to a conversation in which a person has stopped what it
 * belongs to: it stays where it stands, and nobody goes on with it.
 */
async function isCalledOff(
  { storage }: Services,
  place: Place,
  triggers: readonly Message[],
): Promise<boolean> {
  const chain = triggers[0]?.chain;
  if (chain?.role !== "answer") return false;
  const round = await storage.rounds.latest(conversationOf(place));
  if (round === null) return false;
  const events = (await storage.rounds.journal(round.id)).map(({ event }) => event);
  const [opening] = events;
  const chainId = opening?.type === "opened" ? (opening.chain?.id ?? round.id) : null;
  return chainId === chain.id && events.some((event) => event.type === "stopped");
}

/**
 * The agent whose own channel it is. One that is archived answers nobody; but the round of another
 * agent's message begins, and its end tells that one so.
 */
async function ownerOf(
  { storage }: Services,
  { channelId }: Place,
  first: Message | undefined,
): Promise<Agent | null> {
  const { chain } = first ?? {};
  const isRequest = chain?.role === "request";
  const there = await storage.agents.byChannel(channelId);
  // Its channel may have been deleted meanwhile.
  const agent =
    there === null && isRequest && chain.toId !== undefined
      ? await storage.agents.get(chain.toId)
      : there;
  return agent !== null && agent.archivedAtMs !== null && !isRequest ? null : agent;
}

/**
 * In an agent's own channel a round has the rights of one person: what the same one wrote without
 * somebody else in between, or one message of an agent.
 */
function nextDirectTriggers(pending: readonly Message[]): readonly Message[] {
  const [first] = pending;
  if (first === undefined || isAlone(first)) return pending.slice(0, 1);
  const end = pending.findIndex(
    ({ author, ...message }) =>
      isAlone(message) ||
      author.kind !== "person" ||
      first.author.kind !== "person" ||
      author.userId !== first.author.userId,
  );
  return end < 0 ? pending : pending.slice(0, Math.max(1, end));
}

/** What the next round is about: the question that has waited longest, or all before the first such question. */
function nextTriggers(pending: readonly Message[]): readonly Message[] {
  const question = pending.findIndex(isAlone);
  return question < 0 ? pending : pending.slice(0, Math.max(1, question));
}

/** Whether it has a round of its own: a question of `/ask`, a debate, or a message of an agent. */
function isAlone({
  askedId,
  debatePasses,
  chain,
}: Pick<Message, "askedId" | "debatePasses" | "chain">): boolean {
  return askedId !== null || debatePasses !== undefined || chain !== undefined;
}
