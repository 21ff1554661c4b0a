import type { RESTError } from "discord-api-types/v10";

/** A refusal in Discord's own shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: RESTError;

  constructor(status: number, body: RESTError) {
    super(`${status} ${body.code}: ${body.message}`);
    this.status = status;
    this.body = body;
  }
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const KNOWN = {
  channel: [404, 10003, "Unknown Channel"],
  guild: [404, 10004, "Unknown Guild"],
  member: [404, 10007, "Unknown Member"],
  message: [404, 10008, "Unknown Message"],
  overwrite: [404, 10009, "Unknown Overwrite"],
  role: [404, 10011, "Unknown Role"],
  user: [404, 10013, "Unknown User"],
  emoji: [404, 10014, "Unknown Emoji"],
  webhook: [404, 10015, "Unknown Webhook"],
  interaction: [404, 10062, "Unknown interaction"],
  command: [404, 10063, "Unknown application command"],
} as const satisfies Record<string, readonly [number, number, string]>;

const REFUSALS = {
  unauthorized: [401, 0, "401: Unauthorized"],
  notFound: [404, 0, "404: Not Found"],
  methodNotAllowed: [405, 0, "405: Method Not Allowed"],
  missingAccess: [403, 50001, "Missing Access"],
  missingPermissions: [403, 50013, "Missing Permissions"],
  emptyMessage: [400, 50006, "Cannot send an empty message"],
  invalidWebhookToken: [401, 50027, "Invalid Webhook Token"],
  notTheAuthor: [403, 50005, "Cannot edit a message authored by another user"],
  systemMessage: [403, 50021, "Cannot execute action on a system message"],
  wrongChannelType: [400, 50024, "Cannot execute action on this channel type"],
  bulkDeleteCount: [
    400,
    50016,
    "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete",
  ],
  bulkDeleteTooOld: [400, 50034, "You can only bulk delete messages that are under 14 days old."],
  invalidJson: [400, 50109, "The request body contains invalid JSON."],
  threadArchived: [400, 50083, "Thread is archived"],
  threadLocked: [400, 160005, "Thread is locked"],
  threadExists: [400, 160004, "A thread has already been created for this message"],
  noHistoryForReply: [400, 160002, "Cannot reply without permission to read message history"],
  tooManyWebhooks: [400, 30007, "Maximum number of webhooks reached (15)"],
  tooManyEmojis: [400, 30008, "Maximum number of emojis reached (2000)"],
  tooManyReactions: [400, 30010, "Maximum number of reactions reached (20)"],
  tooManyChannels: [400, 30013, "Maximum number of server channels reached (500)"],
  tooManyAttachments: [400, 30015, "Maximum number of attachments in a message reached (10)"],
  tooManyPins: [400, 30003, "Maximum number of pins reached for the channel (250)"],
  tooManyCommands: [400, 30032, "Maximum number of application commands reached (100)."],
  tooManyCommandCreations: [
    400,
    30034,
    "Max number of daily application command creates has been reached (200)",
  ],
  bannedWords: [400, 20031, "This channel name contains words that are not allowed"],
  blockedByFilter: [400, 200000, "Message was blocked by automatic moderation"],
  fileTooLarge: [413, 40005, "Request entity too large"],
  alreadyAcknowledged: [400, 40060, "Interaction has already been acknowledged."],
  unknownInteraction: [404, 10062, "Unknown interaction"],
  wrongInteractionResponse: [400, 50035, "Invalid interaction application command"],
  oneMoveAtATime: [403, 40009, "Only one channel can be moved between parents at a time"],
  cloudflare: [403, 40333, "internal network error"],
  invalidEmoji: [400, 10014, "Unknown Emoji"],
} as const satisfies Record<string, readonly [number, number, string]>;

export function unknown(what: keyof typeof KNOWN): ApiError {
  const [status, code, message] = KNOWN[what];
  return new ApiError(status, { message, code });
}

export function refusal(what: keyof typeof REFUSALS): ApiError {
  const [status, code, message] = REFUSALS[what];
  return new ApiError(status, { message, code });
}

export interface FieldError {
  /** Where in the body, `embeds.0.title`; empty for the body itself. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

type Nested = { [key: string]: Nested | { code: string; message: string }[] };

/** 50035 with `errors` nested as deep as the fields are. */
export function invalidForm(fields: readonly FieldError[]): ApiError {
  const errors: Nested = {};
  for (const { path, code, message } of fields) {
    let place = errors;
    for (const step of path === "" ? [] : path.split(".")) {
      const next = place[step];
      if (next === undefined || Array.isArray(next)) place = place[step] = {};
      else place = next;
    }
    const list = place["_errors"];
    if (Array.isArray(list)) list.push({ code, message });
    else place["_errors"] = [{ code, message }];
  }
  return new ApiError(400, {
    code: 50035,
    message: "Invalid Form Body",
    errors: errors as NonNullable<RESTError["errors"]>,
  });
}

export function invalidField(path: string, code: string, message: string): ApiError {
  return invalidForm([{ path, code, message }]);
}
