import type { MessageId } from "../domain/ids.js";
import type { Reply } from "../domain/round/common.js";
import type { ReplyPart, Round } from "../domain/round/round.js";
import { ChatError } from "../ports/chat.js";
import type { Services } from "./services.js";

/** Tries of one part: what did not happen is tried again, what may have happened is looked for. */
const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** Longest wait that Discord may ask for; the hidden webhook limit asks for up to 45 s. */
const LONGEST_WAIT_MS = 120_000;

/**
 * Posts one part of a reply exactly once. Whenever it may exist already (after a crash, or when a
 * try had an unknown outcome) it is looked for in the channel before it is sent again. Waiting for
 * a rate limit stops at once when the signal is aborted; a request on its way is let finish, so
 * that its outcome is known. Rejects with `ChatError` when it could not be posted.
 */
export async function postPart(
  services: Pick<Services, "chat" | "clock" | "storage" | "log">,
  input: {
    readonly round: Round;
    readonly reply: Reply;
    readonly part: ReplyPart;
    readonly isDoubtful: boolean;
    readonly signal: AbortSignal;
  },
): Promise<MessageId> {
  const { chat, clock, log } = services;
  const { round, reply, part, signal } = input;
  const agent = await services.storage.agents.get(reply.agentId);
  const find = () =>
    chat.findPost(
      {
        place: round.place,
        personaName: reply.displayName,
        text: part.content,
        afterId: reply.posted.at(-1) ?? reply.seenThroughId,
        except: reply.posted,
      },
      signal,
    );
  let isDoubtful = input.isDoubtful;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      const found = isDoubtful ? await find() : null;
      if (found !== null) return found;
      isDoubtful = false;
      return await chat.post(
        {
          place: round.place,
          persona: { name: reply.displayName, pictureUrl: agent?.picture?.url ?? null },
          text: part.content,
          file:
            part.file === null ? null : { name: `${agent?.name ?? "reply"}.md`, text: part.file },
        },
        NEVER,
      );
    } catch (error) {
      if (!(error instanceof ChatError) || tries >= MAX_TRIES) throw error;
      if (error.kind === "unknown") isDoubtful = true;
      else if (error.kind !== "unavailable" && error.kind !== "rate-limited") throw error;
      const pauseMs = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1);
      if (pauseMs > LONGEST_WAIT_MS) throw error;
      log.warn({ err: error, roundId: round.id, tries, pauseMs }, "posting again after a pause");
      await clock.sleep(pauseMs, signal);
    }
  }
}

const NEVER = new AbortController().signal;
