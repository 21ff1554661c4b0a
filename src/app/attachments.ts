/** Looks at what people attached, once: prompts hold what is stored of it. */
import { contentFromBytes, contentWithoutBytes, named } from "../domain/files.js";
import type { ConversationId, MessageId } from "../domain/ids.js";
import { TEXT_FILE_BYTES } from "../domain/limits.js";
import type { Attachment, AttachmentContent, Message } from "../domain/message.js";
import { FileError } from "../ports/files.js";
import type { Services } from "./services.js";

/** Of a long conversation only the newest messages: Discord's links to older files have expired. */
const RECENT_MESSAGES = 50;
/** Somebody who goes on sending files must not keep a round from opening. */
const MAX_LOOKS = 3;

/**
 * Fetches the texts among the files of the newest of these messages, stores what could be made of
 * each file, and gives all the messages back with it. A file that cannot be had is stored as such,
 * so that no file is looked at twice. Once the signal is aborted, what is left stays as it is.
 */
export async function lookAtFiles(
  services: Pick<Services, "storage" | "files" | "log">,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const first = Math.max(0, messages.length - RECENT_MESSAGES);
  return Promise.all(
    messages.map(async (message, index) => {
      if (index < first || !hasUnreadFiles(message)) return message;
      const attachments = await Promise.all(
        message.attachments.map((file) => lookAt(services, file, signal)),
      );
      if (attachments.some((file, at) => file !== message.attachments[at])) {
        // The author may have taken a file away meanwhile.
        const now = await services.storage.messages.get(message.id);
        const left = keptOf(attachments, now?.attachments ?? []);
        await services.storage.messages.setAttachments(message.id, left);
      }
      return { ...message, attachments };
    }),
  );
}

/**
 * What waits for a round in a conversation, its files looked at. It is read again after each look:
 * people edit, delete and add meanwhile.
 */
export async function pendingWithFiles(
  services: Pick<Services, "storage" | "files" | "log">,
  conversationId: ConversationId,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  for (let looks = 0; ; looks += 1) {
    const pending = await services.storage.messages.pending(conversationId);
    const isEnough = looks === MAX_LOOKS || signal.aborted || !pending.some(hasUnreadFiles);
    if (isEnough) return pending;
    await lookAtFiles(services, pending, signal);
  }
}

/** Of the files of a message only these are left: what is stored follows. */
export async function keepFiles(
  { storage }: Pick<Services, "storage">,
  id: MessageId,
  left: readonly Attachment[],
): Promise<void> {
  const message = await storage.messages.get(id);
  if (message === null) return;
  const kept = keptOf(message.attachments, left);
  if (kept.length < message.attachments.length) await storage.messages.setAttachments(id, kept);
}

/** Those that are among the ones left. Discord signs its links anew each time; the path stays. */
export function keptOf(
  files: readonly Attachment[],
  left: readonly Attachment[],
): readonly Attachment[] {
  const pathOf = ({ url }: Attachment) => url.split("?", 1)[0];
  const paths = new Set(left.map(pathOf));
  return files.filter((file) => paths.has(pathOf(file)));
}

async function lookAt(
  { files, log }: Pick<Services, "files" | "log">,
  file: Attachment,
  signal: AbortSignal,
): Promise<Attachment> {
  const known: AttachmentContent | null = file.content ?? contentWithoutBytes(file);
  if (known !== null) return known === file.content ? file : { ...file, content: known };
  try {
    const bytes = await files.fetch(file, TEXT_FILE_BYTES, signal);
    return { ...file, content: contentFromBytes(file, bytes) };
  } catch (error) {
    if (signal.aborted) return file;
    if (!(error instanceof FileError)) throw error;
    log.warn({ err: error }, "an attached file could not be fetched");
    return { ...file, content: named("unreadable") };
  }
}

function hasUnreadFiles(message: Pick<Message, "attachments">): boolean {
  return message.attachments.some((file) => file.content === undefined);
}
