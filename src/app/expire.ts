/** The end of a round that is too old to go on. */
import { snowflakeTimeMs } from "../domain/ids.js";
import type { Place } from "../domain/message.js";
import { isAtItsEnd, nextStep } from "../domain/round/nextStep.js";
import { ChatError } from "../ports/chat.js";
import type { Journal } from "./journal.js";
import { patiently } from "./patience.js";
import type { Done } from "./perform.js";
import { findPosted } from "./performPost.js";
import { findSent } from "./performSend.js";
import type { Services } from "./services.js";
import { unknownCall } from "./tools/changes.js";

/**
 * Lets a round expire. With `isDoubtful`, its next step may have been done before the process died:
 * a post is looked for first, and is in the transcript when it stands there. A round of which nothing
 * is left by then but what the bot says at its end comes to that end. Gives whether the step that is
 * the next one now may have been done. `wake`: told where a message of an agent waits for a round.
 */
export async function expire(
  services: Services,
  journal: Journal,
  how: {
    readonly isDoubtful: boolean;
    readonly wake: ((place: Place) => void) | undefined;
  },
): Promise<boolean> {
  const found = how.isDoubtful ? await findPostInDoubt(services, journal) : null;
  if (found !== null) {
    await journal.write(found.events, found.message);
    if (found.wakes !== undefined) how.wake?.(found.wakes);
  }
  if (isAtItsEnd(journal.state)) return how.isDoubtful && found === null;
  await journal.write([...unknownCall(journal.state), { type: "expired" }]);
  return false;
}

/** Null: no post is in doubt, it is not there, or Discord does not say so. */
async function findPostInDoubt(
  services: Services,
  { round, state }: Journal,
): Promise<Done | null> {
  const step = nextStep(state);
  const find = async (signal: AbortSignal) =>
    step?.do === "post"
      ? findPosted(services, { round, state, step, signal })
      : step?.do === "send" && state.kind === "direct"
        ? findSent(services, { round, state, step, signal })
        : null;
  try {
    // A stop must not end this: it is written down by the steps.
    const found = await patiently(services, services.mailboxes.cutOff, find);
    return found === null ? null : asOld(found);
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.warn({ err: error, roundId: round.id }, "a post of before was not looked for");
    return null;
  }
}

/** What it starts elsewhere is as old as it is. */
function asOld({ message, ...done }: Done): Done {
  if (message === undefined) return done;
  return { ...done, message: { ...message, createdAtMs: snowflakeTimeMs(message.id) } };
}
