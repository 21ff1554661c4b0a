import { type Announcement, ChatError } from "../ports/chat.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";

/**
 * Says a line on which nothing depends, once and without a sound. Where that is not possible only
 * the log has it: `about` and `unsaid`.
 */
export async function sayAside(
  { chat, log }: Pick<Services, "chat" | "log">,
  line: Pick<Announcement, "place" | "text" | "nonce" | "afterId"> & Partial<Announcement>,
  about: Readonly<Record<string, string>>,
  unsaid: string,
): Promise<void> {
  try {
    const plainly = { buttons: [], isSilent: true, isDoubtful: false };
    await chat.announce({ ...plainly, ...line }, unstoppable());
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, ...about }, unsaid);
  }
}
