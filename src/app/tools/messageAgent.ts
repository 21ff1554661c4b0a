/**
 * A message to another agent. It is written down before anything of it is posted, and posted in
 * steps: in a thread under the channel of the agent that sends it, where people can follow (without
 * the right to make threads: in that channel itself), and then
 * in the channel of the other one, where it waits for a round: no answer stands before the question.
 */
import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { ABOUT_CHARACTERS, type Chain } from "../../domain/chain.js";
import { UserError } from "../../domain/errors.js";
import type { ThreadId } from "../../domain/ids.js";
import { AGENT_MESSAGE_CHARACTERS, CHAIN_MESSAGES, CHAIN_REQUESTS } from "../../domain/limits.js";
import type { Place } from "../../domain/message.js";
import { needsText } from "../../domain/phrases.js";
import { callsOf, type DirectRound } from "../../domain/round/direct.js";
import { mirrorOf } from "../../domain/round/directAnswer.js";
import type { Round } from "../../domain/round/round.js";
import type { Outgoing, OutgoingPost } from "../../domain/round/toolUse.js";
import { shorten } from "../../domain/shorten.js";
import { splitReply } from "../../domain/split.js";
import { ChatError } from "../../ports/chat.js";
import { text, written } from "../operations/fields.js";
import { activeAgent } from "../operations/lookup.js";
import { field, mayTalk, type OperationContext } from "../operations/operation.js";
import { bold } from "../operations/show.js";
import type { Services } from "../services.js";
import { isTold } from "../told.js";

export const messageInput = z.object({
  to: text({ description: "The agent, by name or display name" }),
  text: field(
    written({
      most: AGENT_MESSAGE_CHARACTERS,
      error: "Write the message as a text",
      empty: "The message must not be empty",
      long: `A message can have ${AGENT_MESSAGE_CHARACTERS.toLocaleString("en")} characters at most`,
    }),
    { description: "What you write to it, up to 4,000 characters; it sees nothing else of this" },
  ),
});

/** The same for the same call, also after a restart. */
export function keyOf(round: Round, state: DirectRound): string {
  const done = callsOf(state).filter(({ result }) => result !== null).length;
  return `${round.id}/${done}`;
}

/**
 * What the first task of an agent goes back to that another one has made. It takes a place of the
 * chain too: agents must not go on making and setting to work one another.
 */
export async function chainForTask(
  { storage }: Pick<Services, "storage">,
  { round, state }: { readonly round: Round; readonly state: DirectRound },
  agent: Agent,
  task: string,
): Promise<Chain | "over"> {
  if ((await overAt({ storage }, round, state)) !== null) return "over";
  return {
    role: "task",
    id: state.chain?.id ?? round.id,
    startedBy: state.chain?.startedBy ?? (await starterOf({ storage }, state)),
    depth: depthOf(state),
    fromId: agent.id,
    fromName: agent.displayName,
    about: shorten(task.replace(/\s+/gu, " "), ABOUT_CHARACTERS),
  };
}

/** Of what an agent writes in this round. */
function depthOf({ chain }: DirectRound): number {
  return (chain?.depth ?? 0) + 1;
}

/**
 * Takes a place in the chain for what an agent writes in this call. When there is none: how many
 * messages there have been, in a row up to here or on all ways together.
 */
async function overAt(
  { storage }: Pick<Services, "storage">,
  round: Round,
  state: DirectRound,
): Promise<number | null> {
  const depth = depthOf(state);
  if (depth > CHAIN_MESSAGES) return depth - 1;
  const chainId = state.chain?.id ?? round.id;
  const isFree = await storage.exchanges.claim(chainId, keyOf(round, state), CHAIN_REQUESTS);
  return isFree ? null : CHAIN_REQUESTS;
}

/** The person whose message started the round. */
async function starterOf(
  { storage }: Pick<Services, "storage">,
  { triggerIds }: DirectRound,
): Promise<Chain["startedBy"]> {
  for (const id of triggerIds) {
    const author = (await storage.messages.get(id))?.author;
    if (author?.kind === "person") return { userId: author.userId, name: author.name };
  }
  throw new Error("No person started this round.");
}

/** `chainOver`: agents have written to each other so often that it is enough. */
type Prepared = Outgoing | { readonly chainOver: number };

/** Checks a message and lays out its posts. Rejects with `UserError` when it may not be sent. */
export async function prepareMessage(
  context: OperationContext,
  from: {
    readonly agent: Agent;
    readonly round: Round;
    readonly state: DirectRound;
  },
  given: z.output<typeof messageInput>,
): Promise<Prepared> {
  const { agent, round, state } = from;
  const other = await activeAgent(context, given.to);
  if (other.id === agent.id) throw new UserError("invalid", "An agent cannot write to itself.");
  const place = await placeFor(context, other);
  const chainOver = await overAt(context, round, state);
  if (chainOver !== null) return { chainOver };

  const thread = await threadFor(context, round.place, agent, other);
  const threadId = thread instanceof ChatError ? null : thread;
  const noThread = thread instanceof ChatError ? await newReason(context, from, thread) : null;
  const chain: Extract<Chain, { role: "request" }> = {
    role: "request",
    id: state.chain?.id ?? round.id,
    startedBy: state.chain?.startedBy ?? {
      userId: context.asker.userId,
      name: context.asker.name,
    },
    depth: depthOf(state),
    fromId: agent.id,
    fromName: agent.displayName,
    toId: other.id,
    about: shorten(given.text.replace(/\s+/gu, " "), ABOUT_CHARACTERS),
    back: round.place,
    threadId,
  };
  const parts = splitReply(given.text);
  const heard = parts.map(
    (part, index): OutgoingPost => ({
      place,
      ...part,
      heardAt: place,
      chain: index === parts.length - 1 ? chain : null,
    }),
  );
  const shown = parts.map(
    (part): OutgoingPost => ({ place: mirrorOf(chain), ...part, heardAt: null, chain: null }),
  );
  return {
    role: "request",
    toId: other.id,
    toName: other.displayName,
    displayName: agent.displayName,
    result: `Sent to ${bold(other.displayName)}. Its answer comes later, as a message of its own: do not wait for it.`,
    posts: [...shown, ...heard],
    ...(noThread === null ? {} : { noThread }),
  };
}

/** Where the other agent is written to, when the person could write there too. */
async function placeFor(context: OperationContext, other: Agent): Promise<Place> {
  const { chat, settings, asker } = context;
  if (other.channelId === null) {
    throw new UserError("conflict", `${bold(other.displayName)} has no channel.`);
  }
  const place = { guildId: other.guildId, channelId: other.channelId, threadId: null };
  const there = await chat.asker(asker.userId, place);
  if (there === null || !mayTalk({ asker: there, settings })) {
    throw new UserError(
      "forbidden",
      `${asker.name} may not write in the channel of ${bold(other.displayName)}, so nothing can be sent there for ${asker.name}.`,
    );
  }
  return place;
}

/** Why there is none: then people see what is asked and answered in the channel itself. */
async function threadFor(
  { storage, chat, log }: Services,
  place: Place,
  agent: Agent,
  other: Agent,
): Promise<ThreadId | ChatError> {
  const { guildId, channelId } = place;
  const between = { agentId: agent.id, otherId: other.id, channelId };
  try {
    const known = await storage.exchanges.thread(between);
    const name = `→ ${other.displayName}`;
    const threadId = await chat.openThread({ guildId, channelId, name, known });
    if (threadId !== known) await storage.exchanges.setThread(between, threadId);
    return threadId;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, channelId }, "a thread for two agents could not be opened");
    return error;
  }
}

/**
 * What people are told of a thread that cannot be made: once in a channel, by the call that finds it
 * so, also after a restart. Null: they have been told, or it passes by itself.
 */
async function newReason(
  services: Pick<Services, "storage">,
  { round, state }: { readonly round: Round; readonly state: DirectRound },
  { kind, detail, needs }: ChatError,
): Promise<string | null> {
  if (kind !== "forbidden" && kind !== "full" && kind !== "refused") return null;
  const key = `no thread ${round.place.channelId}`;
  if (await isTold(services, key, keyOf(round, state))) return null;
  return needs === null ? detail : needsText(needs);
}
