import { type Client, DiscordAPIError, PermissionFlagsBits, RESTJSONErrorCodes } from "discord.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { ChatError } from "../../ports/chat.js";
import type { Clock } from "../../ports/system.js";

/** Before each of the next tries; the event that makes a denial true mostly comes in this time. */
const PAUSES_MS = [500, 2_000, 5_000] as const;
/** What the gateway does not contradict: a message that is gone, and a thread that is locked. */
const BELIEVED: readonly number[] = [RESTJSONErrorCodes.UnknownMessage, 160005];

/** What the bot needs for it, as far as Discord's gateway tells. */
const RIGHTS = {
  post: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ManageWebhooks],
  say: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.SendMessages],
  remove: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ManageMessages],
  look: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory],
} as const;

/**
 * Does something in a place. Where Discord answers that there is no such place, or that the bot has
 * no right there, while its gateway knows better, it is asked again a few times: no round is to end
 * for a moment's confusion. A right that is denied to the last is believed. A place that is denied to
 * the last is trouble that may pass (kind "unavailable"): the event of its deletion makes it true.
 */
export async function unlessContradicted<T>(
  { client, clock }: { readonly client: Client<true>; readonly clock: Clock },
  what: {
    readonly place: Place;
    readonly needs: keyof typeof RIGHTS;
    readonly signal?: AbortSignal;
  },
  work: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChatError) || !isContradicted(client, what, error)) throw error;
      if (pauseMs === null) throw believed(error);
      await clock.sleep(pauseMs, what.signal);
    }
  }
  throw new Error("The last try either succeeds or throws.");
}

function believed(error: ChatError): ChatError {
  if (error.kind !== "gone") return error;
  return new ChatError("unavailable", "Discord does not find the channel just now.", {
    cause: error,
  });
}

function isContradicted(
  client: Client<true>,
  { place, needs }: { readonly place: Place; readonly needs: keyof typeof RIGHTS },
  error: ChatError,
): boolean {
  const channel = client.channels.cache.get(conversationOf(place));
  if (channel === undefined || channel.isDMBased()) return false;
  const answer = answerIn(error);
  if (answer === null || BELIEVED.includes(Number(answer.code))) return false;
  if (error.kind === "gone") return true;
  if (error.kind !== "forbidden") return false;
  const wanted = RIGHTS[needs].map((right) =>
    right === PermissionFlagsBits.SendMessages && channel.isThread()
      ? PermissionFlagsBits.SendMessagesInThreads
      : right,
  );
  return channel.permissionsFor(client.user)?.has(wanted) === true;
}

/** What Discord itself answered; null: the bot did not ask. */
function answerIn(error: Error): DiscordAPIError | null {
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DiscordAPIError) return cause;
  }
  return null;
}
