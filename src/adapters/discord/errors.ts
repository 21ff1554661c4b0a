import {
  RESTJSONErrorCodes as Code,
  DiscordAPIError,
  type DiscordErrorData,
  HTTPError,
  RateLimitError,
} from "discord.js";
import { durationOf, lackText, NO_REASON } from "../../domain/phrases.js";
import { ChatError, type ChatErrorKind } from "../../ports/chat.js";

/** What was tried, as far as the meaning of its failure depends on it. */
export interface Attempt {
  /** False for reading, and for what may be repeated without harm: its outcome is never in doubt. */
  readonly hasEffect: boolean;
  /** Permissions that it takes, as Discord's settings call them: `Manage Webhooks`. */
  readonly needs: string;
  /** A webhook's token is what lets it in: a refusal there tells nothing about the bot's own. */
  readonly isByWebhook?: boolean;
}

/** The only place that turns a failure of Discord or of the network into a `ChatError`. */
export function chatErrorOf(error: unknown, attempt: Attempt): ChatError {
  if (error instanceof ChatError) return error;
  if (error instanceof RateLimitError) return rateLimited(error);
  if (error instanceof DiscordAPIError) return ofAnswer(error, attempt);
  if (error instanceof HTTPError) {
    return unclear(attempt, `Discord is in trouble (status ${error.status}).`, error);
  }
  if (error instanceof Error && error.message.startsWith("Expected token to be set")) {
    return loggedOut(error);
  }
  if (isNeverSent(error)) {
    return new ChatError("unavailable", "Discord cannot be reached.", { cause: error });
  }
  if (error instanceof SyntaxError) {
    return unclear(attempt, "Discord's answer could not be read.", error);
  }
  if (error instanceof Error && error.name === "AbortError") {
    return unclear(attempt, "Discord did not answer in time.", error);
  }
  return unclear(attempt, "The connection to Discord failed.", error);
}

/** Whether Discord answered with this code. */
export function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof DiscordAPIError && codes.includes(Number(error.code));
}

/**
 * Whether a webhook does not let in any more, or does not know where it is to write: it was deleted
 * or moved, or its token is another now. Whatever the code is; a page of a proxy tells nothing.
 */
export function isHookUseless(error: unknown): boolean {
  if (!(error instanceof DiscordAPIError) || Number.isNaN(Number(error.code))) return false;
  const isRefused = error.status === 401 || error.status === 404;
  return isRefused && !hasCode(error, Code.UnknownMessage);
}

/** Whether Discord named this field of the body as one that it does not take. */
export function namesField(error: unknown, field: string): boolean {
  return fieldErrors(error, field) !== undefined;
}

/** The codes that Discord gave for a field of the body, such as `parent_id`. */
export function fieldCodes(error: unknown, field: string): readonly string[] {
  const found = fieldErrors(error, field);
  const list = (found as { _errors?: readonly { code: string }[] } | undefined)?._errors;
  return list?.map(({ code }) => code) ?? [];
}

function fieldErrors(error: unknown, field: string): unknown {
  if (!(error instanceof DiscordAPIError)) return undefined;
  const { errors } = error.rawError as Partial<DiscordErrorData>;
  return (errors as Record<string, unknown> | undefined)?.[field];
}

function rateLimited(error: RateLimitError): ChatError {
  const retryAfterMs = Math.max(error.retryAfter, error.sublimitTimeout, 0);
  const detail = `Discord asks for a pause of ${durationOf(retryAfterMs)}: try again then.`;
  return new ChatError("rate-limited", detail, { retryAfterMs, cause: error });
}

function loggedOut(cause: unknown): ChatError {
  return new ChatError(
    "logged-out",
    "Discord no longer accepts the bot's token: make a new one in the developer portal and set DISCORD_TOKEN.",
    { cause },
  );
}

function unclear(attempt: Attempt, detail: string, cause: unknown): ChatError {
  return new ChatError(attempt.hasEffect ? "unknown" : "unavailable", detail, { cause });
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const ANSWERS: ReadonlyMap<number, readonly [ChatErrorKind, string]> = new Map<
  number,
  readonly [ChatErrorKind, string]
>([
  [Code.UnknownChannel, ["gone", "The channel is not there any more."]],
  [Code.UnknownGuild, ["gone", "The server is not there any more, or the bot is not in it."]],
  [Code.UnknownMessage, ["gone", "The message is not there any more."]],
  [Code.UnknownEmoji, ["gone", "The picture is not there any more."]],
  [Code.UnknownWebhook, ["gone", "The webhook of this channel is not there any more."]],
  [Code.InvalidWebhookToken, ["gone", "The webhook of this channel is not there any more."]],
  [Code.UnknownInteraction, ["gone", "The answer came too late."]],
  [20016, ["rate-limited", "Slowmode is on in this channel."]],
  [20031, ["refused", "The server does not allow a word of this name: choose another one."]],
  [
    Code.MaximumNumberOfGuildChannelsReached,
    [
      "full",
      "The server has 500 channels, which is all that Discord allows: delete some that are not needed.",
    ],
  ],
  [
    30007,
    [
      "full",
      "The channel has 15 webhooks, which is all that Discord allows: delete one in the channel's settings under Integrations.",
    ],
  ],
  [
    30058,
    [
      "full",
      "The server has 1,000 webhooks, which is all that Discord allows: delete some in the server's settings under Integrations.",
    ],
  ],
  [30008, ["full", "There is no room for another picture."]],
  [
    Code.MaximumNumberOfAttachmentsInAMessageReached,
    ["refused", "Discord does not take that many files."],
  ],
  [Code.RequestEntityTooLarge, ["refused", "The file is larger than Discord takes."]],
  [50045, ["refused", "The file is larger than Discord takes."]],
  [50138, ["refused", "The picture is larger than Discord takes."]],
  [
    Code.MaximumNumberOfEditsToMessagesOlderThanOneHourReached,
    ["refused", "Discord does not let an old message be changed that often."],
  ],
  [40009, ["unavailable", "Another channel is being moved at the moment."]],
  [40062, ["unavailable", "Discord is busy."]],
  [130000, ["unavailable", "Discord is busy."]],
  [40333, ["unavailable", "Discord's protection refuses the address that this bot comes from."]],
  [
    Code.CannotSendAnEmptyMessage,
    ["refused", "There is nothing to send: Discord leaves nothing of this text."],
  ],
  [50074, ["refused", "The server needs this channel as a community channel."]],
  [50083, ["refused", "The thread is archived."]],
  [160005, ["gone", "The thread is locked: only moderators write there now."]],
  [
    Code.MessageWasBlockedByAutomaticModeration,
    ["blocked", "The server's AutoMod does not allow this text."],
  ],
  [240000, ["blocked", "Discord does not allow a link in this text."]],
  [520003, ["refused", "A message with a poll cannot be changed."]],
]);

function ofAnswer(error: DiscordAPIError, attempt: Attempt): ChatError {
  const code = Number(error.code);
  const known = ANSWERS.get(code);
  if (known !== undefined) return new ChatError(known[0], known[1], { cause: error });
  if (hasCode(error, Code.MissingAccess, Code.MissingPermissions)) {
    return forbidden(attempt.needs, error);
  }
  if (hasCode(error, Code.InvalidFormBodyOrContentType)) return ofForm(error);
  // A proxy on the way answers in HTML, which has no code, and a conflict (409) may be one with the
  // same request: neither tells what Discord did.
  if (Number.isNaN(code) || error.status === 409) {
    return unclear(attempt, `Discord is in trouble (status ${error.status}).`, error);
  }
  if (error.status === 401 && attempt.isByWebhook !== true) return loggedOut(error);
  if (attempt.isByWebhook === true && isHookUseless(error)) {
    return new ChatError("gone", "Discord does not take the webhook of this channel.", {
      cause: error,
    });
  }
  if (error.status === 403) return forbidden(attempt.needs, error);
  if (error.status === 404)
    return new ChatError("gone", "It is not there any more.", { cause: error });
  return new ChatError("refused", NO_REASON, { cause: error });
}

function ofForm(error: DiscordAPIError): ChatError {
  if (fieldCodes(error, "parent_id").includes("CHANNEL_PARENT_MAX_CHANNELS")) {
    return new ChatError(
      "full",
      "The category is full (50 channels). Move a channel out of it, then try again.",
      { cause: error },
    );
  }
  if (fieldCodes(error, "username").length > 0) {
    return new ChatError(
      "refused",
      "Discord does not accept this display name: choose another one.",
      {
        cause: error,
      },
    );
  }
  return new ChatError("refused", NO_REASON, { cause: error });
}

/** The same error; one of a full category says which it is. */
export function namingCategory(error: unknown, category: string): unknown {
  const isFull =
    error instanceof ChatError &&
    fieldCodes(error.cause, "parent_id").includes("CHANNEL_PARENT_MAX_CHANNELS");
  if (!isFull) return error;
  return new ChatError(
    "full",
    `The category **${category}** is full (50 channels). Move a channel out of it, then try again.`,
    { cause: error.cause },
  );
}

/** The bot lacks permissions, as Discord's settings call them. */
export function forbidden(needs: string, cause?: unknown): ChatError {
  return new ChatError("forbidden", lackText(needs), { needs, cause });
}

/** Failures before anything was sent. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function isNeverSent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (NEVER_SENT.has((cause as NodeJS.ErrnoException).code ?? "")) return true;
  }
  return false;
}
