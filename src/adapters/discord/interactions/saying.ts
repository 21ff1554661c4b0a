/** What makes an answer arrive, and arrive once, however Discord fares. */
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type InteractionEditReplyOptions,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  RateLimitError,
  RESTJSONErrorCodes,
  type RESTPostAPIInteractionFollowupJSONBody,
  Routes,
} from "discord.js";
import { type Button, ChatError } from "../../../ports/chat.js";
import type { Clock } from "../../../ports/system.js";
import { rowsOf } from "../announcements.js";
import { attempt, madeOf, withShortPauses } from "../attempt.js";
import { hasCode } from "../errors.js";
import type { PacedRest } from "../rest.js";

/** What a person wants an answer to. */
export type Question =
  | ChatInputCommandInteraction<"cached">
  | MessageContextMenuCommandInteraction<"cached">
  | ButtonInteraction<"cached">;

/** What answers are sent with. */
export interface Sending {
  /** Sends each request once. */
  readonly sender: PacedRest;
  readonly clock: Clock;
}

const FOLLOWING = { hasEffect: true, needs: "View Channel", isByWebhook: true };
interface Patience {
  /** Before the next tries. */
  readonly pausesMs: readonly number[];
  /** The longest pause that Discord may ask for without the answer being given up. */
  readonly longestMs: number;
}

/** The first answer has three seconds in all, its changes have fifteen minutes. */
const WITH_FIRST: Patience = { pausesMs: [200, 600], longestMs: 1_000 };
const WITH_CHANGE: Patience = { pausesMs: [500, 2_000, 5_000], longestMs: 300_000 };
/** Another try would meet the same. */
const FINAL = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.CannotSendAnEmptyMessage,
  RESTJSONErrorCodes.RequestEntityTooLarge,
];

/** The first message of an answer; where there is one already it is replaced, which harms nothing twice. */
export async function say(
  question: Question,
  { clock }: Sending,
  message: InteractionEditReplyOptions,
): Promise<void> {
  const change = () => untilTaken(clock, WITH_CHANGE, async () => question.editReply(message));
  if (question.deferred || question.replied) return change();
  const isTaken = await unlessAcknowledged(clock, () =>
    question.reply({
      ...message,
      content: message.content ?? "",
      flags: MessageFlags.Ephemeral,
    }),
  );
  if (isTaken) return;
  question.replied = true;
  await change();
}

/** False when Discord has a first answer already: the same one, whose confirmation was lost. */
export async function unlessAcknowledged(
  clock: Clock,
  respond: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await untilTaken(clock, WITH_FIRST, respond);
    return true;
  } catch (error) {
    if (!hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw error;
    return false;
  }
}

/**
 * One more message after the first, which only the person sees. Nobody can look whether it is
 * there, so it is never sent again once it may be. Rejects with `ChatError`.
 */
export async function sayMore(
  question: Question,
  { sender, clock }: Sending,
  message: { readonly content: string; readonly buttons: readonly Button[] },
): Promise<void> {
  const body: RESTPostAPIInteractionFollowupJSONBody = {
    content: message.content,
    components: rowsOf(message.buttons),
    flags: MessageFlags.Ephemeral,
    allowed_mentions: { parse: [] },
  };
  const route = Routes.webhook(question.applicationId, question.token);
  await withShortPauses(clock, undefined, () =>
    attempt(FOLLOWING, undefined, () => madeOf(sender.post(route, { auth: false, body }))),
  );
}

/** Does what may be done twice, again after each pause as long as another try may help. */
async function untilTaken(
  clock: Clock,
  { pausesMs, longestMs }: Patience,
  request: () => Promise<unknown>,
): Promise<void> {
  for (const pauseMs of [...pausesMs, null]) {
    try {
      await request();
      return;
    } catch (error) {
      const askedMs = pauseAskedBy(error);
      if (pauseMs === null || hasCode(error, ...FINAL) || askedMs > longestMs) throw error;
      await clock.sleep(Math.max(pauseMs, askedMs));
    }
  }
}

/** The library waits out short pauses by itself. 0: none was asked for. */
function pauseAskedBy(error: unknown): number {
  if (error instanceof RateLimitError) return error.retryAfter;
  return error instanceof ChatError ? (error.retryAfterMs ?? 0) : 0;
}
