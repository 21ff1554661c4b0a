import {
  type APIApplicationCommandOptionChoice,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  MessageFlags,
} from "discord-api-types/v10";
import { viewWholeMessage } from "../world/messageViews.js";
import type { InteractionRecord } from "../world/records.js";
import type { World } from "../world/world.js";

/** How an interaction stands for the person who began it. */
export interface InteractionOutcome {
  readonly state: InteractionRecord["state"];
  readonly isEphemeral: boolean;
  /** The first answer; null for modals, suggestions and silent acknowledgements. */
  readonly message: APIMessage | null;
  readonly content: string;
  readonly followUps: readonly APIMessage[];
  readonly modal: APIModalInteractionResponseCallbackData | null;
  readonly choices: readonly APIApplicationCommandOptionChoice[] | null;
}

export interface PersonInteraction {
  readonly id: string;
  /** How it stands now. */
  outcome(): InteractionOutcome;
  /** Settles with the first response of any kind, a deferral included, or when none came in time. */
  readonly responded: Promise<InteractionOutcome>;
  /** Settles when the application has answered (a deferral is no answer yet) or was too slow. */
  readonly answered: Promise<InteractionOutcome>;
}

export function followInteraction(world: World, record: InteractionRecord): PersonInteraction {
  const once = (isReached: () => boolean) =>
    new Promise<InteractionOutcome>((resolve) => {
      if (isReached()) {
        resolve(outcomeOf(world, record));
        return;
      }
      const stop = world.subscribe((event) => {
        if (event.kind !== "interaction" || event.interaction !== record || !isReached()) return;
        stop();
        resolve(outcomeOf(world, record));
      });
    });
  return {
    id: record.id,
    responded: once(() => record.state !== "pending"),
    answered: once(() => record.state === "answered" || record.state === "failed"),
    outcome: () => outcomeOf(world, record),
  };
}

function outcomeOf(world: World, record: InteractionRecord): InteractionOutcome {
  const messages = world.messages.get(record.channelId);
  const original = record.originalMessageId ? messages?.get(record.originalMessageId) : undefined;
  return {
    state: record.state,
    isEphemeral: original ? (original.flags & MessageFlags.Ephemeral) !== 0 : record.ephemeral,
    message: original ? viewWholeMessage(world, original) : null,
    content: original?.content ?? "",
    followUps: record.followUpIds.flatMap((id) => {
      const message = messages?.get(id);
      return message ? [viewWholeMessage(world, message)] : [];
    }),
    modal: record.modal,
    choices: record.choices,
  };
}
