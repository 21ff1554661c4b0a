/**
 * What a command makes outside the database is taken back when the command fails half-way.
 *
 * The order of steps is: check everything, make what is needed on Discord, store last. Until the
 * last step nothing has happened as far as Parley knows, and the name is free. What a process that
 * is killed in between leaves is taken away at the next start (see `makeChannel`), but for a picture
 * that nobody sees, or an empty category that the next command uses. The other order, storing first,
 * would leave a name that is taken for good by something that is not there.
 */
import type { Picture } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { ChannelId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";
import { sentenceOf } from "../report.js";
import type { Services } from "../services.js";
import { channelLink } from "./show.js";

/** How to take back what was done. */
export interface Step {
  run(): Promise<void>;
  /** Told when it could not be taken back: one sentence, or null when nobody needs to know. */
  readonly leftover: string | null;
}

/** Names a step that was done. */
export type Done = (step: Step) => void;

/** Runs `job`; when it fails, takes back the steps that it has named, newest first, and rejects. */
export async function allOrNothing<T>(
  { log }: Pick<Services, "log">,
  job: (done: Done) => Promise<T>,
): Promise<T> {
  const steps: Step[] = [];
  try {
    return await job((step) => steps.unshift(step));
  } catch (error) {
    const leftovers: string[] = [];
    for (const step of steps) {
      try {
        await step.run();
      } catch (failure) {
        log.warn({ err: failure }, "a step of a failed command could not be taken back");
        if (step.leftover !== null) leftovers.push(step.leftover);
      }
    }
    if (leftovers.length === 0) throw error;
    log.warn({ err: error }, "a command failed and left something behind");
    throw new UserError("conflict", [sentenceOf(error), ...leftovers].join(" "));
  }
}

/** Takes back a new channel. */
export function discardChannel({ chat }: Pick<Services, "chat">, channelId: ChannelId): Step {
  return {
    leftover: `The empty channel ${channelLink(channelId)} was left behind: please delete it.`,
    async run() {
      try {
        await chat.discardChannel(channelId);
      } catch (error) {
        if (error instanceof ChatError && error.kind === "gone") return;
        throw error;
      }
    },
  };
}

/** Takes back a new picture; people do not see one that is left behind. */
export function discardPicture({ chat }: Pick<Services, "chat">, picture: Picture): Step {
  return { leftover: null, run: () => chat.discardPicture(picture) };
}
