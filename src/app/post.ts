import type { Agent } from "../domain/agent.js";
import type { MessageId } from "../domain/ids.js";
import type { Reply } from "../domain/round/common.js";
import type { ReplyPart, Round } from "../domain/round/round.js";
import { type Button, ChatError, type PersonaPost } from "../ports/chat.js";
import { type OnPause, patiently } from "./patience.js";
import type { Services } from "./services.js";
import { soughtPost } from "./soughtPost.js";

/** What Discord carries out late has come by then, in most cases, and is found. */
const PAUSE_IN_DOUBT_MS = 1_500;

/**
 * Posts one part of a reply exactly once. Whenever it may exist already (after a crash, or when a
 * try had an unknown outcome) it is looked for in the channel before it is sent again. Waiting for
 * a rate limit stops at once when the signal is aborted; a request on its way is let finish, so
 * that its outcome is known. Null: the agent has been archived meanwhile, and nothing was posted.
 * Rejects with `ChatError` when it could not be posted.
 */
export async function postPart(
  services: Pick<Services, "chat" | "clock" | "storage" | "log">,
  input: {
    readonly round: Round;
    readonly reply: Reply;
    readonly part: ReplyPart;
    /** Shown under it. */
    readonly buttons?: readonly Button[];
    readonly isDoubtful: boolean;
    readonly signal: AbortSignal;
    readonly onPause?: OnPause;
  },
): Promise<MessageId | null> {
  const { chat } = services;
  const { round, reply, part, buttons = [], signal } = input;
  const find = (signal: AbortSignal) => chat.findPost(soughtPost(round.place, reply, part), signal);
  let isDoubtful = input.isDoubtful;
  let isUnknown = false;
  const attempt = async (signal: AbortSignal) => {
    if (isUnknown) await services.clock.sleep(PAUSE_IN_DOUBT_MS, signal);
    isUnknown = false;
    const found = isDoubtful ? await find(signal) : null;
    if (found !== null) return found;
    const agent = await services.storage.agents.get(reply.agentId);
    if (agent !== null && agent.archivedAtMs !== null) return null;
    // Until an outcome is known.
    isDoubtful = true;
    try {
      const persona = { name: reply.displayName, pictureUrl: agent?.picture?.url ?? null };
      const { place } = round;
      return await chat.post({ place, persona, ...shownOf(part, agent), buttons }, signal);
    } catch (error) {
      isUnknown = error instanceof ChatError && error.kind === "unknown";
      // That nothing was done, which a rate limit means, has been seen to be wrong.
      isDoubtful = isUnknown || (error instanceof ChatError && error.kind === "rate-limited");
      throw error;
    }
  };
  return patiently(services, signal, attempt, input.onPause);
}

/** A part of an agent's reply as the channel shows it. */
export function shownOf(
  { content, file }: ReplyPart,
  agent: Pick<Agent, "name"> | null,
): Pick<PersonaPost, "text" | "file"> {
  const name = `${agent?.name ?? "reply"}.md`;
  return { text: content, file: file === null ? null : { name, text: file } };
}
