import type { MessageId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import type { Attachment } from "../domain/message.js";
import { isGroupChatCommand } from "../domain/textCommand.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { keptOf } from "./attachments.js";
import type { Services } from "./services.js";

/** Far more than change in the time by which events overtake each other. */
const MAX_MESSAGES = 5_000;
/** A connection that broke brings what it held back within minutes. */
const KEPT_MS = STALE_ROUND_MS;

/** What has been told of one message. */
interface Change {
  readonly atMs: number;
  readonly isDeleted: boolean;
  readonly edit: { readonly text: string; readonly editedAtMs: number } | null;
  /** The files that are left; null: nothing was said about them. */
  readonly files: readonly Attachment[] | null;
}

/**
 * What happened to messages, kept for a while: events come in any order, so a message may be told of,
 * or be read from the history, after it was changed or deleted. In memory only: what is not known here
 * any more after a start, the history says.
 */
export class EarlyChanges {
  readonly #clock: Services["clock"];
  /** The one that was changed last is the last. */
  readonly #changes = new Map<MessageId, Change>();

  constructor(clock: Services["clock"]) {
    this.#clock = clock;
  }

  deleted(ids: readonly MessageId[]): void {
    for (const id of ids) this.#note(id, { isDeleted: true });
  }

  /** False: a newer edit of it was told before. */
  edited(id: MessageId, text: string, editedAtMs: number): boolean {
    const newest = this.#changes.get(id)?.edit?.editedAtMs;
    if (newest !== undefined && newest > editedAtMs) return false;
    this.#note(id, { edit: { text, editedAtMs } });
    return true;
  }

  filesLeft(id: MessageId, files: readonly Attachment[]): void {
    const before = this.#changes.get(id)?.files ?? files;
    this.#note(id, { files: keptOf(before, files) });
  }

  isDeleted(id: MessageId): boolean {
    return this.#changes.get(id)?.isDeleted ?? false;
  }

  /**
   * The message as it stands by now, with the newer of both texts. Null where it stands there no more,
   * and where an edit has made it a command: such a one is not obeyed.
   */
  asItStands(message: ReceivedMessage): ReceivedMessage | null {
    const change = this.#changes.get(message.id);
    if (change === undefined) return message;
    if (change.isDeleted) return null;
    const { files } = change;
    const attachments = files === null ? message.attachments : keptOf(message.attachments, files);
    const edit = isNewer(change.edit, message) ? change.edit : null;
    if (edit === null) return { ...message, attachments };
    if (isGroupChatCommand(edit.text) && !isGroupChatCommand(message.text)) return null;
    return { ...message, attachments, ...edit };
  }

  #note(id: MessageId, news: Partial<Change>): void {
    const known = this.#changes.get(id) ?? { isDeleted: false, edit: null, files: null };
    this.#changes.delete(id);
    const atMs = this.#clock.now();
    this.#changes.set(id, { ...known, ...news, atMs });
    for (const [oldest, change] of this.#changes) {
      const isKept = this.#changes.size <= MAX_MESSAGES && atMs - change.atMs <= KEPT_MS;
      if (isKept) break;
      this.#changes.delete(oldest);
    }
  }
}

function isNewer(edit: Change["edit"], { editedAtMs }: ReceivedMessage): boolean {
  return edit !== null && (editedAtMs === null || edit.editedAtMs > editedAtMs);
}

/** After one of the bot's own messages was stored: somebody may have deleted it before that. */
export async function markIfGone(
  { storage, clock, earlyChanges }: Pick<Services, "storage" | "clock" | "earlyChanges">,
  id: MessageId,
): Promise<void> {
  if (earlyChanges.isDeleted(id)) await storage.messages.markDeleted([id], clock.now());
}
