import {
  type Client,
  DiscordAPIError,
  PermissionFlagsBits,
  PermissionsBitField,
  RESTJSONErrorCodes,
} from "discord.js";
import { asId } from "../../domain/ids.js";
import { conversationOf, type Place } from "../../domain/message.js";
import { listOf } from "../../domain/phrases.js";
import { type Chat, ChatError } from "../../ports/chat.js";
import type { Clock } from "../../ports/system.js";
import { settingOf } from "./checkup.js";
import { forbidden } from "./errors.js";

/** Before each of the next tries; the event that makes a denial true mostly comes in this time. */
const PAUSES_MS = [500, 2_000, 5_000] as const;
/** What the gateway does not contradict: a message that is gone, and a thread that is locked. */
const BELIEVED: readonly number[] = [RESTJSONErrorCodes.UnknownMessage, 160005];

/** What the bot needs for it. */
const RIGHTS = {
  post: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ManageWebhooks],
  say: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.SendMessages],
  remove: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ManageMessages],
  look: [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory],
} as const;

interface What {
  readonly place: Place;
  readonly needs: keyof typeof RIGHTS;
  readonly signal?: AbortSignal;
}

/**
 * Does something in a place. Where Discord answers that there is no such place, or that the bot has
 * no right there, while its gateway knows better, it is asked again a few times: no round is to end
 * for a moment's confusion. A right that is denied to the last is believed; so is the end of a place,
 * when Discord does not find the place itself either. Else that is trouble that may pass (kind
 * "unavailable"). Where the gateway agrees, the error names the rights that are missing in truth.
 */
export async function unlessContradicted<T>(
  {
    client,
    clock,
    hasChannel,
  }: {
    readonly client: Client<true>;
    readonly clock: Clock;
    readonly hasChannel: Chat["hasChannel"];
  },
  what: What,
  work: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      const missing = missingIn(client, what);
      if (!isContradicted(error, missing)) throw withTruth(error, missing);
      if (pauseMs === null) {
        const isGone = error.kind === "gone" && !(await isThere(hasChannel, what.place));
        throw error.kind !== "gone" || isGone ? error : unfound(error);
      }
      await clock.sleep(pauseMs, what.signal);
    }
  }
  throw new Error("The last try either succeeds or throws.");
}

/** Trouble that may pass. */
function unfound(cause: ChatError): ChatError {
  return new ChatError("unavailable", "Discord does not find the channel just now.", { cause });
}

/** Where that cannot be asked, the gateway is believed. */
async function isThere(hasChannel: Chat["hasChannel"], place: Place): Promise<boolean> {
  try {
    return await hasChannel(asId(conversationOf(place)));
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    return true;
  }
}

/** The rights that the gateway does not give, by name; null: it does not know the place. */
function missingIn(client: Client<true>, { place, needs }: What): readonly string[] | null {
  const channel = client.channels.cache.get(conversationOf(place));
  if (channel === undefined || channel.isDMBased()) return null;
  const given = channel.permissionsFor(client.user);
  const wanted = RIGHTS[needs].map((right) =>
    right === PermissionFlagsBits.SendMessages && channel.isThread()
      ? PermissionFlagsBits.SendMessagesInThreads
      : right,
  );
  return wanted.filter((right) => given?.has(right) !== true).map(nameOf);
}

function isContradicted(error: ChatError, missing: readonly string[] | null): boolean {
  if (missing === null) return false;
  const answer = answerIn(error);
  if (answer === null || BELIEVED.includes(Number(answer.code))) return false;
  return error.kind === "gone" || (error.kind === "forbidden" && missing.length === 0);
}

function withTruth(error: ChatError, missing: readonly string[] | null): ChatError {
  if (error.kind !== "forbidden" || missing === null || missing.length === 0) return error;
  return forbidden(listOf(missing), error);
}

function nameOf(right: bigint): string {
  const [name = ""] = new PermissionsBitField(right).toArray();
  return settingOf(name);
}

/** What Discord itself answered; null: the bot did not ask. */
function answerIn(error: Error): DiscordAPIError | null {
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DiscordAPIError) return cause;
  }
  return null;
}
